import { makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import type { Product } from '../../arrange/orders/any-order.ts';
import type { OrderCreateRequest } from '../../arrange/orders/client.ts';
import { type MadeOrder, makeOrder } from '../../arrange/orders/orders.ts';
import { confirmed } from '../../arrange/orders/payments.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import {
  bringRefundTo,
  businessError,
  expectRefundRefused,
  makeRefund,
  refundRequest,
} from '../../arrange/refunds/refunds.ts';
import { ifTaken, letHappen, needEnd, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectRefused, statusOf } from '../../check/expect.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { instantOf } from '../../contract/moments.ts';
import type { Credentials, OrderStep } from '../../drivers/driver.ts';
import { Inconclusive, PermittedChoice } from '../../errors/outcomes.ts';
import { field } from '../../wire/exchange.ts';

/** Every refund period is over after so many years. */
const years = 10;
const [hour, day, year] = [3600, 86_400, 366 * 86_400];

/** For how long the payment of an order is under way that is confirmed long after its expiry, in seconds. */
const underWay = 100 * day;

const detected: OrderStep = { type: 'transaction_detected' };

/** Hosted orders that are paid long after they were made. */
const latePayments: readonly { words: string; changes: Partial<OrderCreateRequest>; payment: OrderStep }[] = [
  { words: 'in USDT', changes: {}, payment: detected },
  { words: 'in USD', changes: { orderAmount: { value: '9.50', currency: 'USD' } }, payment: detected },
  { words: 'from an exchange', changes: {}, payment: { ...detected, paymentMethod: 'EXCHANGE_ONE' } },
];

/** A paid order, and what happens to it when the refund period is over. */
interface LongPaid {
  merchant: Credentials;
  orderId: string;
  afterwards?: () => Promise<unknown>;
}

/** Makes an order of a kind. `isLate`: it is refunded when the refund period is over, and otherwise at once. */
type MakeOfKind = (context: CheckContext, merchant: Credentials, isLate: boolean) => Promise<LongPaid>;

/** Kinds of orders beside the usual one: how one is made, and how it is paid. */
const kinds: Readonly<Record<string, MakeOfKind>> = {
  'a checkout order': async (context, merchant) => {
    const order = await makeCheckoutOrder(context, merchant);
    await needEnd(context, order, [detected, confirmed], 'SUCCEEDED');
    return order;
  },
  'an order priced in USD': (context, merchant) =>
    makePaidOrder(context, merchant, { orderAmount: { value: '9.50', currency: 'USD' } }),
  'an order paid from an exchange': async (context, merchant) => {
    const order = await makeOrder(context, merchant);
    await needEnd(context, order, [{ ...detected, paymentMethod: 'EXCHANGE_ONE' }, confirmed], 'SUCCEEDED');
    return order;
  },
  'an order whose first refund has FAILED': async (context, merchant) => {
    const refund = await makeRefund(context, merchant);
    await bringRefundTo(context, refund, 'FAILED');
    return refund.order;
  },
  'an order whose first refund has just FAILED': async (context, merchant, isLate) => {
    const refund = await makeRefund(context, merchant);
    const fail = () => bringRefundTo(context, refund, 'FAILED');
    // It may have ended by itself long before.
    if (isLate) return { ...refund.order, afterwards: () => ifTaken(fail()) };
    await fail();
    return refund.order;
  },
};

/** Whether a run can make an order of each kind. */
const canMake: Readonly<Record<string, (context: CheckContext) => boolean>> = {
  'a checkout order': (context) => context.has('checkout'),
  'an order whose first refund has FAILED': (context) => context.has('refund-events'),
  'an order whose first refund has just FAILED': (context) => context.has('refund-events'),
};

/** Fails unless the refund period of a kind of orders ends. False where such an order cannot be refunded at all. */
async function expectEnd(context: CheckContext, kind: string): Promise<boolean> {
  const make = kinds[kind];
  const merchant = await context.ownMerchant();
  const made = make && (await ifTaken(Promise.all([make(context, merchant, false), make(context, merchant, true)])));
  const refund =
    made && (await ifTaken(makeRefund(context, merchant, { order: { merchant, orderId: made[0].orderId } })));
  if (!refund) return false;
  await context.advanceClock(merchant, years * year);
  await made[1].afterwards?.();
  const what = `a refund of ${kind} ${years} years after its payment`;
  await expectRefundRefused(refund.client, refundRequest(context, made[1].orderId), what, {
    ...businessError,
    code: errorCode('refunds', 'REFUND_PERIOD_EXPIRED'),
  });
  return true;
}

/** An order that lives long, and after how many seconds it is to be paid. How far away an expiry may be is not said. */
async function longLived(
  context: CheckContext,
  merchant: Credentials,
  changes: Partial<OrderCreateRequest> = {},
): Promise<{ order: MadeOrder; after: number }> {
  for (const after of [years * year, 22 * hour]) {
    const expiresAt = new Date(context.now() + (after + hour) * 1000).toISOString();
    const order = await ifTaken(makeOrder(context, merchant, { ...changes, expiresAt }));
    if (order) return { order, after };
  }
  throw new PermittedChoice('orders may not live for a day here (open point orders-expiry-past)');
}

/**
 * Fails unless an order that was confirmed long after its expiry can be refunded just after that, where the target calls that the time of its
 * payment. A platform may give up on such a payment, or call it paid when it was detected.
 */
