import { makeCheckoutOrder } from '../../../arrange/checkout-orders/checkout-orders.ts';
import { checkoutClient } from '../../../arrange/checkout-orders/client.ts';
import {
  amountFor,
  inEachCurrencyAndNetwork,
  type PaymentMethod,
  paymentMethodsOf,
} from '../../../arrange/checkout-orders/payment-methods.ts';
import type { AnyMadeOrder } from '../../../arrange/orders/any-order.ts';
import { exchanges, hostedNetworks, paymentOver } from '../../../arrange/orders/payments.ts';
import { awkwardExtraData } from '../../../arrange/refunds/fixtures.ts';
import type { ReachableRefundState } from '../../../arrange/refunds/refunds.ts';
import { foreignText, inDigits, markedText } from '../../../arrange/requests/further-fields.ts';
import { unpaidEnds } from '../../../arrange/situations/situations.ts';
import { day } from '../../../arrange/webhooks/waiting.ts';
import type { CheckContext } from '../../../check/context.ts';
import type { Credentials, MerchantSettings, OrderStep } from '../../../drivers/driver.ts';
import { NotApplicable } from '../../../errors/outcomes.ts';
import type { Mailbox } from '../../../wire/mailbox.ts';
import { everyFurtherField, type HostedFeature, type Price, splitOrder, withItems } from './hosted-orders.ts';
import { settingsFeatures } from './shared-features.ts';
import { textFeatures } from './texts.ts';

/** What is refunded, how, and what becomes of it, as far as its features decide it. */
export interface RefundPlan {
  /** What its merchant has. Absent: no more than others. */
  settings?: MerchantSettings;
  /** How long before its payment the order was made, in seconds. Absent: it is paid at once. */
  unpaidFor?: number;
  /** What the order costs that is refunded, where it is a hosted one. Absent: as most do. */
  price?: Price;
  /** In what that order differs from others, where it is a hosted one. */
  ofOrder?: HostedFeature;
  /** Makes a checkout order in its place. */
  makeCheckoutOrder?(context: CheckContext, merchant: Credentials): Promise<AnyMadeOrder>;
  /** How it is paid, where it is a hosted one. Absent: as the driver pays. */
  pay?(context: CheckContext): OrderStep;
  /** A refund of it is asked for before it is paid, and while its payment is under way. */
  isAskedTooEarly?: true;
  /** How long ago it was paid, in seconds. */
  age?: number;
  /** Makes the merchant's id of the refund out of one that was not used before. */
  id?(unused: string): string;
  /** Another refund has that id, or one like it. */
  namesake?: 'of another merchant' | 'in other letters';
  reason?: string;
  extraData?: string;
  /** Where its webhooks come. Absent: at a usual address that it names. */
  address?(context: CheckContext): Promise<Mailbox>;
  /** It names no address, and its merchant has one for all. */
  isUnaddressed?: true;
  /** Its create is sent again when it has moved so far. */
  repeatedIn?: 'PENDING' | 'end';
  /** The first event about its end is not acknowledged. */
  isUnheard?: true;
  end?: Exclude<ReachableRefundState, 'PENDING' | 'PROCESSING'>;
  /** The order ends without being paid, so that there is nothing to refund. `time runs out`: by that alone. */
  unpaidBy?: readonly OrderStep[] | 'time runs out';
  /** Another refund of the order is asked for when this one has failed. */
  isFollowed?: true;
}

/** One way in which a refund may differ from others. */
export interface RefundFeature extends RefundPlan {
  /** In words that follow others about the refund. Absent: as most refunds are. */
  words?: string;
  /** A target may refuse to make such a refund, and is asked for one without this feature then. */
  isOpen?: true;
}

const usdt = (value: string): Price => ({ value, currency: 'USDT' });

/** Prices of hosted orders of which digits are easily lost. How small one may be is open. */
const prices: readonly RefundFeature[] = [
  {},
  ...['20.00', '100', '12.567890123456789012'].map((value) => ({
    words: `of an order of ${value} USDT`,
    price: usdt(value),
  })),
  { words: 'of an order of 0.5 USDT', price: usdt('0.5'), isOpen: true },
  { words: 'of an order of 20 USD', price: { value: '20', currency: 'USD' } },
];

/** Features of hosted orders that say nothing of the refund: those by which a record grows or has parts. */
const orderFeatures: readonly RefundFeature[] = [everyFurtherField, withItems, splitOrder, ...textFeatures('orders')]
  .filter(({ words }) => words !== undefined)
  .map((feature) => ({
    words: `of an order ${feature.words} where it is a hosted one`,
    ofOrder: feature,
    ...(feature.isOpen && { isOpen: true }),
  }));

