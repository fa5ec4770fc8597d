import { type CurrencyCode, currencies } from '../../../generated/catalogue.ts';
import { makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { makePaidCheckoutOrder } from '../../arrange/checkout-orders/paid-orders.ts';
import type { OrderCreateRequest } from '../../arrange/orders/client.ts';
import { type MadeOrder, makeOrder } from '../../arrange/orders/orders.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import {
  bringRefundTo,
  businessError,
  expectRefundRefused,
  isInsufficient,
  makeRefund,
  refundRequest,
} from '../../arrange/refunds/refunds.ts';
import { confirmed, ifTaken, letHappen, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectField, expectRefused, isAccepted, statusOf } from '../../check/expect.ts';
import { errorCode } from '../../contract/error-codes.ts';
import type { Credentials, OrderStep } from '../../drivers/driver.ts';
import { Inconclusive, NotApplicable, PermittedChoice } from '../../errors/outcomes.ts';

/** Every refund period is over after so many years. */
const years = 10;
const year = 366 * 86_400;
const hour = 3600;

/** A balance that covers every refund of a check, and one that covers none. */
const [plenty, nothing] = ['1000000', '0'];

const detected: OrderStep = { type: 'transaction_detected' };

/** Hosted orders that are paid long after they were made. */
const latePayments: readonly { words: string; changes: Partial<OrderCreateRequest>; payment: OrderStep }[] = [
  { words: 'in USDT', changes: {}, payment: detected },
  { words: 'in USD', changes: { orderAmount: { value: '9.50', currency: 'USD' } }, payment: detected },
  { words: 'from an exchange', changes: {}, payment: { ...detected, paymentMethod: 'EXCHANGE_ONE' } },
];

/** Kinds of orders beside the usual one: how one is made, and how it is paid. */
const kinds: Readonly<
  Record<string, (context: CheckContext, merchant: Credentials) => Promise<{ merchant: Credentials; orderId: string }>>
> = {
  'a checkout order': async (context, merchant) => {
    const order = await makeCheckoutOrder(context, merchant);
    await letHappen(context, order, [detected, confirmed]);
    return order;
  },
  'an order priced in USD': (context, merchant) =>
    makePaidOrder(context, merchant, { orderAmount: { value: '9.50', currency: 'USD' } }),
  'an order paid from an exchange': async (context, merchant) => {
    const order = await makeOrder(context, merchant);
    await letHappen(context, order, [{ ...detected, paymentMethod: 'EXCHANGE_ONE' }, confirmed]);
    return order;
  },
  'an order whose first refund has FAILED': async (context, merchant) => {
    const refund = await makeRefund(context, merchant);
    await bringRefundTo(context, refund, 'FAILED');
    return refund.order;
  },
};

/** Whether a run can make an order of each kind. */
const canMake: Readonly<Record<string, (context: CheckContext) => boolean>> = {
  'a checkout order': (context) => context.has('checkout'),
  'an order whose first refund has FAILED': (context) => context.has('refund-events'),
};

/** Fails unless the refund period of a kind of orders ends. False where such an order cannot be refunded at all. */
async function expectEnd(context: CheckContext, kind: string): Promise<boolean> {
  const make = kinds[kind];
  const merchant = await context.ownMerchant();
  const made = make && (await ifTaken(Promise.all([make(context, merchant), make(context, merchant)])));
  const refund =
    made && (await ifTaken(makeRefund(context, merchant, { order: { merchant, orderId: made[0].orderId } })));
  if (!refund) return false;
  await context.advanceClock(merchant, years * year);
  const what = `a refund of ${kind} ${years} years after its payment`;
  await expectRefundRefused(refund.client, refundRequest(context, made[1].orderId), what, {
    ...businessError,
    code: errorCode('refunds', 'REFUND_PERIOD_EXPIRED'),
  });
  return true;
}

/** The balances of a merchant with so much in one currency, and so much in every other one. */
const balancesOf = (own: CurrencyCode, inOwn: string, inOthers: string) =>
  Object.fromEntries(currencies.map(({ code }) => [code, code === own ? inOwn : inOthers]));

/** Refunds a checkout order in a currency from balances; `undefined` where the merchant has no such orders. */
async function refundInCurrency(context: CheckContext, currency: CurrencyCode, balances?: Record<string, string>) {
  const merchant = await context.ownMerchant(balances ? { balances } : {});
  const order = await makePaidCheckoutOrder(context, merchant, currency).catch((error) => {
    if (error instanceof NotApplicable) return undefined;
    throw error;
  });
  return order && refundsClient(context, merchant).create(refundRequest(context, order.orderId));
}

