import type { CurrencyCode, Machine, OrdersEvent, OrdersState } from '../../generated/catalogue.ts';
import type { components } from '../../generated/types.ts';
import { compareAmounts, convertAmount } from './money.ts';
import { nextState } from './states.ts';

export type OrderStatus = OrdersState;
export type OrderMachine = Machine<OrdersState, OrdersEvent>;
export type OrderCreateRequest = components['schemas']['OrderCreateRequest'];
export type CheckoutOrderCreateRequest = components['schemas']['CheckoutOrderCreateRequest'];

/** The two products that have orders of their own. */
export type Product = 'hosted' | 'checkout';

/** Decimal text and a stablecoin. */
export interface CryptoAmount {
  value: string;
  currency: CurrencyCode;
}

/** The fields that hosted and checkout orders share. Times are business time, in milliseconds. */
interface OrderBase {
  orderId: string;
  merchantId: string;
  merchantOrderId: string;
  status: OrderStatus;
  /** The amount that the payer owes. For an order priced in USD it follows the rate until a payment is detected. */
  due: CryptoAmount;
  createdAt: number;
  expiresAt: number;
  /** When time alone next moves the order; null when it never does. */
  dueAt: number | null;
  payment: Payment | null;
  paidAt: number | null;
  /** How many of its changes of status have been announced. */
  sequence: number;
}

/** A hosted order. */
export interface HostedOrder extends OrderBase {
  product: 'hosted';
  /** The create request, as received. */
  request: OrderCreateRequest;
  /** USDT for one USD, by which `due` was converted; only of an order priced in USD. */
  usdRate?: string;
}

/** A checkout order. */
export interface CheckoutOrder extends OrderBase {
  product: 'checkout';
  /** The create request, as received. */
  request: CheckoutOrderCreateRequest;
  depositAddress: string;
}

/** Every kind of order. */
export type Order = HostedOrder | CheckoutOrder;

/** The transaction that was seen on chain, or the settlement of an exchange. */
export interface Payment {
  amount: CryptoAmount;
  paymentMethod: string;
  /** Network code of the contract, lower case. */
  network: string;
  fromAddress: string;
  toAddress: string;
  transactionHash: string;
  blockNumber: number;
  confirmations: number;
}

/** An event of an order, with the facts that the move needs. */
export type OrderEvent =
  | { type: 'transaction_detected'; payment: Payment; confirmsAt: number | null }
  | { type: 'payment_confirmed'; confirmations: number }
  | { type: Exclude<OrdersEvent, 'transaction_detected' | 'payment_confirmed'> };

/**
 * A new hosted order, in the machine's initial state.
 * `now` is the merchant's business time in milliseconds, `usdRate` the USDT for one USD (decimal text).
 */
export function newHostedOrder(input: {
  orderId: string;
  merchantId: string;
  request: OrderCreateRequest;
  usdRate: string;
  now: number;
  machine: OrderMachine;
}): HostedOrder {
  const { orderId, merchantId, request, usdRate, now, machine } = input;
  const expiresAt = Date.parse(request.expiresAt);
  return {
    product: 'hosted',
    orderId,
    merchantId,
    merchantOrderId: request.merchantOrderId,
    status: machine.initial,
    request,
    ...pricedAt(request, usdRate),
    createdAt: now,
    expiresAt,
    // An order that is created after its expiry closes at once, and not before its creation.
    dueAt: Math.max(now, expiresAt),
    payment: null,
    paidAt: null,
    sequence: 0,
  };
}

/**
 * The order with the amount that its payer would owe now; `usdRate` is the USDT for one USD (decimal text). A price in USD is
 * converted at payment time, so the rate counts until a payment is detected, and never after.
 */
export function atRate<Kind extends Order>(order: Kind, usdRate: string): Kind {
  return order.product === 'hosted' && order.payment === null
    ? { ...order, ...pricedAt(order.request, usdRate) }
    : order;
}

/** What the payer of a hosted order owes, and the rate where the price is converted. */
function pricedAt({ orderAmount }: OrderCreateRequest, usdRate: string): Pick<HostedOrder, 'due' | 'usdRate'> {
  const { value, currency } = orderAmount;
  if (currency !== 'USD') return { due: { value, currency: 'USDT' } };
  return { due: { value: convertAmount(value, usdRate), currency: 'USDT' }, usdRate };
}

/** A new checkout order, in the machine's initial state; the payer owes exactly the order's amount. */
export function newCheckoutOrder(input: {
  orderId: string;
  merchantId: string;
  request: CheckoutOrderCreateRequest;
  depositAddress: string;
  now: number;
  machine: OrderMachine;
}): CheckoutOrder {
  const { orderId, merchantId, request, depositAddress, now, machine } = input;
  const expiresAt = Date.parse(request.expiresAt);
  return {
    product: 'checkout',
    orderId,
    merchantId,
    merchantOrderId: request.merchantOrderId,
    status: machine.initial,
    request,
    depositAddress,
    due: request.orderAmount,
    createdAt: now,
    expiresAt,
    dueAt: expiresAt,
    payment: null,
    paidAt: null,
    sequence: 0,
  };
}

/** The order after `event` at business time `now` (milliseconds), or `undefined` when the machine has no such move. */
export function applyOrderEvent<Kind extends Order>(
  order: Kind,
  event: OrderEvent,
  now: number,
  machine: OrderMachine,
): Kind | undefined {
  const status = nextState(machine, order.status, event.type, coverage(order));
  if (status === undefined) return undefined;
  const moved = { ...order, status, dueAt: null };
  switch (event.type) {
    case 'transaction_detected':
      return { ...moved, payment: event.payment, dueAt: event.confirmsAt };
    case 'payment_confirmed': {
      const payment = order.payment && { ...order.payment, confirmations: event.confirmations };
      return { ...moved, payment, paidAt: status === 'SUCCEEDED' ? now : null };
    }
    default:
      return moved;
  }
}

function coverage({ payment, due }: Order) {
  if (!payment) return undefined;
  return compareAmounts(payment.amount.value, due.value) < 0 ? 'underpaid' : 'paidInFull';
}
