import { limit } from '../../../generated/catalogue.ts';
import { available, expectChangeRefused } from '../../arrange/authentication/refusals.ts';
import { areasOf, creates } from '../../arrange/operations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectRefused, needAccepted, summary } from '../../check/expect.ts';
import { NeedNotMet } from '../../errors/outcomes.ts';

/** How far from the edge of the time window requests are sent, in milliseconds, because clocks and networks are not exact. */
const margin = 10_000;
const timeWindow = limit('auth.timestamp.window', 'max');

const calls = areasOf(creates);

/** The answer to a create whose timestamp is `offset` milliseconds from the target's clock. */
async function createAt(context: CheckContext, offset: number) {
  const operation = available(context, creates);
  const merchant = await context.merchant();
  const present = await operation.prepare(context, merchant);
  if (present.twin)
    throw new NeedNotMet('order-events', `${operation.noun} that is accepted would use up a paid order`);
  needAccepted(await present.client.send(present.request), `${operation.noun} with the present time`);
  const { client, request, makes } = await operation.prepare(context, merchant);
  const answer = await client.send({ ...request, timestamp: String(context.now() + offset) });
  return { answer, makes };
}

export const authTimestampChecks: readonly CheckDeclaration[] = [
  ...([-1, 1] as const).flatMap((direction): CheckDeclaration[] => {
    const side = direction < 0 ? 'past' : 'future';
    return [
      {
        id: `auth.timestamp.inside-${side}`,
        title: `A request ten seconds inside the time window, in the ${side}, is accepted`,
        calls,
        requirements: ['auth.timestamp.window'],
        async run(context) {
          const { answer } = await createAt(context, direction * (timeWindow - margin));
          expectAccepted(answer, `a request ${(timeWindow - margin) / 1000} s in the ${side}`);
        },
      },
      {
        id: `auth.timestamp.outside-${side}`,
        title: `A request ten seconds outside the time window, in the ${side}, is refused`,
        calls,
        requirements: ['auth.timestamp.window', 'auth.refused-changes-nothing'],
        async run(context) {
          const { answer, makes } = await createAt(context, direction * (timeWindow + margin));
          expectRefused(answer, `a request ${(timeWindow + margin) / 1000} s in the ${side}`);
          if (makes) expectRefused(await makes.find(), 'a query for what it asked for', 'auth.refused-changes-nothing');
        },
      },
    ];
  }),
  {
    id: 'auth.timestamp.edge',
    title: 'What a request is answered with that is exactly as old, or as early, as the time window allows',
    calls,
    requirements: ['auth.timestamp.edge'],
    async run(context) {
      const [old, early] = [await createAt(context, -timeWindow), await createAt(context, timeWindow)];
      const seen = `${timeWindow / 1000} s ago: ${summary(old.answer)}; ${timeWindow / 1000} s ahead: ${summary(early.answer)}`;
      // The way through the network decides on which side of the edge a request arrives, so no value can be told.
      context.observeIn([old.answer, early.answer], 'timestamp-boundary', seen);
    },
  },
  ...Object.entries({
    seconds: { title: 'A timestamp in seconds is refused', form: (now: number) => String(Math.floor(now / 1000)) },
    'iso-8601': { title: 'A timestamp in ISO 8601 is refused', form: (now: number) => new Date(now).toISOString() },
    'not-a-number': { title: 'A timestamp that is no number is refused', form: () => 'yesterday-noon' },
    microseconds: { title: 'A timestamp in microseconds is refused', form: (now: number) => `${now}000` },
    'leading-zero': { title: 'A timestamp with a leading zero is refused', form: (now: number) => `0${now}` },
  }).map(
    ([name, { title, form }]): CheckDeclaration => ({
      id: `auth.timestamp.${name}`,
      title,
      calls,
      requirements: ['auth.timestamp.form', 'auth.refused-changes-nothing'],
      async run(context) {
        const timestamp = form(context.now());
        await expectChangeRefused(context, creates, `a create with X-Timestamp ${timestamp}`, (request) => ({
          ...request,
          timestamp,
        }));
      },
    }),
  ),
];
