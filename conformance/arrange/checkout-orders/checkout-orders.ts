import { checkoutMachine, type OrdersState } from '../../../generated/catalogue.ts';
import type { CheckContext } from '../../check/context.ts';
import { needAccepted, needText, statusOf } from '../../check/expect.ts';
import { isDecimalText, shortestDecimal } from '../../contract/decimals.ts';
import { isFinalStatus } from '../../contract/statuses.ts';
import type { Credentials, OrderStep } from '../../drivers/driver.ts';
import { Inconclusive, NotApplicable, PermittedChoice } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import {
  type AnyMadeOrder,
  bringOrderTo,
  expire,
  needSoonAccepted,
  ordinaryExpiry,
  soon,
} from '../orders/any-order.ts';
import type { Acceptance } from '../orders/orders.ts';
import { waysThatMayFindOrder } from '../orders/ways-to-ask.ts';
import { pollFor } from '../requests/bring-to.ts';
import { featuresOf } from '../requests/features.ts';
import { createWith, furtherCheckoutFields } from '../requests/further-fields.ts';
import { rememberMade } from '../requests/made-records.ts';
import { ifTaken } from '../situations/situations.ts';
import { type CheckoutClient, type CheckoutOrderCreateRequest, checkoutClient } from './client.ts';
import { amountFor, type PaymentMethod, paymentMethodsOf, preciseAmountFor } from './payment-methods.ts';

/** A small, ordinary create request for a payment method, with an id of its own; `changes` replaces whole fields. */
export function checkoutRequest(
  context: CheckContext,
  method: PaymentMethod,
  changes: Partial<CheckoutOrderCreateRequest> = {},
): CheckoutOrderCreateRequest {
  return {
    merchantOrderId: context.newOrderId(),
    paymentMethodType: 'ON_CHAIN_TRANSFER',
    expiresAt: ordinaryExpiry(context),
    ...orderedBy(method),
    ...changes,
  };
}

/** The fields of a create by which an order of an ordinary price is paid by a payment method. */
export const orderedBy = (method: PaymentMethod): Pick<CheckoutOrderCreateRequest, 'orderAmount' | 'network'> => ({
  orderAmount: { value: amountFor(method), currency: method.currency },
  network: method.network,
});

/** A merchant's client and the first of its payment methods. */
export async function checkoutMerchant(
  context: CheckContext,
  merchant: Credentials,
): Promise<{ client: CheckoutClient; method: PaymentMethod }> {
  const client = checkoutClient(context, merchant);
  const [method] = await paymentMethodsOf(client);
  if (!method) throw new NotApplicable('the merchant has no payment method');
  return { client, method };
}

/** The same, after an ordinary create has shown that the merchant's creates are accepted. */
export async function readyCheckoutMerchant(
  context: CheckContext,
  merchant: Credentials,
): Promise<{ client: CheckoutClient; method: PaymentMethod }> {
  const { client, method } = await checkoutMerchant(context, merchant);
  needAccepted(await client.create(checkoutRequest(context, method)), 'an ordinary checkout create');
  return { client, method };
}

/** A checkout order that was made before the judgement. */
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
  const { client, method: first } = await checkoutMerchant(context, merchant);
  const isFree = changes.orderAmount === undefined && changes.network === undefined;
  const chosen = isFree ? context.choose([first, ...(await paymentMethodsOf(client))]) : first;
  const expiresAt = ordinaryExpiry(context, merchant);
  const currency = changes.orderAmount?.currency ?? chosen.currency;
  const { request, created } = await createWith(context, {
    area: 'checkout',
    further: { ...furtherCheckoutFields(context, expiresAt, currency), ...orderedBy(chosen) },
    requestWith: (further) => checkoutRequest(context, first, { expiresAt, ...further, ...changes }),
    create: client.create,
  });
  acceptance(created, 'making a checkout order');
  const isChosen = request.network === chosen.network && request.orderAmount.currency === chosen.currency;
  const method = isChosen ? chosen : first;
  const orderId = needText(created, 'data.orderId');
  const query = (): Promise<Answer> => client.query(request.merchantOrderId);
  rememberMade(context, {
    area: 'checkout',
    merchant,
    id: orderId,
    ownId: request.merchantOrderId,
    kind: `${request.orderAmount.currency} over ${request.network}`,
    features: featuresOf(request),
    waysToAsk: (by, as = merchant) =>
      waysThatMayFindOrder({ product: 'checkout', client: checkoutClient(by, as), request, orderId }),
  });
  return { product: 'checkout', merchant, client, method, request, orderId, created, query };
}

