import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import { bringCheckoutOrderTo, makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { bringOrderTo, unlessUnexpired } from '../../arrange/orders/any-order.ts';
import { type MadeOrder, makeOrder } from '../../arrange/orders/orders.ts';
import { confirmed, overpaid } from '../../arrange/orders/payments.ts';
import { checkoutOrders, hostedOrders } from '../../arrange/products.ts';
import { awkwardExtraData } from '../../arrange/refunds/fixtures.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { bringRefundTo, type MadeRefund, makeRefund, refundStates } from '../../arrange/refunds/refunds.ts';
import { means } from '../../arrange/situations/means.ts';
import { ifTaken, letHappen, sideBySide, unpaidEnds, whereReached } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectField, expectRefused, expectThat, isTaken } from '../../check/expect.ts';
import { isObject } from '../../contract/json.ts';
import type { Credentials, OrderStep } from '../../drivers/driver.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { repeatOfCheckoutOrder, repeatOfRefund } from '../support/repeated-creates.ts';

/** Longer than anything is kept that is kept for weeks, for a quarter of a year or for a year; in seconds. */
const months = 400 * 86_400;
/** Longer than books are kept in many countries, and beyond the last moment of clocks that count seconds in 32 bits, in 2038; in seconds. */
const years = 13 * 366 * 86_400;
const hour = 3600;

const when = '400 days later';

/** The platform's id of what an answer shows. */
const idIn = (answer: Answer) => field(answer, 'data.orderId');

/** Makes a hosted order that was paid, and lets months pass after a `look` at it. */
async function oldOrder(context: CheckContext, look?: (order: MadeOrder) => Promise<void>): Promise<MadeOrder> {
  const order = await makeOrder(context, await context.ownMerchant());
  await bringOrderTo(context, order, 'SUCCEEDED');
  await look?.(order);
  await context.advanceClock(order.merchant, months);
  return order;
}

/** Fails where another merchant is shown the order that has one of these ids. */
async function expectHidden(
  context: CheckContext,
  product: 'orders' | 'checkout',
  [ownId, orderId]: readonly [ownId: string, orderId: string],
): Promise<void> {
  if (!context.has('other-merchant')) return;
  const { client } = product === 'orders' ? hostedOrders : checkoutOrders;
  const other = client(context, await context.merchant('other'));
  for (const id of [ownId, orderId]) {
    const answer = await other.query(id);
    // Two merchants may each have an order with the same platform id.
    if (field(answer, 'data.merchantId') === other.merchant.merchantId) continue;
    expectRefused(answer, `a query for another merchant's order, ${when}`, `${product}.query.other-merchant`);
  }
}

/** Makes a refund of a checkout order that was paid. `undefined`: such orders are not refunded here. */
async function refundOfCheckoutOrder(context: CheckContext, merchant: Credentials): Promise<MadeRefund | undefined> {
  const order = await makeCheckoutOrder(context, merchant);
  await bringCheckoutOrderTo(context, order, 'SUCCEEDED');
  const { orderId } = order;
  return ifTaken(makeRefund(context, merchant, { order: { merchant, orderId }, extraData: awkwardExtraData }));
}

/** Asks for a refund by each of its ids and in a batch. */
async function expectFound({ client, request, refundOrderId, order }: MadeRefund): Promise<void> {
  const { merchantRefundOrderId } = request;
  const asked = [
    [{ refundOrderId }, 'refunds.query.by-refund-order-id'],
    [{ merchantRefundOrderId }, 'refunds.query.by-merchant-refund-order-id'],
    [{ acquiringOrderId: order.orderId }, 'refunds.query.by-acquiring-order-id'],
  ] as const;
  await sideBySide(
    asked.map(async ([by, requirement]) => {
      const answer = await client.query(by);
      expectAccepted(answer, `a query for the refund by ${Object.keys(by).join()}, ${when}`, requirement);
    }),
  );
  const batch = await client.batchQuery([merchantRefundOrderId]);
  const shown = field(batch, 'data');
  const isShown = Array.isArray(shown) && shown.some((each) => isObject(each) && each.refundOrderId === refundOrderId);
  expectThat(isShown, batch, {
    expected: `the refund ${refundOrderId} in the answer to a batch query, ${when}`,
    actual: 'the answer does not show it',
    requirement: 'refunds.batch-query.known',
  });
}

