import { networks } from '../../../../generated/catalogue.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import { answeringJson, isOf, onlyFor } from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';

/** A server that changes its list of payment methods with `change`, in successful answers only. */
const listing = (change: (data: JsonObject, methods: readonly JsonObject[]) => unknown): Make => ({
  merchantApi: onlyFor(
    isOf('checkout.payment-methods'),
    answeringJson((envelope) => {
      const { data } = envelope;
      if (!isObject(data) || !Array.isArray(data.paymentMethods)) return envelope;
      return { ...envelope, data: change(data, data.paymentMethods.filter(isObject)) };
    }),
  ),
});

/** A server that shows payment methods as `change` makes them. */
const showingMethods = (change: (method: JsonObject) => JsonObject): Make =>
  listing((data, methods) => ({ ...data, paymentMethods: methods.map(change) }));

const addingMethod = (currency: string, network: string): Make =>
  listing((data, [first, ...others]) => ({
    ...data,
    paymentMethods: [first, { ...first, cryptoCurrency: currency, network }, ...others],
  }));

const fault = faultsCaughtBy('checkout.payment-methods.');

/** Remembers the first list that it gives, and shows it to every merchant. */
function cachedForAll(): Make {
  let first: unknown;
  return listing((data, methods) => {
    first ??= methods;
    return { ...data, paymentMethods: first };
  });
}

const list: readonly Fault[] = [
  fault(
    'methods-without-merchant',
    'Leaves merchantId out of the list of payment methods.',
    'checkout.payment-methods.list',
    'list',
    listing(({ merchantId: _left, ...data }) => data),
  ),
  fault(
    'methods-of-internal-merchant',
    'Names the merchant of a list of payment methods by an id of its own.',
    'checkout.payment-methods.list',
    'list',
    listing((data) => ({ ...data, merchantId: 4711 })),
  ),
  fault(
    'methods-directly-under-data',
    'Answers with the payment methods themselves as data.',
    'checkout.payment-methods.list',
    'list',
    listing((_, methods) => methods),
  ),
  fault(
    'methods-under-other-name',
    'Names the list of payment methods `methods`.',
    'checkout.payment-methods.list',
    'list',
    listing(({ paymentMethods, ...data }) => ({ ...data, methods: paymentMethods })),
  ),
  fault(
    'methods-by-currency',
    'Groups the payment methods by currency.',
    'checkout.payment-methods.list',
    'list',
    listing((data, methods) => ({
      ...data,
      paymentMethods: Object.fromEntries(methods.map((each) => [String(each.cryptoCurrency), [each]])),
    })),
  ),
  fault(
    'methods-success-code-200',
    'Answers the list of payment methods with code 200.',
    'general.success-code',
    'list',
    {
      merchantApi: onlyFor(
        isOf('checkout.payment-methods'),
        answeringJson((envelope) => (envelope.code === successCode ? { ...envelope, code: '200' } : envelope)),
      ),
    },
  ),
];

