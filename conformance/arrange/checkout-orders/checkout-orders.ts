import {
  type CurrencyCode,
  checkoutMachine,
  currencies,
  type NetworkCode,
  type OrdersState,
} from '../../../generated/catalogue.ts';
import type { CheckContext } from '../../check/context.ts';
import { needAccepted, needText, summary } from '../../check/expect.ts';
import { addDecimals, compareDecimals, isDecimalText, numberText } from '../../contract/decimals.ts';
import type { Credentials, OrderStep } from '../../drivers/driver.ts';
import { Inconclusive, NotApplicable } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { type Acceptance, type AnyMadeOrder, bringOrderTo, orderLifetime } from '../orders/orders.ts';
import { type CheckoutClient, type CheckoutOrderCreateRequest, checkoutClient } from './client.ts';

/** A pair of currency and network that a merchant can be paid with, and between which amounts, as decimal text. */
export interface PaymentMethod {
  currency: CurrencyCode;
  network: NetworkCode;
  minAmount: string;
  maxAmount: string;
}

/** What an ordinary order of a check costs, where the payment method allows it. */
const ordinaryAmount = '9.50';

/** Lists that were asked for, by the run's merchants: every order needs one, and none changes while a run lasts. */
const known = new WeakMap<Credentials, Promise<PaymentMethod[]>>();

/** The merchant's payment methods that are pairs of the contract. Throws `Inconclusive` where there is no list. */
export function paymentMethodsOf(client: CheckoutClient): Promise<PaymentMethod[]> {
  const { merchant } = client;
  const methods = known.get(merchant) ?? askForMethods(client);
  known.set(merchant, methods);
  // The next one to need them finds out for itself why there are none.
  methods.catch(() => known.delete(merchant));
  return methods;
}

async function askForMethods(client: CheckoutClient): Promise<PaymentMethod[]> {
  const answer = await client.paymentMethods();
  needAccepted(answer, 'listing the payment methods');
  const listed = field(answer, 'data.paymentMethods');
  if (!Array.isArray(listed)) throw new Inconclusive(`there is no list of payment methods: ${summary(answer)}`);
  const methods = listed.flatMap(readMethod);
  if (methods.length === 0) throw new NotApplicable('the merchant has no payment method');
  return methods;
}

function readMethod(listed: unknown): PaymentMethod[] {
  if (typeof listed !== 'object' || listed === null) return [];
  const [code, network, least, most] = ['cryptoCurrency', 'network', 'minAmount', 'maxAmount'].map((name): unknown =>
    Reflect.get(listed, name),
  );
  const currency = currencies.find((each) => each.code === code);
  const known = currency?.networks.find((each) => each === network);
  if (!currency || !known || typeof least !== 'number' || typeof most !== 'number') return [];
  return [{ currency: currency.code, network: known, minAmount: numberText(least), maxAmount: numberText(most) }];
}

/** An amount that a payment method takes: the ordinary one, or else that of its bounds which lies closest to it. */
export function amountFor({ minAmount, maxAmount }: PaymentMethod): string {
  if (compareDecimals(ordinaryAmount, minAmount) < 0) return minAmount;
  return compareDecimals(ordinaryAmount, maxAmount) > 0 ? maxAmount : ordinaryAmount;
}

/** The same with 18 decimal places, where the range leaves room for them. */
export function preciseAmountFor(method: PaymentMethod): string {
  const precise = addDecimals([amountFor(method), '0.000000000000000001']);
  return compareDecimals(precise, method.maxAmount) <= 0 ? precise : amountFor(method);
}

/** A small, ordinary create request for a payment method, with an id of its own; `changes` replaces whole fields. */
export function checkoutRequest(
  context: CheckContext,
  method: PaymentMethod,
  changes: Partial<CheckoutOrderCreateRequest> = {},
): CheckoutOrderCreateRequest {
  return {
    merchantOrderId: context.newOrderId(),
    orderAmount: { value: amountFor(method), currency: method.currency },
    paymentMethodType: 'ON_CHAIN_TRANSFER',
    network: method.network,
    expiresAt: new Date(context.now() + orderLifetime * 1000).toISOString(),
    ...changes,
  };
}

