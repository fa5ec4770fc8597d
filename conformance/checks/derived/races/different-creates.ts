import type { RequirementId } from '../../../../generated/catalogue.ts';
import { createCheckoutOrder } from '../../../arrange/checkout-orders/operations.ts';
import { createOrder } from '../../../arrange/orders/operations.ts';
import { createRefund } from '../../../arrange/refunds/operations.ts';
import type { ArrangedOperation, PreparedRequest } from '../../../arrange/requests/arranged-operation.ts';
import { atTheSameMoment, everyRound, type Start } from '../../../arrange/situations/races.ts';
import type { CheckDeclaration } from '../../../check/define-checks.ts';
import { countJudged, expectThat, isAccepted, needAccepted, summary } from '../../../check/expect.ts';
import { systemErrorCodes } from '../../../contract/error-codes.ts';
import { type Answer, field } from '../../../wire/exchange.ts';

/** In so many rounds at least a create must fail beside another one: once may be an accident. */
const enoughRounds = 2;

/** The service says that it has failed, and not that it is asked too often. */
function isFailure({ status, headers, json }: Answer): boolean {
  if (status === 429 || headers['retry-after'] !== undefined) return false;
  if (/\b(rate|limit|many|often|slow|throttl)/i.test(String(field({ json }, 'message')))) return false;
  return status >= 500 || systemErrorCodes.includes(String(field({ json }, 'code')));
}

const send = ({ client, request }: PreparedRequest, how: Partial<Start> = { racing: true }) =>
  client.send({ ...request, ...how });

const differentCreates = (operation: ArrangedOperation, accepted: RequirementId): CheckDeclaration => ({
  id: `${operation.area}.race.different-creates`,
  title: `Of two creates of a merchant that come at the same moment none fails, as none does where one comes right after the other: ${operation.name}`,
  requirements: [accepted],
  needs: operation.needs.includes('paid-order') ? ['order-events'] : operation.needs,
  async run(context) {
    const merchant = await context.ownMerchant();
    const pair = () => Promise.all([operation.prepare(context, merchant), operation.prepare(context, merchant)]);
    const failed: Answer[] = [];
    let refused: Answer | undefined;
    let rounds = 0;
    await everyRound(async () => {
      for (const each of await pair()) {
        const answer = await send(each);
        if (isAccepted(answer)) continue;
        // A target that is asked too often refuses these as well, and then the others say nothing.
        refused = answer;
        return;
      }
      rounds += 1;
      const answers = await atTheSameMoment((await pair()).map((each) => (start: Start) => send(each, start)));
      for (const answer of answers) countJudged(answer);
      failed.push(...answers.filter((answer) => !isAccepted(answer) && isFailure(answer)).slice(0, 1));
    });
    if (rounds === 0 && refused) needAccepted(refused, 'a create right after another one');
    const [first] = failed;
    if (!first || failed.length < enoughRounds) return;
    expectThat(false, first, {
      expected: `${operation.noun} is accepted that comes at the same moment as another one of its merchant, as it is right after one`,
      actual: `${summary(first)}, in ${failed.length} rounds`,
    });
  },
});

/** Creates of different things do not get in each other's way. */
export const differentCreateRaces: readonly CheckDeclaration[] = [
  differentCreates(createOrder, 'orders.create.accepted'),
  differentCreates(createCheckoutOrder, 'checkout.create.accepted'),
  differentCreates(createRefund, 'refunds.create.accepted'),
];
