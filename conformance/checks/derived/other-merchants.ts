import { checkoutMerchant, checkoutRequest } from '../../arrange/checkout-orders/checkout-orders.ts';
import { makePaidCheckoutOrder } from '../../arrange/checkout-orders/paid-orders.ts';
import { type AnyMadeOrder, orderStates, type Product } from '../../arrange/orders/any-order.ts';
import { ordersClient } from '../../arrange/orders/client.ts';
import { orderRequest } from '../../arrange/orders/orders.ts';
import { bringAnyOrderTo, checkoutOrders, hostedOrders } from '../../arrange/products.ts';
import { type RefundQuery, refundsClient } from '../../arrange/refunds/client.ts';
import { foreignOrder } from '../../arrange/refunds/foreign-orders.ts';
import type { PaidOrder } from '../../arrange/refunds/paid-order.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import {
  bringRefundTo,
  expectRefundRefused,
  makeRefund,
  type ReachableRefundState,
  refundRequest,
  refundStates,
} from '../../arrange/refunds/refunds.ts';
import { ifTaken, sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAccepted,
  expectField,
  expectNothingOf,
  expectRefused,
  isAccepted,
  needAccepted,
  statusOf,
} from '../../check/expect.ts';
import type { Credentials } from '../../drivers/driver.ts';
import type { Answer } from '../../wire/exchange.ts';

// What a merchant has is not there for another one, whatever has become of it.

/** In milliseconds. */
const hour = 3_600_000;

/** Sends the create of another merchant under the id of an order. */
type CreateUnder = (merchantOrderId: string, changes?: { expiresAt: string }) => Promise<Answer>;

/** A hosted order of another merchant, or a refusal: whether merchants share a namespace is open. Nothing is shown of the first one's. */
async function expectNothingShown(order: AnyMadeOrder, create: CreateUnder, merchantOrderId: string): Promise<void> {
  const answer = await create(merchantOrderId);
  expectNothingOf(answer, [order.orderId], [merchantOrderId], 'order', 'orders.create.other-merchant');
}

/** A checkout order of another merchant is one of its own. */
async function expectOwn(order: AnyMadeOrder, create: CreateUnder, merchantOrderId: string, other: Credentials) {
  const answer = await create(merchantOrderId);
  expectAccepted(answer, "a create under a merchantOrderId of another merchant's", 'checkout.create.other-merchant');
  expectField(answer, 'data.merchantId', other.merchantId, 'checkout.create.other-merchant');
  expectNothingOf(answer, [order.orderId], [merchantOrderId], 'order', 'checkout.create.other-merchant');
}

/** What one product has of its own here. */
interface Arranged {
  /** Makes sure that a merchant can make orders, and returns its create under an id. */
  creating(context: CheckContext, merchant: Credentials): Promise<CreateUnder>;
  expectCreated: typeof expectOwn;
}

const arranged: Readonly<Record<Product, Arranged>> = {
  orders: {
    creating: async (context, merchant) => {
      const { create } = ordersClient(context, merchant);
      needAccepted(await create(orderRequest(context)), "another merchant's ordinary create");
      return (merchantOrderId, changes) => create(orderRequest(context, { merchantOrderId, ...changes }));
    },
    expectCreated: expectNothingShown,
  },
  checkout: {
    creating: async (context, merchant) => {
      const { client, method } = await checkoutMerchant(context, merchant);
      needAccepted(await client.create(checkoutRequest(context, method)), "another merchant's ordinary create");
      return (merchantOrderId, changes) =>
        client.create(checkoutRequest(context, method, { merchantOrderId, ...changes }));
    },
    expectCreated: expectOwn,
  },
};