/** Fails where refunds in a currency do not draw on its balance. False where the target has no such refunds. */
async function expectOwnBalance(context: CheckContext, currency: CurrencyCode): Promise<boolean> {
  const [fromOwn, fromOthers] = await Promise.all([
    refundInCurrency(context, currency, balancesOf(currency, plenty, nothing)),
    refundInCurrency(context, currency, balancesOf(currency, nothing, plenty)),
  ]);
  if (!fromOwn || !fromOthers) return false;
  if (!isAccepted(fromOwn)) {
    // Whether checkout orders can be refunded is not said: only a refusal for the balance is one for the wrong balance.
    const fromAll = isInsufficient(fromOwn) ? await refundInCurrency(context, currency) : undefined;
    if (!fromAll || !isAccepted(fromAll)) return false;
    expectAccepted(
      fromOwn,
      `a refund in ${currency} from a balance of ${plenty} ${currency}`,
      'refunds.create.accepted',
    );
  }
  const what = `a refund in ${currency} from ${nothing} ${currency}, with ${plenty} in every other currency`;
  expectRefused(fromOthers, what);
  expectField(fromOthers, 'code', errorCode('refunds', 'INSUFFICIENT_BALANCE'));
  return true;
}

/** What each order costs, and a balance that covers one of them and no second. Decimal text. */
const [price, coversOne] = ['20', '25'];

/** Fails where a refund that is under way in one currency counts against the balance in another. */
async function expectBalancesApart(context: CheckContext): Promise<void> {
  const balances = Object.fromEntries(currencies.map(({ code }) => [code, coversOne]));
  const merchant = await context.ownMerchant({ balances });
  const orders = await sideBySide(
    currencies.map(async ({ code }) => ({
      code,
      order: await ifTaken(makePaidCheckoutOrder(context, merchant, code, price)),
    })),
  );
  for (const { code, order } of orders) {
    if (!order) continue;
    const what = `a refund of ${price} ${code} from ${coversOne} ${code}, whatever refunds in other currencies are under way`;
    const paid = { merchant, orderId: order.orderId };
    await makeRefund(context, merchant, { order: paid }, (created) =>
      expectAccepted(created, what, 'refunds.create.accepted'),
    );
  }
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

export const refundsBoundsChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.balance.every-currency',
    title: 'A refund of a checkout order draws on the balance in the currency that was paid, and on no other',
    calls: ['checkout', 'refunds'],
    requirements: ['refunds.errors.insufficient-balance', 'refunds.create.accepted'],
    needs: ['order-events', 'own-merchant'],
    async run(context) {
      if (!context.has('checkout')) throw new NotApplicable('the target has no checkout orders');
      const codes = currencies.map(({ code }) => code);
      const judged = await sideBySide(codes.map((currency) => expectOwnBalance(context, currency)));
      if (!judged.includes(true)) throw new PermittedChoice('checkout orders cannot be refunded here');
      await expectBalancesApart(context);
    },
  },
  {
    id: 'refunds.balance.other-currency',
    title: 'A refund is refused with INSUFFICIENT_BALANCE where the merchant has enough in every other currency only',
    requirements: ['refunds.errors.insufficient-balance', 'refunds.errors.business', 'refunds.errors.refused'],
    needs: ['order-events', 'own-merchant'],
    async run(context) {
      const others = { USDC: plenty, USD1: plenty };
      const [rich, poor, without] = await Promise.all([
        context.ownMerchant({ balances: { USDT: plenty, USDC: nothing, USD1: nothing } }),
        context.ownMerchant({ balances: { USDT: nothing, ...others } }),
        // A merchant may have no account in a currency at all.
        context.ownMerchant({ balances: others }),
      ]);
      await makeRefund(context, rich, {}, expectAccepted);
      const expectShort = async (merchant: Credentials, usdt: string) => {
        const { orderId } = await makePaidOrder(context, merchant);
        const request = refundRequest(context, orderId);
        const what = `a refund in USDT from balances of ${usdt} USDT, ${plenty} USDC and ${plenty} USD1`;
        await expectRefundRefused(refundsClient(context, merchant), request, what, {
          ...businessError,
          code: errorCode('refunds', 'INSUFFICIENT_BALANCE'),
        });
      };
      await sideBySide([expectShort(poor, nothing), expectShort(without, 'no')]);
    },
  },
  {
    id: 'refunds.errors.period-expired.from-payment',
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
    title: `Orders of each kind that were paid ${years} years before are refused a refund with REFUND_PERIOD_EXPIRED`,
    requirements: ['refunds.errors.period-expired', 'refunds.errors.business', 'refunds.errors.refused'],
    needs: ['order-events', 'clock'],
    async run(context) {
      const names = Object.keys(kinds).filter((kind) => canMake[kind]?.(context) ?? true);
      const judged = await sideBySide(names.map((kind) => expectEnd(context, kind)));
      if (!judged.includes(true)) throw new PermittedChoice('only hosted orders in USDT can be refunded here');
    },
  },
];
