import { needSoonAccepted } from '../../../arrange/orders/any-order.ts';
import type { OrderCreateRequest } from '../../../arrange/orders/client.ts';
import { optionalFields, ticket } from '../../../arrange/orders/optional-fields.ts';
import { type MadeOrder, makeOrder, ordinaryAmount } from '../../../arrange/orders/orders.ts';
import type { CheckContext } from '../../../check/context.ts';
import { keysOf } from '../../../check/keys-of.ts';
import type { Credentials } from '../../../drivers/driver.ts';
import { type Feature, merged } from './features.ts';
import { textFeatures } from './texts.ts';

export type Price = OrderCreateRequest['orderAmount'];

/** A feature of a hosted order. */
export interface HostedFeature extends Feature {
  price?: Price;
  /** Fields of the create of an order that costs so much. */
  fields?(price: Price): Partial<OrderCreateRequest>;
}

const usdt = (value: string): Price => ({ value, currency: 'USDT' });

/** Prices of which digits are easily lost. How small and how large one may be is open. */
const prices: readonly HostedFeature[] = [
  {},
  ...['20.00', '100', '12.567890123456789012'].map((value) => ({ words: `of ${value} USDT`, price: usdt(value) })),
  ...['0.07', '1234567.891'].map((value) => ({ words: `of ${value} USDT`, price: usdt(value), isOpen: true }) as const),
  { words: 'of 20 USD', price: { value: '20', currency: 'USD' } },
];

const { callbackUrl: _address, paymentMethodConfig, items: _items, ...plainFields } = optionalFields;

/** Items in the currency of their order: a target may want that. */
const itemsIn = ({ currency }: Price): Pick<OrderCreateRequest, 'items'> => ({
  items: [{ ...ticket, amount: { ...ticket.amount, currency }, description: 'Row 7' }],
});

export const withItems: HostedFeature = { words: 'with items', fields: itemsIn };

export const everyFurtherField: HostedFeature = {
  words: 'with every further field',
  fields: (price) => ({ ...plainFields, ...itemsIn(price) }),
};

/** Not every merchant may send sub-merchants. */
export const splitOrder: HostedFeature = {
  words: 'split among sub-merchants',
  fields: ({ value }) => ({ subMerchants: [{ subMerchantId: 'sub-0', name: 'Shop 0', amount: value }] }),
  isOpen: true,
};

/** Fields that say neither what the order costs nor how it may be paid. */
const furtherFields: readonly HostedFeature[] = [
  {},
  ...keysOf(plainFields).map((name) => ({ words: `with ${name}`, fields: () => ({ [name]: plainFields[name] }) })),
  withItems,
  everyFurtherField,
  splitOrder,
];

const payableBy =
  (...allowedPaymentMethodTypes: ('ON_CHAIN_TRANSFER' | 'EXCHANGE_TRANSFER')[]) =>
  () => ({
    paymentMethodConfig: { allowedPaymentMethodTypes },
  });

const waysToPay: readonly HostedFeature[] = [
  {},
  { words: 'with paymentMethodConfig', fields: () => ({ paymentMethodConfig }) },
  { words: 'which may be paid on chain only', fields: payableBy('ON_CHAIN_TRANSFER') },
  { words: 'which exchanges alone may pay', fields: payableBy('EXCHANGE_TRANSFER') },
];

/** The lists of features that only hosted orders may have. */
export const hostedFeatures: readonly (readonly HostedFeature[])[] = [
  prices,
  furtherFields,
  textFeatures('orders'),
  waysToPay,
];

/** Makes a hosted order with features, and with further fields. A refusal is `Inconclusive`. */
export function makeHostedOrder(
  context: CheckContext,
  merchant: Credentials,
  features: readonly HostedFeature[],
  further: Partial<OrderCreateRequest>,
): Promise<MadeOrder> {
  const price = features.find((each) => each.price)?.price ?? ordinaryAmount;
  const fields = merged<Partial<OrderCreateRequest>>(features.map((each) => each.fields?.(price)));
  return makeOrder(context, merchant, { orderAmount: price, ...fields, ...further }, needSoonAccepted(context));
}