const ordersCheck = ({ product, noun, client, make }: typeof hostedOrders): CheckDeclaration => ({
  id: `${product}.other-merchant.each-state`,
  title: `A merchant's ${noun} in any state is neither found nor shown nor changed under its ids by another merchant`,
  requirements: [`${product}.query.other-merchant`, `${product}.create.other-merchant`],
  needs: ['order-events', 'other-merchant'],
  async run(context) {
    const [owner, other] = [await context.merchant(), await context.merchant('other')];
    const { creating, expectCreated } = arranged[product];
    const create = await creating(context, other);
    const { query } = client(context, other);
    await sideBySide(
      orderStates.map(async (state) => {
        const order = await make(context, owner);
        await whereReached(bringAnyOrderTo(context, order, state));
        const { merchantOrderId } = order.request;
        const status = statusOf(await order.query());
        const what = `a query for another merchant's ${noun} that is ${String(status)}`;
        expectRefused(await query(merchantOrderId), what, `${product}.query.other-merchant`);
        // The other merchant may have an order of its own that the platform counts alike.
        const answer = await query(order.orderId);
        expectNothingOf(answer, [merchantOrderId], [order.orderId], 'order', `${product}.query.other-merchant`);
        await expectCreated(order, create, merchantOrderId, other);
        const still = await order.query();
        expectField(still, 'data.orderId', order.orderId, `${product}.create.other-merchant`);
        expectField(still, 'data.status', status, `${product}.create.other-merchant`);
        // A create that is refused shows nothing of it either. A hosted order may be made that expires at once, and is then one of the other
        // merchant's own.
        const hidden = await make(context, owner);
        await whereReached(bringAnyOrderTo(context, hidden, state));
        const id = hidden.request.merchantOrderId;
        const late = await create(id, { expiresAt: new Date(context.now() - hour).toISOString() });
        expectNothingOf(late, [hidden.orderId], [id], 'order', `${product}.create.other-merchant`);
      }),
    );
  },
});

/** What a merchant's refund in a state shows another merchant that knows its ids: nothing. */
async function expectHiddenRefund(
  context: CheckContext,
  owner: Credentials,
  other: Credentials,
  state: ReachableRefundState,
  makePaid: () => Promise<PaidOrder> = () => makePaidOrder(context, owner),
): Promise<void> {
  const client = refundsClient(context, other);
  const order = await foreignOrder(context, other, makePaid);
  const refund = await makeRefund(context, owner, { order });
  await whereReached(bringRefundTo(context, refund, state));
  const { refundOrderId, request } = refund;
  const { merchantRefundOrderId, acquiringOrderId } = request;
  const status = statusOf(await refund.query());
  const theirs = `another merchant's refund that is ${String(status)}`;
  for (const by of [{ merchantRefundOrderId }, { acquiringOrderId }]) {
    expectRefused(await client.query(by), `a query for ${theirs}`, 'refunds.query.other-merchant');
  }
  // A query for several refunds may look for them in another way, and one id that it does not find may keep it from showing what it finds.
  for (const id of [merchantRefundOrderId, refundOrderId]) {
    const hidden = [merchantRefundOrderId, refundOrderId, acquiringOrderId].filter((each) => each !== id);
    const answer = await client.batchQuery([id]);
    expectNothingOf(answer, hidden, [id], 'refund', 'refunds.batch-query.other-merchant');
  }
  const asked = refundRequest(context, acquiringOrderId);
  const ofOrder = `a refund of the order of ${theirs}`;
  await expectRefundRefused(client, asked, ofOrder, { status: 404, requirement: 'refunds.errors.order-not-found' });
  const { url: notifyUrl } = await context.mailbox();
  const texts = { notifyUrl, refundReason: 'Returned', extraData: '{"of":"another"}' };
  // The id may be taken for every merchant, or the order unknown.
  const alike = await client.create({ ...asked, merchantRefundOrderId, ...texts });
  expectNothingOf(alike, [refundOrderId], [merchantRefundOrderId, acquiringOrderId], 'refund', 'general.isolation');
  expectRefused(alike, `${ofOrder} under its id, with every field`, 'refunds.create.other-merchant');

  const own = await makePaidOrder(context, other);
  const created = await client.create(refundRequest(context, own.orderId, { merchantRefundOrderId }));
  expectNothingOf(created, [refundOrderId, acquiringOrderId], [merchantRefundOrderId], 'refund', 'general.isolation');
  if (isAccepted(created)) expectField(created, 'data.acquiringOrderId', own.orderId, 'refunds.create.idempotent');
  const still = await refund.query();
  expectField(still, 'data.acquiringOrderId', acquiringOrderId, 'refunds.create.idempotent');
  expectField(still, 'data.status', status, 'refunds.create.idempotent');
}

/**
 * What a merchant's order with two refunds shows merchants that know their ids: nothing. The first refund came to nothing, and the second one
 * is in a state. One of the merchants has refunds of its own, and one may have none.
 */
