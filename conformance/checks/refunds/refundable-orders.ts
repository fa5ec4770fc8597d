import type { OrdersState } from '../../../generated/catalogue-ids.ts';
import {
  bringCheckoutOrderTo,
  makeCheckoutOrder,
  makeCheckoutOrderIn,
} from '../../arrange/checkout-orders/checkout-orders.ts';
import { type AnyMadeOrder, bringOrderTo, orderStateNeeds, passSoon, soon } from '../../arrange/orders/any-order.ts';
import { makeOrder, orderIn } from '../../arrange/orders/orders.ts';
import { alteredId } from '../../arrange/refunds/altered-id.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { foreignOrder } from '../../arrange/refunds/foreign-orders.ts';
import {
  businessError,
  expectRefundRefused,
  makeRefund,
  refundRequest,
  standingRefund,
  unrefundedOrder,
} from '../../arrange/refunds/refunds.ts';
import { confirmed, exchanges, ifTaken, letHappen, overpaid, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAccepted,
  expectField,
  expectRefused,
  isAccepted,
  needText,
  statusOf,
  summary,
} from '../../check/expect.ts';
import type { Credentials, OrderStep } from '../../drivers/driver.ts';
import { Inconclusive, NotApplicable, PermittedChoice } from '../../errors/outcomes.ts';
import { hostileIds } from '../../values/hostile.ts';
import { printed } from '../../values/printed.ts';

/** States of an order that has not been paid, or not enough. */
const unpaidStates: readonly Exclude<OrdersState, 'SUCCEEDED'>[] = ['INIT', 'PROCESSING', 'FAILED', 'CLOSED'];

/** Fails unless a checkout order without a completed payment is refused a refund, whether or not a paid one can be refunded. */
async function expectCheckoutOrderRefused(
  context: CheckContext,
  merchant: Credentials,
  state: (typeof unpaidStates)[number],
): Promise<void> {
  // Which states a checkout order comes to is open in part.
  const order = await ifTaken(
    makeCheckoutOrder(context, merchant).then(async (made) => {
      await bringCheckoutOrderTo(context, made, state);
      return made;
    }),
  );
  if (!order) return;
  const what = `a refund of a checkout order that is ${state}`;
  const refusal = { ...businessError, status: [400, 404] };
  const client = refundsClient(context, merchant);
  await expectRefundRefused(client, refundRequest(context, order.orderId), what, refusal);
}

/** Fails unless an order whose payment by an exchange was seen, and is not confirmed, is refused a refund. */
async function expectNoEarlyRefund(context: CheckContext, merchant: Credentials): Promise<void> {
  const client = refundsClient(context, merchant);
  await sideBySide(
    exchanges.map(async (paymentMethod) => {
      const order = await makeOrder(context, merchant);
      await context.orderEvent(merchant, order.orderId, { type: 'transaction_detected', paymentMethod });
      // A platform may take what an exchange says for confirmed.
      if (statusOf(await order.query()) !== 'PROCESSING') return;
      const what = `a refund of an order that is PROCESSING, paid by ${paymentMethod}`;
      await expectRefundRefused(client, refundRequest(context, order.orderId), what, businessError);
    }),
  );
}

/** Payments that came whole, and failed nevertheless. */
const failedPayments: readonly (readonly OrderStep[])[] = [
  [{ type: 'transaction_detected' }, { type: 'payment_failed', reason: 'timeout' }],
  [{ type: 'transaction_detected' }, { type: 'payment_failed', reason: 'error' }],
  [
    { type: 'transaction_detected', paymentMethod: exchanges[0] },
    { type: 'payment_failed', reason: 'error' },
  ],
  [overpaid, { type: 'payment_failed', reason: 'timeout' }],
];

/** Fails unless orders that have FAILED, although all that was due had come, are refused a refund. */
async function expectFailedPaymentsRefused(context: CheckContext, merchant: Credentials): Promise<void> {
  const client = refundsClient(context, merchant);
  const hosted = failedPayments.map((steps) => [makeOrder, steps] as const);
  // Exchanges pay hosted orders alone.
  const checkout = failedPayments
    .filter((steps) => steps.every(({ paymentMethod }) => paymentMethod === undefined))
    .map((steps) => [makeCheckoutOrder, steps] as const);
  const cases = [...hosted, ...(context.has('checkout') ? checkout : [])];
  await sideBySide(
    cases.map(async ([make, steps]) => {
      const order = await ifTaken<AnyMadeOrder>(make(context, merchant));
      // Which of these a platform lets happen to an order is its own matter.
      if (!order || statusOf(await letHappen(context, order, steps)) !== 'FAILED') return;
      const [detected, failed] = steps;
      const amount = detected?.amount === undefined ? 'what was due' : 'more than was due';
      const what = `a refund of an order that is FAILED, to which ${amount} had come (${failed?.reason})`;
      const status = order.product === 'checkout' ? { status: [400, 404] } : {};
      await expectRefundRefused(client, refundRequest(context, order.orderId), what, { ...businessError, ...status });
    }),
  );
}