/**
 * Looks at what was made, and again months and years later. Fails where it is not found after months. The rules over the whole run see whether
 * it is still what it was.
 */
async function lookNowAndLater(
  context: CheckContext,
  merchant: Credentials,
  made: readonly { query(): Promise<Answer> }[],
  requirement: RequirementId,
): Promise<void> {
  await sideBySide(made.map(({ query }) => query()));
  await context.advanceClock(merchant, months);
  await sideBySide(
    made.map(async ({ query }) => expectAccepted(await query(), `a query for what was made, ${when}`, requirement)),
  );
  await context.advanceClock(merchant, years);
  await sideBySide(made.map(({ query }) => query()));
}

/** What the orders here cost, and more than that, as decimal text: with as many places as every stablecoin has, which a view of cents lacks. */
const [price, tooMuch] = ['9.504321', '12.754321'];

/** What an archive that keeps less than the books would shorten, round or write in another way. A target may refuse so many places. */
const hardToKeep = {
  orderAmount: { value: '9.504321098765432109', currency: 'USDT' },
  description: 'Zwölf Bücher “für” Łódź, 東京 & Αθήνα 📚 — '.repeat(3).trim(),
  metadata: '{"note":"  ñ 中 🧾 \\u00e9 ","large":12345678901234567890,"zeros":"1.0"}',
} as const;

const paidExactly: readonly OrderStep[] = [{ type: 'transaction_detected' }, confirmed];

const situations: readonly CheckDeclaration[] = [
  {
    id: 'orders.situations.months-later',
    title:
      'Orders that were paid exactly and too much in every way, or not paid, are asked for when they end, months later and years later, and one is made then',
    requirements: ['orders.create.accepted', 'orders.query.by-merchant-order-id'],
    needs: ['order-events', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant({ usdRate: '1' });
      const ways = [
        ...means.flatMap(({ currency, pay }) =>
          [undefined, tooMuch].map((amount) => ({ currency, steps: [pay(context, amount), confirmed] })),
        ),
        ...Object.values(unpaidEnds).map((steps) => ({ currency: 'USDT' as const, steps })),
      ];
      const orders = await sideBySide(
        ways.map(async ({ currency, steps }) => {
          const order = await makeOrder(context, merchant, { orderAmount: { value: price, currency } }, expectAccepted);
          await letHappen(context, order, steps);
          return order;
        }),
      );
      const exact = await ifTaken(makeOrder(context, merchant, hardToKeep));
      const made = exact ? [...orders, exact] : orders;
      await lookNowAndLater(context, merchant, made, 'orders.query.by-merchant-order-id');
      const late = await makeOrder(context, merchant, {}, expectAccepted);
      await letHappen(context, late, paidExactly);
    },
  },
  {
    id: 'checkout.situations.months-later',
    title:
      'Checkout orders that were paid exactly and too much, or not paid, are asked for when they end, months later and years later, and one is made then',
    requirements: ['checkout.create.accepted', 'checkout.query.by-merchant-order-id'],
    needs: ['order-events', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const ways = [paidExactly, [overpaid, confirmed], ...Object.values(unpaidEnds)];
      const orders = await sideBySide(
        ways.map(async (steps) => {
          const order = await makeCheckoutOrder(context, merchant, {}, expectAccepted);
          await letHappen(context, order, steps);
          return order;
        }),
      );
      const { description, metadata } = hardToKeep;
      const worded = await ifTaken(makeCheckoutOrder(context, merchant, { description, metadata }));
      const made = worded ? [...orders, worded] : orders;
      const unpaid = await makeCheckoutOrder(context, merchant);
      await lookNowAndLater(context, merchant, made, 'checkout.query.by-merchant-order-id');
      await unlessUnexpired([unpaid], async () => {
        const late = await makeCheckoutOrder(context, merchant, {}, expectAccepted);
        await letHappen(context, late, paidExactly);
      });
    },
  },
  {
    id: 'refunds.situations.months-later',
    title:
      'Refunds in every state are asked for when they come to it, months later and years later, and one is made then',
    requirements: ['refunds.create.accepted', 'refunds.query.by-refund-order-id'],
    needs: ['order-events', 'refund-events', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const refunds = await sideBySide(
        refundStates.map(async (state) => {
          const order = await makePaidOrder(context, merchant, { orderAmount: { value: price, currency: 'USDT' } });
          const refund = await makeRefund(context, merchant, { order }, expectAccepted);
          await whereReached(bringRefundTo(context, refund, state));
          return refund;
        }),
      );
      const { orderAmount } = hardToKeep;
      const exactOrder = await ifTaken(makePaidOrder(context, merchant, { orderAmount }));
      const exact = exactOrder && (await ifTaken(makeRefund(context, merchant, { order: exactOrder })));
      const made = exact ? [...refunds, exact] : refunds;
      await lookNowAndLater(context, merchant, made, 'refunds.query.by-refund-order-id');
      const order = await makePaidOrder(context, merchant);
      const late = await makeRefund(context, merchant, { order }, expectAccepted);
      await whereReached(bringRefundTo(context, late, 'SUCCEEDED'));
      await late.query();
    },
  },
];

