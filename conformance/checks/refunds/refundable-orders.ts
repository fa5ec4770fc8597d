import type { OrdersState } from '../../../generated/catalogue-ids.ts';
import {
  bringCheckoutOrderTo,
  makeCheckoutOrder,
  makeCheckoutOrderIn,
} from '../../arrange/checkout-orders/checkout-orders.ts';
import { type AnyMadeOrder, bringOrderTo, orderStateNeeds, passSoon, soon } from '../../arrange/orders/any-order.ts';
import { makeOrder, orderIn } from '../../arrange/orders/orders.ts';
import { confirmed, exchanges, overpaid } from '../../arrange/orders/payments.ts';
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
import { isRefundOfOtherCheck } from '../../arrange/refunds/refunds-of-others.ts';
import { needState } from '../../arrange/requests/bring-to.ts';
import { ifTaken, isFinal, letHappen, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAccepted,
  expectField,
  expectRefused,
  expectStatus,
  isAccepted,
  isTaken,
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

const nounOf = ({ product }: AnyMadeOrder) => (product === 'checkout' ? 'a checkout order' : 'an order');

/** Whether a paid checkout order of a merchant is refunded. Where it is not, a target may answer as if there were no such order. */
async function refundsCheckoutOrders(context: CheckContext, merchant: Credentials): Promise<boolean> {
  const order = await ifTaken(makeCheckoutOrder(context, merchant));
  if (
    !order ||
    statusOf(await letHappen(context, order, [{ type: 'transaction_detected' }, confirmed])) !== 'SUCCEEDED'
  )
    return false;
  return isAccepted(await refundsClient(context, merchant).create(refundRequest(context, order.orderId)));
}

/**
 * Fails unless a refund of an order of either product without a completed payment is refused, with HTTP 400. Only where no checkout order is refunded
 * may it be HTTP 404 for one.
 */
async function expectUnpaidRefused(context: CheckContext, order: AnyMadeOrder, what: string): Promise<void> {
  const { merchant, orderId, product } = order;
  const client = refundsClient(context, merchant);
  const refusal = product === 'checkout' ? { ...businessError, status: [400, 404] } : businessError;
  const answer = await expectRefundRefused(client, refundRequest(context, orderId), what, refusal);
  // A paid one is asked for only where this makes a difference.
  if (answer.status === businessError.status || !(await refundsCheckoutOrders(context, merchant))) return;
  expectStatus(answer, 400, `${what}, where one that was paid is refunded`, 'refunds.errors.business');
}

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
  if (order) await expectUnpaidRefused(context, order, `a refund of a checkout order that is ${state}`);
}

/** Payments of hosted orders that were seen, and are not confirmed, beside the usual one. */
const earlyPayments: readonly OrderStep[] = [
  ...exchanges.map((paymentMethod): OrderStep => ({ type: 'transaction_detected', paymentMethod })),
  overpaid,
];

/** Fails unless an order whose payment was seen, by an exchange or of more than is due, and is not confirmed, is refused a refund. */
async function expectNoEarlyRefund(context: CheckContext, merchant: Credentials): Promise<void> {
  const hosted = earlyPayments.map((payment) => [makeOrder, payment] as const);
  const cases = [...hosted, ...(context.has('checkout') ? [[makeCheckoutOrder, overpaid] as const] : [])];
  await sideBySide(
    cases.map(async ([make, payment]) => {
      const order = await ifTaken<AnyMadeOrder>(make(context, merchant));
      if (!order) return;
      await context.orderEvent(merchant, order.orderId, payment);
      // A platform may take what an exchange says for confirmed.
      if (statusOf(await order.query()) !== 'PROCESSING') return;
      const paid = payment.paymentMethod === undefined ? 'paid more than is due' : `paid by ${payment.paymentMethod}`;
      await expectUnpaidRefused(context, order, `a refund of ${nounOf(order)} that is PROCESSING, ${paid}`);
    }),
  );
}

/** Fails unless orders whose time has run out before anybody paid them are refused a refund. */
async function expectExpiredRefused(context: CheckContext): Promise<void> {
  const merchant = await context.ownMerchant();
  const makes = [makeOrder, ...(context.has('checkout') ? [makeCheckoutOrder] : [])];
  const made = await sideBySide(makes.map((make) => ifTaken<AnyMadeOrder>(make(context, merchant, soon(context)))));
  const orders = made.flatMap((order) => order ?? []);
  await passSoon(context, merchant);
  await sideBySide(
    orders.map(async (order) => {
      // In which state an order ends that nobody has paid is judged elsewhere.
      const what = `a refund of ${nounOf(order)} that has expired, whose status is ${statusOf(await order.query())}`;
      await expectUnpaidRefused(context, order, what);
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
      const what = `a refund of ${nounOf(order)} that is FAILED, to which ${amount} had come (${failed?.reason})`;
      await expectUnpaidRefused(context, order, what);
    }),
  );
}

/** A check that an order of either product without a completed payment is not refunded. */
function unpaidOrder(state: (typeof unpaidStates)[number]): CheckDeclaration {
  return {
    id: `refunds.create.unpaid-order.${state.toLowerCase()}`,
    mayCall: ['checkout'],
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
      if (state === 'CLOSED' && context.has('clock') && context.has('own-merchant'))
        await expectExpiredRefused(context);
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
  const payment = [{ type: 'transaction_detected' }, confirmed] as const;
  const pay = async (order: AnyMadeOrder) =>
    needState(order.product, await letHappen(context, order, payment), 'SUCCEEDED', payment);
  await sideBySide(paid.map(pay));
  for (const order of paid) {
    const client = refundsClient(context, order.merchant);
    const created = await client.create(refundRequest(context, order.orderId));
    // Whether checkout orders are refunded is open.
    if (order.product === 'checkout' && !isTaken(created, 'a refund of a checkout order')) continue;
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
      if (isRefundOfOtherCheck(context, ofOwner, orderId)) return;
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
      const seen = await letHappen(context, order, [confirmed]);
      // Where the driver could not confirm it, a query may come to show why only later.
      const paid = isFinal(seen) ? seen : await context.poll(order.query, isFinal);
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
    mayCall: ['checkout'],
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
    mayCall: ['checkout'],
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