/** Checkout orders by a payment method, of an amount of round tens in every other one of them. */
const checkoutOrder = (method: PaymentMethod, index: number): RefundFeature => {
  const { currency, network } = method;
  const orderAmount = { value: index % 2 === 0 ? amountFor(method) : '30', currency };
  return {
    words: `of a checkout order of ${orderAmount.value} ${currency} over ${network}`,
    makeCheckoutOrder: async (context, merchant) => {
      const methods = await paymentMethodsOf(checkoutClient(context, merchant));
      const isListed = methods.some((each) => each.currency === currency && each.network === network);
      if (!isListed) throw new NotApplicable('the merchant does not have the payment method');
      return makeCheckoutOrder(context, merchant, { orderAmount, network });
    },
  };
};

const payments: readonly RefundFeature[] = [
  {},
  ...hostedNetworks.map((network) => ({
    words: `paid over ${network} where it is a hosted one`,
    pay: (context: CheckContext) => paymentOver(context, network),
  })),
  ...exchanges.map((paymentMethod) => ({
    words: `paid by ${paymentMethod} where it is a hosted one`,
    pay: (): OrderStep => ({ type: 'transaction_detected', paymentMethod }),
  })),
];

/** The longest texts that other checks give to refunds. */
const longText = 300;

const reasons: readonly RefundFeature[] = [
  {},
  { words: 'with quotation marks in its reason', reason: markedText },
  { words: 'with a long reason', reason: 'r'.repeat(longText) },
  { words: 'with letters of other scripts in its reason', reason: foreignText, isOpen: true },
];

const data: readonly RefundFeature[] = [
  {},
  { words: 'with extraData', extraData: awkwardExtraData },
  { words: 'with long extraData', extraData: JSON.stringify({ cart: 'c'.repeat(longText) }) },
];

/** The lengths of a short and of a long id, such as other checks make. */
const [shortId, longId] = [16, 50];

const ids: readonly RefundFeature[] = [
  {},
  { words: 'under an id of digits', id: (unused) => inDigits(unused.slice(-shortId)) },
  { words: 'under a long id', id: (unused) => unused.padEnd(longId, 'q') },
  { words: 'under an id between signs', id: (unused) => `_${unused}-` },
  { words: 'under an id of capital letters', id: (unused) => unused.toUpperCase() },
];

const namesakes: readonly RefundFeature[] = [
  {},
  { words: 'whose id a refund of another merchant has too', namesake: 'of another merchant' },
  { words: 'from whose id that of another refund differs in the case of its letters', namesake: 'in other letters' },
];

/** Longer than what a column of careless width holds, in characters. How long an address may be is not said. */
const longAddress = 2100;

const addresses: readonly RefundFeature[] = [
  {},
  { words: 'whose notifyUrl has a query', address: (context) => context.mailbox('?shop=7&of=%20x+y') },
  { words: 'whose notifyUrl has an unusual path', address: (context) => context.mailbox('', 'unusual') },
  {
    words: 'whose notifyUrl is long',
    address: (context) => context.mailbox(`?page=${'b'.repeat(longAddress)}`),
    isOpen: true,
  },
  { words: 'which names no notifyUrl', isUnaddressed: true },
];

const ends: readonly RefundFeature[] = [
  { words: 'which succeeds', end: 'SUCCEEDED' },
  { words: 'which fails', end: 'FAILED' },
  { words: 'which is closed', end: 'CLOSED' },
  { words: 'which fails and is followed by another', end: 'FAILED', isFollowed: true },
  ...Object.entries(unpaidEnds).map(([name, unpaidBy]) => ({ words: `though its order is ${name}`, unpaidBy })),
];

const ofExpired: RefundFeature = { words: 'though its order is expired', unpaidBy: 'time runs out' };

const repeats: readonly RefundFeature[] = [
  {},
  { words: 'asked for twice', repeatedIn: 'PENDING' },
  { words: 'asked for again when it has ended', repeatedIn: 'end' },
];

/** The lists of features of refunds. `methods`: by which the merchant's checkout orders can be paid; empty: it has none. */
export function refundFeatures(
  context: CheckContext,
  methods: readonly PaymentMethod[],
): readonly (readonly RefundFeature[])[] {
  const isHeard = context.has('webhooks') && context.has('webhook-receiver');
  const hasClock = context.has('clock');
  return [
    [...prices, ...inEachCurrencyAndNetwork(methods).map(checkoutOrder)],
    [{}, ...orderFeatures],
    settingsFeatures('orders'),
    payments,
    reasons,
    data,
    ids,
    namesakes,
    hasClock ? [...ends, ofExpired] : ends,
    repeats,
    [{}, { words: 'asked for too early before', isAskedTooEarly: true }],
    ...(isHeard ? [addresses] : []),
    ...(isHeard && hasClock ? [[{}, { words: 'whose event is not acknowledged', isUnheard: true } as const]] : []),
    ...(hasClock ? [[{}, { words: 'two days after the payment', age: 2 * day }]] : []),
    ...(hasClock
      ? [[{}, { words: 'of an order that nobody paid for 40 days', unpaidFor: 40 * day, isOpen: true } as const]]
      : []),
  ];
}
