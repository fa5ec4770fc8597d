import { limit } from '../../generated/catalogue.ts';
import { createRequest, refusesCreate } from '../authentication.ts';
import type { Check } from '../check.ts';
import { ordersClient } from '../client.ts';
import type { CheckContext } from '../context.ts';
import { expectAccepted, expectRefused, needAccepted } from '../expect.ts';

/** How far inside and outside of the time window a request is judged, in milliseconds: clocks and networks are not exact. */
const margin = 10_000;
const timeWindow = limit('auth.timestamp.window', 'max');

/** A create at a distance from the target's clock; what it is answered with. */
async function createAt(context: CheckContext, offset: number) {
  const client = ordersClient(context, await context.merchant());
  needAccepted(await client.send(createRequest(context, client).request), 'the same request with the present time');
  const { id, request } = createRequest(context, client);
  const answer = await client.send({ ...request, timestamp: String(context.now() + offset) });
  return { client, id, answer };
}

export const authTimestampChecks: readonly Check[] = [
  ...([-1, 1] as const).flatMap((direction): Check[] => {
    const side = direction < 0 ? 'past' : 'future';
    return [
      {
        id: `auth.timestamp.inside-${side}`,
        title: `A request ten seconds inside the time window, in the ${side}, is accepted`,
        level: 'MUST',
        area: 'auth',
        requirements: ['auth.timestamp.window'],
        needs: [],
        async run(context) {
          const { answer } = await createAt(context, direction * (timeWindow - margin));
          expectAccepted(answer, `a request ${(timeWindow - margin) / 1000} s in the ${side}`);
        },
      },
      {
        id: `auth.timestamp.outside-${side}`,
        title: `A request ten seconds outside the time window, in the ${side}, is refused`,
        level: 'MUST',
        area: 'auth',
        requirements: ['auth.timestamp.window', 'auth.refused-changes-nothing'],
        needs: [],
        async run(context) {
          const { client, id, answer } = await createAt(context, direction * (timeWindow + margin));
          expectRefused(answer, `a request ${(timeWindow + margin) / 1000} s in the ${side}`);
          expectRefused(await client.query(id), 'a query for that order', 'auth.refused-changes-nothing');
        },
      },
    ];
  }),
  ...Object.entries({
    seconds: { title: 'A timestamp in seconds is refused', form: (now: number) => String(Math.floor(now / 1000)) },
    'iso-8601': { title: 'A timestamp in ISO 8601 is refused', form: (now: number) => new Date(now).toISOString() },
    'not-a-number': { title: 'A timestamp that is no number is refused', form: () => 'yesterday-noon' },
    microseconds: { title: 'A timestamp in microseconds is refused', form: (now: number) => `${now}000` },
    'leading-zero': { title: 'A timestamp with a leading zero is refused', form: (now: number) => `0${now}` },
  }).map(
    ([name, { title, form }]): Check => ({
      id: `auth.timestamp.${name}`,
      title,
      level: 'MUST',
      area: 'auth',
      requirements: ['auth.timestamp.form', 'auth.refused-changes-nothing'],
      needs: [],
      async run(context) {
        const timestamp = form(context.now());
        await refusesCreate(context, `a create with X-Timestamp ${timestamp}`, (request) => ({
          ...request,
          timestamp,
        }));
      },
    }),
  ),
];