async function expectBothHidden(
  context: CheckContext,
  owner: Credentials,
  others: readonly [Credentials, ...Credentials[]],
  state: ReachableRefundState,
): Promise<void> {
  const order = await foreignOrder(context, others[0], () => makePaidOrder(context, owner));
  const first = await makeRefund(context, owner, { order });
  await bringRefundTo(context, first, 'FAILED');
  const second = await makeRefund(context, owner, { order });
  await whereReached(bringRefundTo(context, second, state));
  const refunds = [first, second];
  const ids = refunds.map(({ request }) => request.merchantRefundOrderId);
  const platformIds = refunds.map(({ refundOrderId }) => refundOrderId);
  const acquiringOrderId = order.orderId;
  const what = `a query for another merchant's order that was refunded twice, the second refund being ${state}`;
  for (const other of others) {
    const client = refundsClient(context, other);
    const queries: readonly RefundQuery[] = [
      { acquiringOrderId },
      ...ids.flatMap((merchantRefundOrderId) => [
        { merchantRefundOrderId },
        { merchantRefundOrderId, acquiringOrderId },
      ]),
    ];
    for (const query of queries) expectRefused(await client.query(query), what, 'refunds.query.other-merchant');
    for (const refundOrderId of platformIds) {
      // The other merchant may have a refund of its own that the platform counts alike.
      const answer = await client.query({ refundOrderId });
      const hidden = [...ids, acquiringOrderId];
      expectNothingOf(answer, hidden, [refundOrderId], 'refund', 'refunds.query.other-merchant');
    }
    const hidden = [...platformIds, acquiringOrderId];
    expectNothingOf(await client.batchQuery(ids), hidden, ids, 'refund', 'refunds.batch-query.other-merchant');
  }
}

const refundsCheck: CheckDeclaration = {
  id: 'refunds.other-merchant.each-state',
  mayCall: ['checkout'],
  title:
    "A merchant's refund in any state is neither found nor shown nor changed by another merchant, nor is its order",
  requirements: [
    'refunds.create.other-merchant',
    'refunds.query.other-merchant',
    'refunds.batch-query.other-merchant',
    'refunds.errors.order-not-found',
    'refunds.errors.refused',
    'refunds.create.idempotent',
    'general.isolation',
  ],
  needs: ['order-events', 'refund-events', 'other-merchant'],
  async run(context) {
    const [owner, other] = [await context.merchant(), await context.merchant('other')];
    needAccepted((await makeRefund(context, other)).created, "another merchant's ordinary refund");
    const ofCheckout = () => makePaidCheckoutOrder(context, owner, 'USDT');
    const withoutRefunds = context.has('own-merchant') ? [await context.ownMerchant()] : [];
    await sideBySide([
      ...refundStates.map((state) => expectHiddenRefund(context, owner, other, state)),
      // Whether an order is refunded a second time is open, and whether the ids of orders count on over merchants.
      ...refundStates.map((state) =>
        whereReached(ifTaken(expectBothHidden(context, owner, [other, ...withoutRefunds], state))),
      ),
      // Whether checkout orders are refunded is open.
      ...(context.has('checkout')
        ? [whereReached(ifTaken(expectHiddenRefund(context, owner, other, 'PENDING', ofCheckout)))]
        : []),
    ]);
  },
};

const refundedOrdersCheck: CheckDeclaration = {
  id: 'refunds.create.other-merchant.each-state',
  mayCall: ['checkout'],
  title:
    "A refund of another merchant's order is refused as one of an order that does not exist, in each of its states",
  requirements: ['refunds.errors.order-not-found', 'refunds.create.other-merchant', 'refunds.errors.refused'],
  needs: ['order-events', 'other-merchant'],
  async run(context) {
    const [owner, other] = [await context.merchant(), await context.merchant('other')];
    const client = refundsClient(context, other);
    needAccepted((await makeRefund(context, other)).created, "another merchant's ordinary refund");
    const products = [hostedOrders, checkoutOrders].filter(({ product }) => context.has(product));
    await sideBySide(
      products.flatMap(({ product, noun, make }) =>
        orderStates.map(async (state) => {
          const order = await foreignOrder(context, other, async () => {
            const made = await make(context, owner);
            await whereReached(bringAnyOrderTo(context, made, state));
            return made;
          });
          const what = `a refund of another merchant's ${noun} that was brought to ${state}`;
          // Where no checkout order can be refunded, its id may be one that cannot exist.
          const status = product === 'checkout' ? [404, 400] : 404;
          await expectRefundRefused(client, refundRequest(context, order.orderId), what, { status });
        }),
      ),
    );
  },
};

export const otherMerchantChecks: readonly CheckDeclaration[] = [
  ordersCheck(hostedOrders),
  ordersCheck(checkoutOrders),
  refundsCheck,
  refundedOrdersCheck,
];
