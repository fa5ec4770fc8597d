import type { RequirementId } from '../../../../generated/catalogue.ts';
import { makeCheckoutOrder } from '../../../arrange/checkout-orders/checkout-orders.ts';
import { confirmed } from '../../../arrange/orders/payments.ts';
import { makeRefund } from '../../../arrange/refunds/refunds.ts';
import { pollFor } from '../../../arrange/requests/bring-to.ts';
import { everyRound, racing } from '../../../arrange/situations/races.ts';
import type { CheckContext } from '../../../check/context.ts';
import type { CheckDeclaration } from '../../../check/define-checks.ts';
import { expectThat, statusOf } from '../../../check/expect.ts';
import { show } from '../../../contract/show.ts';
import type { RefundStep } from '../../../drivers/driver.ts';
import { Inconclusive } from '../../../errors/outcomes.ts';
import type { Answer } from '../../../wire/exchange.ts';

/** Something that is made, comes to its end in two steps, and whose create is sent again meanwhile. */
interface Repeated {
  noun: string;
  query(): Promise<Answer>;
  repeat(): Promise<unknown>;
  begin(): Promise<unknown>;
  succeed(): Promise<unknown>;
}

/** How long a target may take to write back what it has read, in milliseconds. */
const writingBack = 60;

/** Brings something to its end, and its create again to the target while the first step is under way where `isRepeated`. Whether it has SUCCEEDED, by the answer. */
async function endOf(context: CheckContext, each: Repeated, isRepeated: boolean): Promise<Answer> {
  const { noun, query, repeat, begin, succeed } = each;
  await racing(context, isRepeated ? [repeat, begin] : [begin], query);
  await context.pause(writingBack);
  await succeed();
  const succeeded = (answer: Answer) => statusOf(answer) === 'SUCCEEDED';
  const ended = await pollFor(context, `${noun} is SUCCEEDED after one step and another`, query, succeeded);
  await context.pause(writingBack);
  return succeeded(ended) ? query() : ended;
}

/** Fails where something does not succeed, as another one does, because its create was sent again meanwhile. */
async function expectUndisturbed(
  context: CheckContext,
  make: () => Promise<Repeated>,
  requirement: RequirementId,
): Promise<void> {
  const usual = await endOf(context, await make(), false);
  if (statusOf(usual) !== 'SUCCEEDED') throw new Inconclusive(`the status is ${show(statusOf(usual))}, not SUCCEEDED`);
  await everyRound(async () => {
    const each = await make();
    const answer = await endOf(context, each, true);
    expectThat(statusOf(answer) === 'SUCCEEDED', answer, {
      expected: `data.status = SUCCEEDED of ${each.noun} whose create was sent again while it came to its end, as of one whose create was not`,
      actual: `data.status = ${show(statusOf(answer))}`,
      requirement,
    });
  });
}

export const undisturbedRaces: readonly CheckDeclaration[] = [
  {
    id: 'checkout.race.repeated-while-paid',
    title: 'A checkout create that is repeated while its order is being paid does not undo the payment',
    requirements: ['checkout.create.idempotent'],
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const make = async (): Promise<Repeated> => {
        const { client, request, orderId, query } = await makeCheckoutOrder(context, merchant);
        return {
          noun: 'a checkout order',
          query,
          repeat: () => client.post(client.createPath, request, { racing: true }),
          begin: () => context.orderEvent(merchant, orderId, { type: 'transaction_detected' }),
          succeed: () => context.orderEvent(merchant, orderId, confirmed),
        };
      };
      await expectUndisturbed(context, make, 'checkout.create.idempotent');
    },
  },
  {
    id: 'refunds.race.repeated-while-ended',
    title: 'A refund request that is repeated while its refund comes to its end does not undo that',
    requirements: ['refunds.create.idempotent'],
    needs: ['order-events', 'refund-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const make = async (): Promise<Repeated> => {
        const { client, request, refundOrderId, query } = await makeRefund(context, merchant);
        const step = (type: RefundStep['type']) => () => context.refundEvent(merchant, refundOrderId, { type });
        return {
          noun: 'a refund',
          query,
          repeat: () => client.post(client.refundsPath, request, { racing: true }),
          begin: step('processing_started'),
          succeed: step('completed'),
        };
      };
      await expectUndisturbed(context, make, 'refunds.create.idempotent');
    },
  },
];
