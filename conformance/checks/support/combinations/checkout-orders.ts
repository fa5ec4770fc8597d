import { type MadeCheckoutOrder, makeCheckoutOrder } from '../../../arrange/checkout-orders/checkout-orders.ts';
import { type CheckoutOrderCreateRequest, checkoutClient } from '../../../arrange/checkout-orders/client.ts';
import { optionalFields } from '../../../arrange/checkout-orders/optional-fields.ts';
import { amountFor, type PaymentMethod, paymentMethodsOf } from '../../../arrange/checkout-orders/payment-methods.ts';
import { needSoonAccepted } from '../../../arrange/orders/any-order.ts';
import type { CheckContext } from '../../../check/context.ts';
import { keysOf } from '../../../check/keys-of.ts';
import { compareDecimals } from '../../../contract/decimals.ts';
import type { Credentials } from '../../../drivers/driver.ts';
import { NotApplicable } from '../../../errors/outcomes.ts';
import { type Feature, merchantWith, merged } from './features.ts';
import { textFeatures } from './texts.ts';

/** A feature of a checkout order. */
interface CheckoutFeature extends Feature {
  method?: PaymentMethod;
  /** What an order by a payment method costs, as decimal text. */
  amount?(method: PaymentMethod): string;
  /** Fields of the create of an order that is paid in a currency. */
  fields?(currency: string): Partial<CheckoutOrderCreateRequest>;
}

/** An amount, or the usual one where a payment method does not take it. */
const within = (value: string) => (method: PaymentMethod) =>
  compareDecimals(value, method.minAmount) >= 0 && compareDecimals(value, method.maxAmount) <= 0
    ? value
    : amountFor(method);

/** Amounts of which digits are easily lost, with places left to a driver that pays a fee or less than is due, and both bounds. */
const amounts: readonly CheckoutFeature[] = [
  {},
  ...['20.00', '100'].map((value) => ({ words: `of ${value}`, amount: within(value) })),
  { words: 'of 1234.567890123456', amount: within('1234.567890123456'), isOpen: true },
  { words: 'of the least amount', amount: ({ minAmount }) => minAmount },
  { words: 'of the greatest amount', amount: ({ maxAmount }) => maxAmount },
];

const { callbackUrl: _address, items: _items, ...plainFields } = optionalFields;

const itemsIn = (currency: string): Pick<CheckoutOrderCreateRequest, 'items'> => ({
  items: optionalFields.items.map((item) => ({ ...item, currency })),
});

const furtherFields: readonly CheckoutFeature[] = [
  {},
  ...keysOf(plainFields).map((name) => ({ words: `with ${name}`, fields: () => ({ [name]: plainFields[name] }) })),
  // In USDT, in whichever currency the order is paid: nothing says that they are the same.
  { words: 'with items', fields: () => ({ items: optionalFields.items }) },
  { words: 'with every further field', fields: (currency) => ({ ...plainFields, ...itemsIn(currency) }) },
];

/** The lists of features that only checkout orders may have. `methods`: by which they can be paid. */
export const checkoutFeatures = (methods: readonly PaymentMethod[]): readonly (readonly CheckoutFeature[])[] => [
  methods.map((method) => ({ words: `in ${method.currency} over ${method.network}`, method })),
  amounts,
  furtherFields,
  textFeatures('checkout'),
];

/** How many merchants are made at most to find one that has a payment method: some have fewer than others. */
const mostMerchants = 4;

/** A merchant of its own that has the payment method among these features. `undefined`: none of several has it. */
export async function merchantWithMethod(
  context: CheckContext,
  features: readonly CheckoutFeature[],
): Promise<Credentials | undefined> {
  const { settings } = merged<Feature>(features);
  for (let made = 0; made < mostMerchants; made += 1) {
    const merchant = await merchantWith(context, made === 0 ? settings : {});
    if (methodAmong(features, await paymentMethodsOf(checkoutClient(context, merchant)))) return merchant;
  }
  return undefined;
}

/** The payment method of these features as one of those that a merchant has. */
function methodAmong(
  features: readonly CheckoutFeature[],
  methods: readonly PaymentMethod[],
): PaymentMethod | undefined {
  const wanted = features.find(({ method }) => method)?.method;
  return methods.find(({ currency, network }) => currency === wanted?.currency && network === wanted.network);
}

/** Makes a checkout order with features, one of which is a payment method of the merchant, and with further fields. A refusal is `Inconclusive`. */
export async function makeCombinedCheckoutOrder(
  context: CheckContext,
  merchant: Credentials,
  features: readonly CheckoutFeature[],
  further: Partial<CheckoutOrderCreateRequest>,
): Promise<MadeCheckoutOrder> {
  const method = methodAmong(features, await paymentMethodsOf(checkoutClient(context, merchant)));
  if (!method) throw new NotApplicable('the merchant does not have the payment method');
  const { currency, network } = method;
  const value = (features.find((each) => each.amount)?.amount ?? amountFor)(method);
  const fields = merged<Partial<CheckoutOrderCreateRequest>>(features.map((each) => each.fields?.(currency)));
  return makeCheckoutOrder(
    context,
    merchant,
    { orderAmount: { value, currency }, network, ...fields, ...further },
    needSoonAccepted(context),
  );
}