/** A check that an order of either product without a completed payment is not refunded. */
function unpaidOrder(state: (typeof unpaidStates)[number]): CheckDeclaration {
  return {
    id: `refunds.create.unpaid-order.${state.toLowerCase()}`,
    title: `An order that is ${state} is not refunded, of whichever product it is`,
    requirements: ['refunds.create.completed-payments', 'refunds.errors.business', 'refunds.errors.refused'],
    needs: ['paid-order', ...orderStateNeeds(state)],
    ...(state === 'CLOSED' && { long: true }),
    async run(context) {
      const { client, merchant } = await standingRefund(context);
      const order = context.has('order-events') ? await makeOrder(context, merchant) : await orderIn(context, state);
      if (context.has('order-events')) await bringOrderTo(context, order, state);
      const request = refundRequest(context, order.orderId);
      await expectRefundRefused(client, request, `a refund of an order that is ${state}`, businessError);
      if (context.has('order-events') && state === 'PROCESSING') await expectNoEarlyRefund(context, merchant);
      if (context.has('order-events') && state === 'FAILED') await expectFailedPaymentsRefused(context, merchant);
      if (context.has('order-events') && context.has('checkout')) {
        await expectCheckoutOrderRefused(context, merchant, state);
      }
    },
  };
}

/** How an order is made, and whose it is. */
interface Namesake {
  make: typeof makeOrder | typeof makeCheckoutOrder;
  merchant: Credentials;
  /** Nobody pays it. */
  unpaid?: true;
}

/**
 * Refunds the paid ones of two orders under one merchantOrderId, the second when the refund of the first is over. Fails unless each refund is
 * one of its own order. False where the target does not take two orders under one id.
 */
async function expectNamesakesRefunded(context: CheckContext, first: Namesake, second: Namesake): Promise<boolean> {
  const merchantOrderId = context.newOrderId();
  const one = await first.make(context, first.merchant, { merchantOrderId });
  const other = await ifTaken<AnyMadeOrder>(second.make(context, second.merchant, { merchantOrderId }));
  if (!other) return false;
  const paid = [one, ...(second.unpaid ? [] : [other])];
  const pay = (order: AnyMadeOrder) => letHappen(context, order, [{ type: 'transaction_detected' }, confirmed]);
  await sideBySide(paid.map(pay));
  for (const order of paid) {
    const client = refundsClient(context, order.merchant);
    const created = await client.create(refundRequest(context, order.orderId));
    // Whether checkout orders are refunded is open.
    if (order.product === 'checkout' && !isAccepted(created)) continue;
    const found = await client.query({ acquiringOrderId: order.orderId });
    for (const answer of [created, found]) {
      expectAccepted(answer, `a refund of the order ${order.orderId}, and a query for it`);
      expectField(answer, 'data.acquiringOrderId', order.orderId, 'refunds.record.references');
    }
    if (!context.has('refund-events')) continue;
    const refundOrderId = needText(created, 'data.refundOrderId');
    for (const type of ['processing_started', 'completed'] as const) {
      await context.refundEvent(order.merchant, refundOrderId, { type });
    }
  }
  return true;
}

