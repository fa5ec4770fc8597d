import type { components } from '../../generated/types.ts';
import type { Refund } from '../domain/refund.ts';
import { isoTime } from './times.ts';

export type RefundOrderData = components['schemas']['RefundOrderData'];

/** How the refunds area names the way in which an order was paid (open point `refund-payment-method`). */
const paymentMethods: Readonly<Record<string, string>> = {
  EXCHANGE_ONE: 'EXCHANGE_ONE_PAY',
  EXCHANGE_TWO: 'EXCHANGE_TWO_PAY',
};

/** A refund as answers show it. What does not apply to its status is left out. */
export function refundView(refund: Refund): RefundOrderData {
  const { request, failure } = refund;
  return {
    refundOrderId: refund.refundOrderId,
    merchantRefundOrderId: refund.merchantRefundOrderId,
    acquiringOrderId: refund.acquiringOrderId,
    merchantOrderId: refund.merchantOrderId,
    status: refund.status,
    refundAmount: refund.amount.value,
    refundCurrency: refund.amount.currency,
    merchantDeductAmount: refund.deductAmount,
    paymentMethod: paymentMethods[refund.paymentMethod] ?? refund.paymentMethod,
    createdTime: isoTime(refund.createdAt),
    estimatedCompletionTime: isoTime(refund.estimatedCompletionAt),
    ...(refund.endedAt !== null && endedFields(refund, isoTime(refund.endedAt))),
    ...(failure && { errorCode: failure.errorCode, errorMessage: failure.errorMessage }),
    ...(request.extraData !== undefined && { extraData: request.extraData }),
  };
}

function endedFields({ status }: Refund, time: string) {
  switch (status) {
    case 'SUCCEEDED':
      return { completedTime: time };
    case 'FAILED':
      return { failedTime: time };
    case 'CLOSED':
      return { closedTime: time };
    default:
      return {};
  }
}
