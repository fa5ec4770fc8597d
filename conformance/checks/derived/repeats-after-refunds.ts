import type { RequirementId } from '../../../generated/catalogue.ts';
import { bringAnyOrderTo, checkoutOrders, hostedOrders, type ProductArrangement } from '../../arrange/products.ts';
import { bringRefundTo, makeRefund } from '../../arrange/refunds/refunds.ts';
import { ifTaken, isFinal } from '../../arrange/situations/situations.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { isAccepted, needAccepted } from '../../check/expect.ts';
import { leftOut } from '../../check/unmet-needs.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { expectSameRecord, type RepeatedRecord } from '../support/repeats.ts';

/** What a repeat of the create must not change, and what an accepted one must show. */
const recordOf = (requirement: RequirementId): RepeatedRecord => ({
  idField: 'orderId',
  constant: ['orderId', 'orderAmount', 'createdAt', 'expiresAt'],
  ofStatus: ['paidAt'],
  firstStatuses: ['INIT', 'PROCESSING'],
  requirement,
  idempotent: requirement,
});

const repeatCheck = (
  { product, noun, make, client }: ProductArrangement,
  requirement: RequirementId,
): CheckDeclaration => ({
  id: `${product}.states.repeated-after-refund`,
  title: `A create that is sent again after its ${noun} was paid and refunded leaves the order paid, and shows no other end`,
  calls: [product, 'refunds'],
  requirements: [requirement],
  needs: ['order-events', 'refund-events'],
  async run(context) {
    if (!context.has('refunds')) throw new NotApplicable(leftOut(['refunds']));
    const merchant = await context.ownMerchant();
    const order = await make(context, merchant);
    await bringAnyOrderTo(context, order, 'SUCCEEDED');
    const refund = await ifTaken(makeRefund(context, merchant, { order }));
    if (!refund) throw new NotApplicable(`no ${noun} can be refunded`);
    await bringRefundTo(context, refund, 'SUCCEEDED');
    const before = await order.query();
    needAccepted(before, 'a query for the order that was refunded');
    const sentAgain = await client(context, merchant).createAnything(order.request);
    const now = await order.query();
    // A second hosted order may be made under the same id (open point `orders-duplicate-id`), which begins where every order does and may be shown for it.
    const isOther = (answer: Answer) => product === 'orders' && field(answer, 'data.orderId') !== order.orderId;
    const repeat = isOther(sentAgain) ? before : sentAgain;
    // A query by the platform's id may be answered from a copy that is behind.
    const askForFirst = () => context.poll(() => order.client.query(order.orderId), isFinal);
    const after = isAccepted(now) && isOther(now) ? await askForFirst() : now;
    if (isOther(after)) throw new NotApplicable('no query shows the first of two orders under one id');
    expectSameRecord(recordOf(requirement), { before, repeat, after }, 'the same create again, after the refund');
  },
});

/** A refund changes nothing of its order, also for whoever looks at the order by sending its create again. */
export const repeatsAfterRefundsChecks: readonly CheckDeclaration[] = [
  repeatCheck(hostedOrders, 'orders.states.final'),
  repeatCheck(checkoutOrders, 'checkout.states.final'),
];