const fields: readonly Fault[] = [
  fault(
    'bounds-as-text',
    'Writes minAmount and maxAmount as decimal text, like every other amount.',
    'checkout.payment-methods.bounds',
    'fields',
    showingMethods((method) => ({
      ...method,
      minAmount: String(method.minAmount),
      maxAmount: String(method.maxAmount),
    })),
  ),
  fault(
    'no-upper-bound-null',
    'Writes null for a maxAmount that nobody has set.',
    'checkout.payment-methods.bounds',
    'fields',
    showingMethods((method) => ({ ...method, maxAmount: null })),
  ),
  fault(
    'bounds-as-amounts',
    'Writes minAmount as an amount with a currency.',
    'checkout.payment-methods.bounds',
    'fields',
    showingMethods((method) => ({
      ...method,
      minAmount: { value: String(method.minAmount), currency: method.cryptoCurrency },
    })),
  ),
  fault(
    'display-order-as-text',
    'Writes displayOrder as text.',
    'checkout.payment-methods.fields',
    'fields',
    showingMethods((method) => ({ ...method, displayOrder: String(method.displayOrder) })),
  ),
  fault(
    'confirmation-time-in-minutes',
    'Writes the estimated time to confirm in minutes, with their unit.',
    'checkout.payment-methods.fields',
    'fields',
    showingMethods((method) => ({ ...method, estimatedConfirmationTimeSec: '15 min' })),
  ),
  fault(
    'method-without-display-name',
    'Leaves out the display name of a network that has none of its own.',
    'checkout.payment-methods.fields',
    'fields',
    showingMethods(({ networkDisplayName, ...method }) =>
      method.network === 'polygon' ? method : { ...method, networkDisplayName },
    ),
  ),
  fault(
    'method-with-empty-display-name',
    'Has an empty display name for a network that has none of its own.',
    'checkout.payment-methods.fields',
    'fields',
    showingMethods((method) => (method.network === 'polygon' ? { ...method, networkDisplayName: '' } : method)),
  ),
  fault(
    'method-type-crypto',
    'Names the type of every payment method CRYPTO.',
    'checkout.payment-methods.fields',
    'fields',
    showingMethods((method) => ({ ...method, paymentMethodType: 'CRYPTO' })),
  ),
  fault(
    'currency-under-other-name',
    'Names the currency of a payment method `currency`.',
    'checkout.payment-methods.fields',
    'fields',
    showingMethods(({ cryptoCurrency: currency, ...method }) => ({ ...method, currency })),
  ),
  fault(
    'fourth-stablecoin',
    'Lists a stablecoin that the platform does not have.',
    'checkout.currencies',
    'fields',
    addingMethod('DAI', 'eth'),
  ),
];

const nameOf = (code: unknown) => networks.find((network) => network.code === code)?.hostedName;

const pairs: readonly Fault[] = [
  fault(
    'networks-in-capitals',
    'Writes the codes of networks in capital letters.',
    'checkout.payment-methods.pairs',
    'pairs',
    showingMethods((method) => ({ ...method, network: String(method.network).toUpperCase() })),
  ),
  fault(
    'networks-as-in-hosted-orders',
    'Names networks as hosted payments do.',
    'checkout.payment-methods.pairs',
    'pairs',
    showingMethods((method) => ({ ...method, network: nameOf(method.network) })),
  ),
  fault(
    'pair-that-does-not-exist',
    'Lists USDT on Base, which the platform does not have.',
    'checkout.payment-methods.pairs',
    'pairs',
    addingMethod('USDT', 'base'),
  ),
  fault(
    'every-method-listed',
    'Lists every pair of the platform, whatever the merchant can be paid with.',
    'checkout.payment-methods.list',
    'own-list',
    listing((data, [first]) => ({
      ...data,
      paymentMethods: networks.map(({ code }) => ({ ...first, cryptoCurrency: 'USDC', network: code })),
    })),
  ),
  fault(
    'first-page-of-methods',
    'Lists ten payment methods at most.',
    'checkout.payment-methods.list',
    'own-list',
    listing((data, methods) => ({ ...data, paymentMethods: methods.slice(0, 10) })),
  ),
  fault(
    'one-network-for-each-currency',
    'Lists one network for each currency.',
    'checkout.payment-methods.list',
    'own-list',
    listing((data, methods) => ({
      ...data,
      paymentMethods: [...new Map(methods.map((method) => [method.cryptoCurrency, method])).values()],
    })),
  ),
  fault(
    'list-cached-for-all-merchants',
    'Keeps the first list that it makes, and shows it to every merchant.',
    'checkout.payment-methods.list',
    'own-list',
    cachedForAll(),
  ),
];

/** Wrong servers of the operation that lists payment methods. */
export const checkoutMethodsFaults: readonly Fault[] = [...list, ...fields, ...pairs];
