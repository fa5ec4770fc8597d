import { type CurrencyCode, currencies } from '../../../generated/catalogue.ts';
import type { CheckContext } from '../../check/context.ts';
import { lengthLimit } from '../../contract/lengths.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { optionalFields as checkoutFields } from '../checkout-orders/optional-fields.ts';
import { makePaidCheckoutOrder } from '../checkout-orders/paid-orders.ts';
import { bringOrderTo, orderLifetime } from '../orders/any-order.ts';
import type { OrderCreateRequest } from '../orders/client.ts';
import { optionalFields } from '../orders/optional-fields.ts';
import { makeOrder, ordinaryAmount, splitInTwo } from '../orders/orders.ts';
import { exchanges } from '../orders/payments.ts';
import { ifTaken } from '../situations/situations.ts';
import type { PaidOrder } from './paid-order.ts';
import { makeOrderPaidFrom, makeOverpaidOrder, makePaidOrder } from './paid-orders.ts';

// In what the orders differ that are refunded. Each kind has several features, so that what goes wrong only where two of them meet is met.

/** A kind of orders beside the usual one. */
export interface OrderKind {
  words: string;
  /** In which it is paid and given back. */
  currency: CurrencyCode;
  /** Makes a paid order, with the address for its webhooks if one is given. */
  pay(
    context: CheckContext,
    merchant: Credentials,
    address?: { callbackUrl: string },
  ): Promise<Pick<PaidOrder, 'merchant' | 'orderId'>>;
}

/** More than an order costs, at a rate of less than two. */
const more = '20';

type HowPaid = 'exactly' | 'more' | (typeof exchanges)[number];

/** Hosted orders: each currency meets each way to pay, and each of both meets each of the other features. */
const features: readonly { currency: 'USDT' | 'USD'; paid: HowPaid; split?: true; further?: true; long?: true }[] = [
  { currency: 'USDT', paid: 'exactly', split: true, further: true },
  { currency: 'USD', paid: 'exactly' },
  { currency: 'USDT', paid: 'more', further: true },
  { currency: 'USD', paid: 'more', split: true },
  { currency: 'USDT', paid: exchanges[0], split: true },
  { currency: 'USD', paid: exchanges[0], further: true },
  { currency: 'USDT', paid: exchanges[1], long: true },
  { currency: 'USD', paid: exchanges[1], split: true, further: true },
];

/** Further fields of a create, which say nothing of how the order is paid, and name no address, at which nobody would listen. */
const { paymentMethodConfig: _method, callbackUrl: _address, ...furtherFields } = optionalFields;

/** The same of a checkout order. */
const { callbackUrl: _checkoutAddress, ...furtherCheckoutFields } = checkoutFields;

/** A description as long as it may be. */
const longText = { description: 'd'.repeat(lengthLimit('orders', 'description', 'maxLength').limit) };

function wordsOf({ currency, paid, split, further, long }: (typeof features)[number]): string {
  const how = paid === 'exactly' ? '' : paid === 'more' ? ' that was paid more than it costs' : ` that ${paid} paid`;
  const parts = split ? ', split among sub-merchants where they are taken' : '';
  return `an order priced in ${currency}${how}${parts}${further ? ', with further fields' : ''}${long ? ', with a long description' : ''}`;
}

/** Kinds of hosted orders, each of which is given back in USDT. */
export const hostedKinds: readonly OrderKind[] = features.map((kind) => ({
  words: wordsOf(kind),
  currency: 'USDT',
  pay: async (context, merchant, address) => {
    const orderAmount = { value: ordinaryAmount.value, currency: kind.currency };
    const whole = { ...(kind.further && furtherFields), ...(kind.long && longText), ...address, orderAmount };
    const pay = (changes: Partial<OrderCreateRequest>) => {
      if (kind.paid === 'exactly') return makePaidOrder(context, merchant, changes);
      if (kind.paid === 'more') return makeOverpaidOrder(context, merchant, changes, more);
      return makeOrderPaidFrom(context, merchant, kind.paid, changes);
    };
    if (!kind.split) return pay(whole);
    // Not every merchant may send sub-merchants.
    return (await ifTaken(pay({ ...whole, ...splitInTwo, orderAmount }))) ?? pay(whole);
  },
}));

/** Checkout orders in each currency, where the merchant has a method for it. */
export const checkoutKinds: readonly OrderKind[] = currencies.map(({ code }, index) => {
  const changes = index % 2 === 0 ? furtherCheckoutFields : {};
  return {
    words: `a checkout order in ${code}${index % 2 === 0 ? ' with further fields' : ''}`,
    currency: code,
    pay: (context, merchant, address) =>
      makePaidCheckoutOrder(context, merchant, code, ordinaryAmount.value, { ...changes, ...address }),
  };
});

/** More than a day, in seconds. */
const dayAndMore = 90_000;

/** Hosted orders with a history in which time has passed. Each moves the clock of its merchant. */
const agedKinds: readonly OrderKind[] = [
  {
    words: 'an order that was paid more than a day ago',
    currency: 'USDT',
    pay: async (context, merchant, address) => {
      const order = await makePaidOrder(context, merchant, { ...address, orderAmount: ordinaryAmount });
      await context.advanceClock(merchant, dayAndMore);
      return order;
    },
  },
  {
    words: 'an order whose payment was detected in time and confirmed after its expiry',
    currency: 'USDT',
    pay: async (context, merchant, address) => {
      const order = await makeOrder(context, merchant, { ...address, orderAmount: ordinaryAmount });
      await bringOrderTo(context, order, 'PROCESSING');
      await context.advanceClock(merchant, 2 * orderLifetime);
      // A payment may time out meanwhile, and then there is no such order here.
      await bringOrderTo(context, order, 'SUCCEEDED', 'PROCESSING');
      return order;
    },
  },
];

/** Every kind that the target can be asked for. */
export const everyKind = (context: CheckContext): readonly OrderKind[] => [
  ...hostedKinds,
  ...(context.has('checkout') ? checkoutKinds : []),
  ...(context.has('clock') ? agedKinds : []),
];