async function expectPeriodFromConfirmation(context: CheckContext, product: Product): Promise<void> {
  const merchant = await context.ownMerchant();
  const expiresAt = new Date(context.now() + hour * 1000).toISOString();
  const make = product === 'orders' ? makeOrder : makeCheckoutOrder;
  const order = await make(context, merchant, { expiresAt });
  await context.orderEvent(merchant, order.orderId, detected);
  await context.advanceClock(merchant, underWay);
  const ended = await letHappen(context, order, [confirmed]);
  const paidAt = String(field(ended, 'data.paidAt'));
  const isPaidNow = instantOf(paidAt) > context.now() + (underWay - hour) * 1000;
  if (statusOf(ended) !== 'SUCCEEDED' || !isPaidNow) return;
  const what = `a refund just after the payment of an order, at ${paidAt}, which was to expire at ${expiresAt}`;
  const paid = { merchant, orderId: order.orderId };
  await makeRefund(context, merchant, { order: paid }, (created) => expectAccepted(created, what));
}

/** The same of a checkout order, where one that has just been made and paid can be refunded. */
async function expectPeriodOfCheckoutOrder(context: CheckContext): Promise<void> {
  const merchant = await context.ownMerchant();
  const isRefundable = async () => {
    const young = await makeCheckoutOrder(context, merchant);
    await letHappen(context, young, [detected, confirmed]);
    return makeRefund(context, merchant, { order: { merchant, orderId: young.orderId } });
  };
  if (await ifTaken(isRefundable())) await expectPeriodFromConfirmation(context, 'checkout');
}

/**
 * How many days after the payment of orders refunds are asked for, in this order. A count of days in 7 or 8 bits, of minutes or hours in 16 bits, and
 * of milliseconds in 32 bits begins again just before one of them, and so do the days of a year.
 */
const daysAfterPayment = [32, 47, 53, 100, 130, 258, 300, 368, 520, 734, 1000, 2732, years * 366];

/**
 * Fails where a refund is accepted after another one was refused because the period was over, of an order that was paid at the same time. How long
 * the period is, and when it ends between two moments, is open.
 */
async function expectStaysOver(context: CheckContext): Promise<void> {
  const merchant = await context.ownMerchant();
  const client = refundsClient(context, merchant);
  const paid = await sideBySide(daysAfterPayment.map(() => makePaidOrder(context, merchant)));
  let over: { orderId: string; days: number } | undefined;
  let passed = 0;
  for (const [index, days] of daysAfterPayment.entries()) {
    await context.advanceClock(merchant, (days - passed) * day);
    passed = days;
    // The order that was refused first is asked for at last, because a platform may remember of each order that its period is over.
    for (const orderId of [paid[index]?.orderId, index === paid.length - 1 ? over?.orderId : undefined]) {
      if (orderId === undefined) continue;
      const answer = await client.create(refundRequest(context, orderId));
      if (over) {
        const what = `a refund ${days} days after the payment, where one ${over.days} days after it was refused with REFUND_PERIOD_EXPIRED`;
        expectRefused(answer, what, 'refunds.errors.period-expired');
      } else if (field(answer, 'code') === errorCode('refunds', 'REFUND_PERIOD_EXPIRED')) over = { orderId, days };
    }
  }
}

export const refundsPeriodChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.errors.period-expired.from-payment',
    mayCall: ['checkout'],
    long: true,
    title: `An order that is paid ${years} years after it was made, or as late as its platform lets it live, can be refunded then, and one that was paid at once cannot`,
    requirements: [
      'refunds.errors.period-from-payment',
      'refunds.errors.period-expired',
      'refunds.errors.business',
      'refunds.errors.refused',
    ],
    needs: ['order-events', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const { order: early, after } = await longLived(context, merchant);
      const late = await Promise.all(
        latePayments.map(async ({ changes, payment, words }) => {
          const { order } = await longLived(context, merchant, changes);
          return { order, payment, words };
        }),
      );
      await letHappen(context, early, [detected, confirmed]);
      await expectPeriodFromConfirmation(context, 'orders');
      if (context.has('checkout')) await expectPeriodOfCheckoutOrder(context);
      const { client } = await makeRefund(context, merchant);
      await context.advanceClock(merchant, after);
      await sideBySide(
        late.map(async ({ order, payment, words }) => {
          const ended = await letHappen(context, order, [payment, confirmed]);
          if (statusOf(ended) !== 'SUCCEEDED') throw new Inconclusive(`an order ${words} was not paid`);
          const what = `a refund just after the payment of an order ${words} that was made ${after} s before`;
          const paid = { merchant, orderId: order.orderId };
          await makeRefund(context, merchant, { order: paid }, (created) => expectAccepted(created, what));
        }),
      );
      if (after < years * year) return;
      const what = `a refund ${years} years after the payment of an order that expires only now`;
      await expectRefundRefused(client, refundRequest(context, early.orderId), what, {
        ...businessError,
        code: errorCode('refunds', 'REFUND_PERIOD_EXPIRED'),
      });
    },
  },
  {
    id: 'refunds.errors.period-expired.every-order',
    mayCall: ['checkout'],
    title: `Orders of each kind that were paid ${years} years before are refused a refund with REFUND_PERIOD_EXPIRED`,
    requirements: ['refunds.errors.period-expired', 'refunds.errors.business', 'refunds.errors.refused'],
    needs: ['order-events', 'clock'],
    async run(context) {
      const names = Object.keys(kinds).filter((kind) => canMake[kind]?.(context) ?? true);
      const judged = await sideBySide(names.map((kind) => expectEnd(context, kind)));
      if (!judged.includes(true)) throw new PermittedChoice('only hosted orders in USDT can be refunded here');
    },
  },
  {
    id: 'refunds.errors.period-expired.stays-over',
    title:
      'Of orders that were paid at the same time none can be refunded after one of them was too late for it, up to ten years later',
    requirements: ['refunds.errors.period-expired'],
    needs: ['order-events', 'clock'],
    run: expectStaysOver,
  },
];