/** Checks of which orders are refunded, and that each refund is one of the order that its request names. */
export const refundableOrdersChecks: readonly CheckDeclaration[] = [
  ...unpaidStates.map(unpaidOrder),
  {
    id: 'refunds.create.unknown-order',
    title: 'A refund of an order that does not exist is refused with HTTP 404, or as malformed',
    requirements: ['refunds.errors.order-not-found', 'refunds.errors.malformed-order-id', 'refunds.errors.refused'],
    needs: ['paid-order'],
    async run(context) {
      const { client, order } = await standingRefund(context);
      const unknown = alteredId(order.orderId);
      // The platform's ids may keep rules that only it knows, such as a check digit: a made-up one may be malformed.
      const status = [404, 400];
      const what = 'a refund of an order that does not exist';
      await expectRefundRefused(client, refundRequest(context, unknown), what, { status });
      const refusal = { status, requirement: 'refunds.errors.malformed-order-id' } as const;
      for (const length of [65, 300]) {
        const long = refundRequest(context, unknown.padEnd(length, '0'));
        await expectRefundRefused(client, long, `${what}, under an id of ${length} characters`, refusal);
      }
      await sideBySide(
        hostileIds.map((id) => {
          const impossible = refundRequest(context, id);
          return expectRefundRefused(client, impossible, `${what}, under the id ${printed(id)}`, refusal);
        }),
      );
    },
  },
  {
    id: 'refunds.create.other-merchant',
    title: "A merchant cannot refund another merchant's order, and is answered as if there were none",
    requirements: ['refunds.create.other-merchant', 'refunds.errors.order-not-found', 'refunds.errors.refused'],
    needs: ['paid-order', 'other-merchant'],
    async run(context) {
      const { client: owner } = await standingRefund(context);
      const stranger = await context.merchant('other');
      const other = refundsClient(context, stranger);
      const { orderId } = await foreignOrder(context, stranger, () => unrefundedOrder(context));
      const request = refundRequest(context, orderId);
      const refusal = { status: 404, requirement: 'refunds.errors.order-not-found' } as const;
      await expectRefundRefused(other, request, "a refund of another merchant's order", refusal);
      const ofOwner = await owner.query({ acquiringOrderId: orderId });
      expectRefused(ofOwner, 'a query for a refund of the order', 'refunds.errors.refused');
    },
  },
  {
    id: 'refunds.create.late-payment',
    title: 'An order whose payment was confirmed after its expiry is refunded as any other',
    requirements: ['refunds.create.accepted', 'refunds.create.completed-payments'],
    needs: ['order-events', 'own-merchant', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const order = await makeOrder(context, merchant, soon(context));
      await context.orderEvent(merchant, order.orderId, { type: 'transaction_detected' });
      await passSoon(context, merchant);
      const paid = await letHappen(context, order, [confirmed]);
      if (statusOf(paid) === 'FAILED') {
        throw new PermittedChoice(
          'a payment fails by time alone soon after the expiry (open point processing-timeout)',
        );
      }
      if (statusOf(paid) !== 'SUCCEEDED') throw new Inconclusive('a payment could not be confirmed after the expiry');
      const answer = await refundsClient(context, merchant).create(refundRequest(context, order.orderId));
      expectAccepted(answer, 'a refund of an order whose payment was confirmed after its expiry');
    },
  },
  {
    id: 'refunds.create.same-merchant-order-id',
    title:
      'A refund is one of the order that its request names, also where an order of the other product, or of another merchant, has its merchantOrderId',
    requirements: ['refunds.create.accepted', 'refunds.record.references'],
    needs: ['order-events', 'own-merchant'],
    async run(context) {
      const [merchant, stranger] = [await context.ownMerchant(), await context.ownMerchant()];
      const judged = await sideBySide([
        expectNamesakesRefunded(context, { make: makeOrder, merchant }, { make: makeOrder, merchant: stranger }),
        ...(context.has('checkout')
          ? [
              expectNamesakesRefunded(context, { make: makeCheckoutOrder, merchant }, { make: makeOrder, merchant }),
              // A namesake that was made later, and which nobody has paid, is no reason to refuse.
              expectNamesakesRefunded(
                context,
                { make: makeOrder, merchant },
                { make: makeCheckoutOrder, merchant, unpaid: true },
              ),
              expectNamesakesRefunded(
                context,
                { make: makeCheckoutOrder, merchant },
                { make: makeCheckoutOrder, merchant: stranger },
              ),
            ]
          : []),
      ]);
      if (!judged.includes(true)) {
        throw new PermittedChoice('two orders under one id are not taken here (open point id-namespaces)');
      }
    },
  },
  {
    id: 'refunds.create.checkout-orders',
    title: 'Whether a checkout order can be refunded',
    requirements: ['refunds.create.checkout-orders'],
    needs: ['order-events'],
    async run(context) {
      if (!context.has('checkout')) throw new NotApplicable('the target has no checkout orders');
      await makeRefund(context, await context.merchant());
      const { merchant, orderId } = await makeCheckoutOrderIn(context, 'SUCCEEDED');
      const answer = await refundsClient(context, merchant).create(refundRequest(context, orderId));
      context.observeIn(answer, 'refund-checkout-orders', summary(answer), isAccepted(answer) ? 'allowed' : 'refused');
    },
  },
];
