import { type CurrencyCode, currencies, type NetworkCode } from '../../../generated/catalogue.ts';
import { needAccepted, needSchema, summary } from '../../check/expect.ts';
import { addDecimals, compareDecimals, numberText } from '../../contract/decimals.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive, NotApplicable } from '../../errors/outcomes.ts';
import { field } from '../../wire/exchange.ts';
import { ordinaryAmount } from '../orders/orders.ts';
import type { CheckoutClient } from './client.ts';

/** A pair of currency and network that a merchant accepts, with the range of amounts as decimal text. */
export interface PaymentMethod {
  currency: CurrencyCode;
  network: NetworkCode;
  minAmount: string;
  maxAmount: string;
}

/** A price that has 22 digits with 18 decimal places. */
const longAmount = '1234.5';

/** The lists already asked for, by merchant: every order needs one, and a list does not change during a run. */
const askedFor = new WeakMap<Credentials, Promise<PaymentMethod[]>>();

/** The payment methods of a merchant that are pairs of the contract. Throws `Inconclusive` when there is no list. */
export function paymentMethodsOf(client: CheckoutClient): Promise<PaymentMethod[]> {
  const { merchant } = client;
  const methods = askedFor.get(merchant) ?? askForMethods(client);
  askedFor.set(merchant, methods);
  // A failure is not kept, so that the next check gets a reason from exchanges of its own.
  methods.catch(() => askedFor.delete(merchant));
  return methods;
}

/** For each currency the first method that it has. */
export const firstOfEachCurrency = (methods: readonly PaymentMethod[]): PaymentMethod[] =>
  methods.filter(({ currency }, index) => methods.findIndex((each) => each.currency === currency) === index);

/** Of a merchant's payment methods at least one in each currency and over each network. */
export function inEachCurrencyAndNetwork(methods: readonly PaymentMethod[]): PaymentMethod[] {
  return methods.filter(
    ({ currency, network }, index) =>
      methods.findIndex((each) => each.currency === currency) === index ||
      methods.findIndex((each) => each.network === network) === index,
  );
}

async function askForMethods(client: CheckoutClient): Promise<PaymentMethod[]> {
  const answer = await client.paymentMethods();
  needAccepted(answer, 'listing the payment methods');
  const listed = field(answer, 'data.paymentMethods');
  if (!Array.isArray(listed)) {
    throw new Inconclusive(`there is no list of payment methods: ${summary(answer)}`, { isNoChoice: true });
  }
  const methods = listed.flatMap(readMethod);
  if (methods.length > 0) return methods;
  needSchema(answer, 'CheckoutPaymentMethodsSuccess', 'listing the payment methods');
  throw new NotApplicable(
    listed.length === 0
      ? 'the merchant has no payment method'
      : 'the merchant has no payment method with a currency and a network of the contract',
  );
}

function readMethod(listed: unknown): PaymentMethod[] {
  if (typeof listed !== 'object' || listed === null) return [];
  const [code, name, least, most] = ['cryptoCurrency', 'network', 'minAmount', 'maxAmount'].map((key): unknown =>
    Reflect.get(listed, key),
  );
  const currency = currencies.find((each) => each.code === code);
  const network = currency?.networks.find((each) => each === name);
  if (!currency || !network || typeof least !== 'number' || typeof most !== 'number') return [];
  return [{ currency: currency.code, network, minAmount: numberText(least), maxAmount: numberText(most) }];
}

/** An amount within the range of a payment method: the ordinary one, or else the bound closest to it. Decimal text. */
export function amountFor({ minAmount, maxAmount }: PaymentMethod): string {
  if (compareDecimals(ordinaryAmount.value, minAmount) < 0) return minAmount;
  return compareDecimals(ordinaryAmount.value, maxAmount) > 0 ? maxAmount : ordinaryAmount.value;
}

/** An amount with 18 decimal places, and with more digits than a library may round to, where the range leaves room for that. */
export function preciseAmountFor(method: PaymentMethod): string {
  const usual = amountFor(method);
  const isTaken = (amount: string) =>
    compareDecimals(amount, method.minAmount) >= 0 && compareDecimals(amount, method.maxAmount) <= 0;
  const precise = [longAmount, usual].map((amount) => addDecimals([amount, '0.000000000000000001']));
  return precise.find(isTaken) ?? usual;
}