/** States into which the specification leads no checkout order, each with the step that may lead there. */
const freeSteps: Readonly<Partial<Record<OrdersState, OrderStep['type']>>> = {
  PROCESSING: 'transaction_detected',
  CLOSED: 'cancelled',
};

/**
 * Brings a checkout order from INIT into `state` through the driver. Throws `Inconclusive` when it does not get there, and
 * `PermittedChoice` when the contract lets the target leave the state out (open point `checkout-transitions`).
 */
export async function bringCheckoutOrderTo(
  context: CheckContext,
  order: AnyMadeOrder,
  state: OrdersState,
): Promise<void> {
  const type = freeSteps[state];
  if (!type) return bringOrderTo(context, order, state);
  const outcome = await context.orderEvent(order.merchant, order.orderId, { type });
  const isThere = (answer: Answer) => statusOf(answer) === state;
  const settled = (answer: Answer) => isThere(answer) || isFinalStatus('checkout', statusOf(answer));
  const reached = outcome.done
    ? await pollFor(context, `${order.product} ends after ${type}`, order.query, settled)
    : await order.query();
  if (isThere(reached)) return;
  throw new PermittedChoice(
    `${type} does not bring a checkout order to ${state} here (open point checkout-transitions)`,
  );
}

/** Makes a checkout order whose expiry can be awaited, or brought about by moving the merchant's clock. */
export const makeExpiringCheckoutOrder = (context: CheckContext, merchant: Credentials): Promise<MadeCheckoutOrder> =>
  makeCheckoutOrder(context, merchant, soon(context), needSoonAccepted(context));

/** Makes a checkout order of a merchant of its own and brings it into `state`, as `bringCheckoutOrderTo` does; without a driver for orders, CLOSED is reached by expiry. */
export async function makeCheckoutOrderIn(
  context: CheckContext,
  state: OrdersState,
  changes: Partial<CheckoutOrderCreateRequest> = {},
): Promise<MadeCheckoutOrder> {
  const merchant = await context.ownMerchant();
  if (state === 'CLOSED' && !context.has('order-events')) {
    const order = await makeExpiringCheckoutOrder(context, merchant);
    const ended = await expire(context, order);
    if (statusOf(ended) === state) return order;
    throw new NotApplicable('a checkout order that expires is not CLOSED here (open point checkout-transitions)');
  }
  const order = await makeCheckoutOrder(context, merchant, changes);
  await bringCheckoutOrderTo(context, order, state);
  return order;
}

/** A checkout order in `state`. One in INIT needs no driver, and therefore no merchant of its own. */
export async function checkoutOrderIn(context: CheckContext, state: OrdersState): Promise<MadeCheckoutOrder> {
  return state === checkoutMachine.initial
    ? makeCheckoutOrder(context, await context.merchant())
    : makeCheckoutOrderIn(context, state);
}

/** A checkout order with the amount that is due, and the smallest amount that the target can count. Both decimal text. */
export interface PreciseCheckoutOrder extends MadeCheckoutOrder {
  due: string;
  smallest: string;
}

/** Decimal places that every stablecoin of the platform has, and the most that a payment can have. Further ones are zeros. */
const [fewestPlaces, mostPlaces] = [6, 18];

/** What is due for an order, as decimal text, and to how many places. */
function dueOf({ created }: MadeCheckoutOrder): { due: string; places: number } {
  const due = needText(created, 'data.cryptoPaymentAmount.value');
  if (!isDecimalText(due)) throw new Inconclusive(`data.cryptoPaymentAmount.value is no decimal text: ${due}`);
  return { due, places: shortestDecimal(due).split('.')[1]?.length ?? 0 };
}

/**
 * Makes an order whose amount has 18 decimal places or, where the target refuses it or adds a fee that takes more places than a payment can
 * have, an ordinary one. The amount that is due shows how many places the target counts, and so the smallest difference by which a payment
 * can miss it.
 */
export async function makePreciseCheckoutOrder(
  context: CheckContext,
  merchant: Credentials,
): Promise<PreciseCheckoutOrder> {
  const { method } = await checkoutMerchant(context, merchant);
  const orderAmount = { value: preciseAmountFor(method), currency: method.currency };
  const precise = await ifTaken(makeCheckoutOrder(context, merchant, { orderAmount }));
  const isPayable = precise && dueOf(precise).places <= mostPlaces;
  const order = isPayable ? precise : await makeCheckoutOrder(context, merchant);
  const { due } = dueOf(order);
  const places = Math.min(mostPlaces, Math.max(fewestPlaces, due.split('.')[1]?.length ?? 0));
  return { ...order, due, smallest: `0.${'1'.padStart(places, '0')}` };
}
