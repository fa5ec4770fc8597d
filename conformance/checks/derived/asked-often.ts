import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import { confirmed } from '../../arrange/orders/payments.ts';
import { checkoutOrders, hostedOrders, type ProductArrangement } from '../../arrange/products.ts';
import { bringRefundTo, makeRefund } from '../../arrange/refunds/refunds.ts';
import { completing } from '../../arrange/refunds/steps.ts';
import { someAtOnce } from '../../arrange/requests/some-at-once.ts';
import { needEnd } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { countJudged, expectField, needAccepted, statusOf } from '../../check/expect.ts';
import type { OrderStep, StepOutcome } from '../../drivers/driver.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';

// A merchant that waits for a payment asks every few seconds.

/** How often each is asked for before it changes: as often as in two minutes with a query every two seconds. */
const times = 60;

/** Asks often, lets it come to SUCCEEDED, and fails unless a query shows that. `needAnother` brings another one there for which nobody has asked before. */
async function expectPresentState(
  context: CheckContext,
  query: () => Promise<Answer>,
  steps: readonly (() => Promise<StepOutcome>)[],
  needAnother: () => Promise<void>,
): Promise<void> {
  needAccepted(await query(), 'a query for what was made');
  await someAtOnce(Array.from({ length: times - 1 }), query);
  const outcomes: StepOutcome[] = [];
  for (const step of steps) outcomes.push(await step());
  const answer = await context.poll(query, (each) => statusOf(each) === 'SUCCEEDED');
  if (statusOf(answer) === 'SUCCEEDED') return countJudged(answer);
  // A target may come to SUCCEEDED by fewer steps, and then refuses one.
  for (const outcome of outcomes) {
    if (!outcome.done) throw new Inconclusive(`the driver refused a step: ${outcome.message}`);
  }
  await needAnother();
  expectField(answer, 'data.status', 'SUCCEEDED');
}

const payment: readonly OrderStep[] = [{ type: 'transaction_detected' }, confirmed];

const orderCheck = ({ product, aNoun, make }: ProductArrangement, requirement: RequirementId): CheckDeclaration => ({
  id: `${product}.query.asked-often`,
  title: `A query for ${aNoun} shows that it was paid, however often it was asked for before`,
  requirements: [requirement],
  needs: ['order-events'],
  async run(context) {
    const { merchant, orderId, query } = await make(context, await context.ownMerchant());
    const needAnother = async () => {
      await needEnd(context, await make(context, merchant), payment, 'SUCCEEDED');
    };
    const steps = payment.map((step) => () => context.orderEvent(merchant, orderId, step));
    await expectPresentState(context, query, steps, needAnother);
  },
});

const refundCheck: CheckDeclaration = {
  id: 'refunds.query.asked-often',
  title: 'A query for a refund shows that it SUCCEEDED, however often it was asked for before',
  requirements: ['refunds.query.by-refund-order-id'],
  needs: ['order-events', 'refund-events'],
  async run(context) {
    const { merchant, refundOrderId, query } = await makeRefund(context, await context.ownMerchant());
    const steps = completing.map((step) => () => context.refundEvent(merchant, refundOrderId, step));
    const needAnother = async () => bringRefundTo(context, await makeRefund(context, merchant), 'SUCCEEDED');
    await expectPresentState(context, query, steps, needAnother);
  },
};

/** For each kind of record: how often it was asked for does not matter. */
export const askedOftenChecks: readonly CheckDeclaration[] = [
  orderCheck(hostedOrders, 'orders.query.by-merchant-order-id'),
  orderCheck(checkoutOrders, 'checkout.query.by-merchant-order-id'),
  refundCheck,
];