/** What was made is found as long as it is asked for, and an id is not free again. */
export const monthsLaterChecks: readonly CheckDeclaration[] = [
  ...situations,
  {
    id: 'orders.query.months-later',
    title: 'An order that was paid is found by its merchantOrderId months later',
    requirements: ['orders.query.by-merchant-order-id', 'orders.query.other-merchant'],
    needs: ['order-events', 'clock'],
    async run(context) {
      const { request, client, orderId } = await oldOrder(context);
      const answer = await client.query(request.merchantOrderId);
      expectAccepted(answer, `a query for an order that was made, ${when}`);
      expectField(answer, 'data.orderId', orderId);
      await expectHidden(context, 'orders', [request.merchantOrderId, orderId]);
    },
  },
  {
    id: 'orders.query.by-order-id.months-later',
    title: "An order that was paid is found by the platform's id months later",
    requirements: ['orders.query.by-order-id'],
    needs: ['order-events', 'clock'],
    async run(context) {
      const { client, orderId } = await oldOrder(context, async (made) => {
        if (isTaken(await made.client.query(made.orderId), 'a query by platform id')) return;
        throw new PermittedChoice('orders are found by their merchantOrderId alone here (open point orders-query-id)');
      });
      const answer = await client.query(orderId);
      expectAccepted(answer, `a query for an order that was made, by the platform's id, ${when}`);
    },
  },
  {
    id: 'checkout.query.months-later',
    title: 'A checkout order that was paid is found months later, and the same create makes no second order',
    requirements: [
      'checkout.query.by-merchant-order-id',
      'checkout.create.idempotent',
      'checkout.create.repeat-same-order',
      'checkout.query.other-merchant',
    ],
    needs: ['order-events', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const order = await makeCheckoutOrder(context, merchant);
      await bringCheckoutOrderTo(context, order, 'SUCCEEDED');
      await context.advanceClock(merchant, months);
      const answer = await order.query();
      expectAccepted(answer, `a query for a checkout order that was made, ${when}`);
      expectField(answer, 'data.orderId', idIn(order.created));
      await expectHidden(context, 'checkout', [order.request.merchantOrderId, order.orderId]);
      const expiresAt = new Date(context.now() + (months + hour) * 1000).toISOString();
      await repeatOfCheckoutOrder(context, order, { expiresAt }, `the same create again, ${when}`);
    },
  },
  {
    id: 'refunds.query.months-later',
    mayCall: ['checkout'],
    title: 'A refund that SUCCEEDED is found by each of its ids months later, and the same create changes nothing',
    requirements: [
      'refunds.query.by-merchant-refund-order-id',
      'refunds.query.by-refund-order-id',
      'refunds.query.by-acquiring-order-id',
      'refunds.batch-query.known',
      'refunds.create.idempotent',
    ],
    needs: ['paid-order', 'order-events', 'refund-events', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const refund = await makeRefund(context, merchant, { extraData: awkwardExtraData });
      const ofCheckout = context.has('checkout') ? await refundOfCheckoutOrder(context, merchant) : undefined;
      const refunds = [refund, ...(ofCheckout ? [ofCheckout] : [])];
      await sideBySide(refunds.map((each) => bringRefundTo(context, each, 'SUCCEEDED')));
      await context.advanceClock(merchant, months);
      // The rules over the whole run see whether each shows what it has shown before.
      await sideBySide(refunds.map((each) => expectFound(each)));
      await sideBySide(refunds.map((each) => repeatOfRefund(context, each, {}, `the same create again, ${when}`)));
    },
  },
];
