import type { Choices, Machine, RefundsEvent, RefundsState } from '../../generated/catalogue.ts';
import type { components } from '../../generated/types.ts';
import { multiplyAmounts } from './money.ts';
import type { CryptoAmount, Order } from './order.ts';
import { nextState } from './states.ts';

export type RefundStatus = RefundsState;
export type RefundMachine = Machine<RefundsState, RefundsEvent>;
export type RefundCreateRequest = components['schemas']['RefundCreateRequest'];

/** A refund. Times are business time, in milliseconds. */
export interface Refund {
  refundOrderId: string;
  merchantId: string;
  merchantRefundOrderId: string;
  /** Platform id of the refunded order. */
  acquiringOrderId: string;
  merchantOrderId: string;
  status: RefundStatus;
  request: RefundCreateRequest;
  /** The amount that the payer has paid and gets back. */
  amount: CryptoAmount;
  /** The amount that the merchant's balance pays, decimal text in the same currency. */
  deductAmount: string;
  paymentMethod: string;
  createdAt: number;
  estimatedCompletionAt: number;
  /** When it came to its final state; null before. */
  endedAt: number | null;
  /** Why it failed; null unless it did. */
  failure: { errorCode: string; errorMessage: string } | null;
  /** When time alone next moves it; null when it never does. */
  dueAt: number | null;
  /** How many of its changes have been announced. */
  sequence: number;
}

/** An event of a refund. `nextAt`: when time alone makes the next move, business time in milliseconds; null: never. */
export type RefundEvent =
  | { type: 'processing_started'; nextAt: number | null }
  | { type: 'completed' | 'closed' }
  | { type: 'failed'; errorCode: string; errorMessage: string };

/** The amount that the merchant's balance pays for a refund, decimal text (open point `refund-deduct-amount`). */
export const deductAmounts: Readonly<Record<Choices['refund-deduct-amount'], (refundAmount: string) => string>> = {
  equal: (refundAmount) => refundAmount,
  'after-fee': (refundAmount) => multiplyAmounts(refundAmount, '0.99'),
};

/** The amount that the payer gets back for a payment of an order (open point `refund-overpaid`). */
export const refundAmounts: Readonly<
  Record<Choices['refund-overpaid'], (paid: CryptoAmount, order: Order) => CryptoAmount>
> = {
  paid: (paid) => paid,
  ordered: (paid, { request: { orderAmount } }) =>
    orderAmount.currency === paid.currency ? { value: orderAmount.value, currency: paid.currency } : paid,
};

/** A new refund of the payment of `order`, in the machine's initial state. Throws when the order has no payment. */
export function newRefund(input: {
  refundOrderId: string;
  request: RefundCreateRequest;
  order: Order;
  /** The amount that the payer of the order gets back. */
  amountOf: (paid: CryptoAmount, order: Order) => CryptoAmount;
  /** The amount that the merchant's balance pays for a refunded amount. */
  deductAmountOf: (refundAmount: string) => string;
  machine: RefundMachine;
  /** Business time in milliseconds. */
  now: number;
  estimatedCompletionAt: number;
  /** When time alone moves it on; null: it does not. */
  nextAt: number | null;
}): Refund {
  const { refundOrderId, request, order, amountOf, deductAmountOf, machine, now, estimatedCompletionAt, nextAt } =
    input;
  if (!order.payment) throw new Error(`order ${order.orderId} has no payment to give back`);
  const { paymentMethod } = order.payment;
  const amount = amountOf(order.payment.amount, order);
  return {
    refundOrderId,
    merchantId: order.merchantId,
    merchantRefundOrderId: request.merchantRefundOrderId,
    acquiringOrderId: order.orderId,
    merchantOrderId: order.merchantOrderId,
    status: machine.initial,
    request,
    amount,
    deductAmount: deductAmountOf(amount.value),
    paymentMethod,
    createdAt: now,
    estimatedCompletionAt,
    endedAt: null,
    failure: null,
    dueAt: nextAt,
    sequence: 0,
  };
}

/** The refund after `event` at business time `now` (milliseconds), or `undefined` when the machine has no such move. */
export function applyRefundEvent(
  refund: Refund,
  event: RefundEvent,
  now: number,
  machine: RefundMachine,
): Refund | undefined {
  const status = nextState(machine, refund.status, event.type);
  if (status === undefined) return undefined;
  const endedAt = machine.states[status].final ? now : null;
  const failure =
    event.type === 'failed' ? { errorCode: event.errorCode, errorMessage: event.errorMessage } : refund.failure;
  const dueAt = event.type === 'processing_started' ? event.nextAt : null;
  return { ...refund, status, endedAt, failure, dueAt };
}

/** Whether an earlier refund of an order keeps it from being refunded again (open point `refund-second`). */
export const forbidsAnother: Readonly<Record<Choices['refund-second'], (earlier: Refund) => boolean>> = {
  'after-failure': ({ status }) => status !== 'FAILED' && status !== 'CLOSED',
  never: () => true,
};
