import { limit } from '../../../generated/catalogue.ts';
import type { CheckContext } from '../../check/context.ts';
import { keysOf } from '../../check/keys-of.ts';
import { isDecimalText } from '../../contract/decimals.ts';
import { valueAt } from '../../contract/json.ts';
import { lengthLimit } from '../../contract/lengths.ts';
import type { Credentials, OrderStep } from '../../drivers/driver.ts';
import { field } from '../../wire/exchange.ts';
import type { Mailbox } from '../../wire/mailbox.ts';
import { makeCheckoutOrder } from '../checkout-orders/checkout-orders.ts';
import { type CheckoutOrderCreateRequest, checkoutClient } from '../checkout-orders/client.ts';
import { optionalFields as checkoutFields } from '../checkout-orders/optional-fields.ts';
import { amountFor, paymentMethodsOf } from '../checkout-orders/payment-methods.ts';
import { type AnyMadeOrder, type Lifetime, lifeOf, type Product } from '../orders/any-order.ts';
import type { OrderCreateRequest } from '../orders/client.ts';
import { optionalFields as hostedFields } from '../orders/optional-fields.ts';
import { makeOrder, splitInTwo } from '../orders/orders.ts';
import { paymentOver } from '../orders/payments.ts';
import { inDigits } from '../requests/further-fields.ts';
import { ifTaken, sideBySide } from './situations.ts';

/** An order, and in what it differs from a usual one: the end of a sentence. */
export interface Shaped {
  words: string;
  order: AnyMadeOrder;
  /** Where its webhooks come. */
  mailbox: Mailbox;
  /** The network over which it is paid, by its code. Absent: any. */
  network?: string;
}

type Shape<Request> = readonly [words: string, changes: Partial<Request>];

const usdt = (value: string): Pick<OrderCreateRequest, 'orderAmount'> => ({ orderAmount: { value, currency: 'USDT' } });

/** JSON text of a merchant's own, as long as it may be. */
const longMetadata = (product: Product) => ({
  metadata: JSON.stringify({ cart: 'c'.repeat(limit(`${product}.metadata.length`, 'max') - '{"cart":""}'.length) }),
});

/** Ids at both bounds of their length. */
function idShapes(context: CheckContext, product: Product): Shape<Pick<OrderCreateRequest, 'merchantOrderId'>>[] {
  const shortest = () => context.newOrderId().slice(-lengthLimit(product, 'merchantOrderId', 'minLength').limit);
  const longest = context.newOrderId().padEnd(lengthLimit(product, 'merchantOrderId', 'maxLength').limit, 'q');
  return [
    ['under an id as short as it may be', { merchantOrderId: shortest() }],
    ['under a short id of digits', { merchantOrderId: inDigits(shortest()) }],
    ['under an id as long as it may be', { merchantOrderId: longest }],
  ];
}

/** Texts whose bytes are more than their characters. A target may refuse letters beyond ASCII. */
const ofOtherScripts = [
  'with letters of other scripts',
  { description: 'Zażółć gęślą jaźń 税込', metadata: '{"lieu":"Žižkov, 渋谷区 🧾"}' },
] as const;

/** Creates of hosted orders that every target takes. */
const hostedShapes: readonly Shape<OrderCreateRequest>[] = [
  ...keysOf(hostedFields).map((name) => [`with ${name}`, { [name]: hostedFields[name] }] as const),
  ['with every further field', hostedFields],
  [
    'with long texts',
    { ...longMetadata('orders'), description: 'd'.repeat(lengthLimit('orders', 'description', 'maxLength').limit) },
  ],
  ['of a price with 18 decimal places', usdt('1234.567890123456789012')],
  ['that is priced in USD', { orderAmount: { value: '20', currency: 'USD' } }],
  ['that may be paid on chain only', { paymentMethodConfig: { allowedPaymentMethodTypes: ['ON_CHAIN_TRANSFER'] } }],
  ['that may be paid by exchanges only', { paymentMethodConfig: { allowedPaymentMethodTypes: ['EXCHANGE_TRANSFER'] } }],
];