/** A merchant's client, and the first of its payment methods. */
export async function checkoutMerchant(
  context: CheckContext,
  merchant: Credentials,
): Promise<{ client: CheckoutClient; method: PaymentMethod }> {
  const client = checkoutClient(context, merchant);
  const [method] = await paymentMethodsOf(client);
  if (!method) throw new NotApplicable('the merchant has no payment method');
  return { client, method };
}

/** A checkout order that a check has made as a step before its judgement. */
export interface MadeCheckoutOrder extends AnyMadeOrder {
  client: CheckoutClient;
  method: PaymentMethod;
  request: CheckoutOrderCreateRequest;
}

/** Makes a checkout order. A refusal is `Inconclusive`, unless `acceptance` judges it. */
export async function makeCheckoutOrder(
  context: CheckContext,
  merchant: Credentials,
  changes: Partial<CheckoutOrderCreateRequest> = {},
  acceptance: Acceptance = needAccepted,
): Promise<MadeCheckoutOrder> {
  const { client, method } = await checkoutMerchant(context, merchant);
  const request = checkoutRequest(context, method, changes);
  const created = await client.create(request);
  acceptance(created, 'making a checkout order');
  const orderId = needText(created, 'data.orderId');
  const query = (): Promise<Answer> => client.query(request.merchantOrderId);
  return { merchant, client, method, request, orderId, created, query };
}

/** States that no sentence of the specification leads a checkout order to: what else may happen on the way there. */
const free: Readonly<Partial<Record<OrdersState, OrderStep['type']>>> = {
  PROCESSING: 'transaction_detected',
  CLOSED: 'cancelled',
};

/**
 * Brings a checkout order from INIT into `state` through the driver. Throws `Inconclusive` when it does not get there, and
 * `NotApplicable` when it need not (open point `checkout-transitions`).
 */
export async function bringCheckoutOrderTo(
  context: CheckContext,
  order: AnyMadeOrder,
  state: OrdersState,
): Promise<void> {
  const type = free[state];
  if (!type) return bringOrderTo(context, order, state);
  const outcome = await context.orderEvent(order.merchant, order.orderId, { type });
  const isThere = (answer: Answer) => field(answer, 'data.status') === state;
  const settled = (answer: Answer) => isThere(answer) || isFinal(field(answer, 'data.status'));
  const reached = outcome.done ? await context.poll(order.query, settled) : await order.query();
  if (isThere(reached)) return;
  throw new NotApplicable(`${type} does not bring a checkout order to ${state} here (open point checkout-transitions)`);
}

/** Makes a checkout order of a merchant of its own and brings it into `state`, as `bringCheckoutOrderTo` does. */
export async function makeCheckoutOrderIn(
  context: CheckContext,
  state: OrdersState,
  changes: Partial<CheckoutOrderCreateRequest> = {},
): Promise<MadeCheckoutOrder> {
  const order = await makeCheckoutOrder(context, await context.ownMerchant(), changes);
  await bringCheckoutOrderTo(context, order, state);
  return order;
}

const isFinal = (status: unknown) =>
  Object.entries(checkoutMachine.states).some(([name, { final }]) => name === status && final);

/** A checkout order, with what is due of it and the last place of it, as decimal text. */
export interface PreciseCheckoutOrder extends MadeCheckoutOrder {
  due: string;
  smallest: string;
}

/** Places behind the point that every stablecoin of the platform has. */
const fewestPlaces = 6;

/**
 * Makes an order whose amount has 18 decimal places, or, where the target does not take one, an ordinary one. What is due
 * shows how exactly the target counts, and so by how little a payment can miss it.
 */
export async function makePreciseCheckoutOrder(
  context: CheckContext,
  merchant: Credentials,
): Promise<PreciseCheckoutOrder> {
  const { method } = await checkoutMerchant(context, merchant);
  const orderAmount = { value: preciseAmountFor(method), currency: method.currency };
  const order = await makeCheckoutOrder(context, merchant, { orderAmount }).catch((error: unknown) => {
    if (error instanceof Inconclusive) return makeCheckoutOrder(context, merchant);
    throw error;
  });
  const due = needText(order.created, 'data.cryptoPaymentAmount.value');
  if (!isDecimalText(due)) throw new Inconclusive(`data.cryptoPaymentAmount.value is no decimal text: ${due}`);
  const places = Math.max(fewestPlaces, due.split('.')[1]?.length ?? 0);
  return { ...order, due, smallest: `0.${'1'.padStart(places, '0')}` };
}