/** Creates of hosted orders that a target may refuse. */
const openHostedShapes: readonly Shape<OrderCreateRequest>[] = [
  ['that is split among sub-merchants', splitInTwo],
  ['of a large price', usdt('1234567.891')],
  ['of a small price', usdt('0.000001')],
  ofOtherScripts,
];

/** Hosted orders of every shape, each of which names a mailbox of its own. */
export async function makeHostedOfEveryShape(
  context: CheckContext,
  merchant: Credentials,
  lifetime: Lifetime = 'ordinary',
): Promise<Shaped[]> {
  const { life, acceptance } = lifeOf(context, lifetime);
  const make = async ([words, changes]: Shape<OrderCreateRequest>): Promise<Shaped> => {
    const mailbox = await context.mailbox();
    const named = { ...changes, callbackUrl: mailbox.url, ...life };
    return { words, mailbox, order: await makeOrder(context, merchant, named, acceptance) };
  };
  const open = openHostedShapes.map((shape) => ifTaken(make(shape)));
  const bound = [...hostedShapes, ...idShapes(context, 'orders')].map(make);
  const made = await sideBySide([...bound, ...open]);
  return made.flatMap((each) => each ?? []);
}

/** An amount of more digits than a float has, and with places left to a driver that pays a fee or less than is due. */
const manyDigits = '1234.567890123456';

/**
 * Checkout orders by each of the merchant's methods, of a usual and of the largest amount, and with every further field. Each names a mailbox of its
 * own.
 */
export async function makeCheckoutOfEveryShape(
  context: CheckContext,
  merchant: Credentials,
  lifetime: Lifetime = 'ordinary',
): Promise<Shaped[]> {
  const { life, acceptance } = lifeOf(context, lifetime);
  const methods = await paymentMethodsOf(checkoutClient(context, merchant));
  const byMethod = methods.flatMap(({ currency, network, ...range }) =>
    [...new Set([amountFor({ currency, network, ...range }), range.maxAmount])].map(
      (value): Shape<CheckoutOrderCreateRequest> => [
        `of ${value} ${currency} over ${network}`,
        { orderAmount: { value, currency }, network },
      ],
    ),
  );
  const shapes: Shape<CheckoutOrderCreateRequest>[] = [
    ...keysOf(checkoutFields).map((name) => [`with ${name}`, { [name]: checkoutFields[name] }] as const),
    ['with every further field', checkoutFields],
    ['with long texts', longMetadata('checkout')],
    ...idShapes(context, 'checkout'),
    ...byMethod,
  ];
  const make = async ([words, changes]: Shape<CheckoutOrderCreateRequest>): Promise<Shaped> => {
    const mailbox = await context.mailbox();
    const named = { ...changes, callbackUrl: mailbox.url, ...life };
    const order = await makeCheckoutOrder(context, merchant, named, acceptance);
    return { words, mailbox, order, network: order.request.network };
  };
  // What a target may refuse.
  const open: Shape<CheckoutOrderCreateRequest>[] = [
    ofOtherScripts,
    ...methods
      .slice(0, 1)
      .map(
        ({ currency, network }) =>
          [`of ${manyDigits} ${currency}`, { orderAmount: { value: manyDigits, currency }, network }] as const,
      ),
  ];
  const made = await sideBySide([...shapes.map(make), ...open.map((shape) => ifTaken(make(shape)))]);
  return made.flatMap((each) => each ?? []);
}

/** The payment of an order: of what is due, or of another amount as decimal text. */
export const paymentOf = (context: CheckContext, { network }: Shaped, amount?: string): OrderStep =>
  network === undefined
    ? { type: 'transaction_detected', ...(amount !== undefined && { amount }) }
    : paymentOver(context, network, amount);

/** What is due for an order in a stablecoin, as decimal text. `undefined`: it is priced in USD, or its create does not say. */
export function dueFor({ order: { product, created } }: Shaped): string | undefined {
  const shown = field(created, product === 'orders' ? 'data.orderAmount' : 'data.cryptoPaymentAmount');
  const [value, currency] = [valueAt(shown, ['value']), valueAt(shown, ['currency'])];
  return isDecimalText(value) && currency !== 'USD' ? value : undefined;
}
