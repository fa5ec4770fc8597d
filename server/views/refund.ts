import type { Choices } from '../../generated/catalogue.ts';
import type { components } from '../../generated/types.ts';
import type { Refund, RefundStatus } from '../domain/refund.ts';
import { timeForms } from '../domain/times.ts';

export type RefundOrderData = components['schemas']['RefundOrderData'];

/** How the refunds area names a payment on chain (open point `refund-payment-method`). */
const onChainNames: Readonly<Record<Choices['refund-payment-method'], string>> = {
  'on-chain-transfer': 'ON_CHAIN_TRANSFER',
  'on-chain-pay': 'ON_CHAIN_PAY',
};

/** The fields for which no status is named, by the one in which a refund is. */
interface OpenFields {
  estimatedCompletionTime?: string;
  merchantDeductAmount?: string;
}

/** Which of these fields a refund shows (open point `refund-record-fields`). */
const openFields: Readonly<
  Record<Choices['refund-record-fields'], (status: RefundStatus, fields: Required<OpenFields>) => OpenFields>
> = {
  'where-they-apply': (status, { estimatedCompletionTime, merchantDeductAmount }) => ({
    ...((status === 'PENDING' || status === 'PROCESSING') && { estimatedCompletionTime }),
    ...(status !== 'FAILED' && status !== 'CLOSED' && { merchantDeductAmount }),
  }),
  always: (_status, fields) => fields,
};

/** How the extraData of a refund is shown whose request had none (open point `refund-null-or-absent`). */
const noExtraData: Readonly<Record<Choices['refund-null-or-absent'], { extraData?: null }>> = {
  absent: {},
  'null-value': { extraData: null },
};

/** How refunds are shown. What does not apply to a refund's status is left out. */
export function refundViews(choices: Choices) {
  const writeTime = timeForms[choices['time-forms']];
  const openFieldsOf = openFields[choices['refund-record-fields']];
  const withoutExtraData = noExtraData[choices['refund-null-or-absent']];
  const paymentMethods: Readonly<Record<string, string>> = {
    ON_CHAIN_TRANSFER: onChainNames[choices['refund-payment-method']],
    EXCHANGE_ONE: 'EXCHANGE_ONE_PAY',
    EXCHANGE_TWO: 'EXCHANGE_TWO_PAY',
  };

  return function refundView(refund: Refund): RefundOrderData {
    const { request, failure } = refund;
    return {
      refundOrderId: refund.refundOrderId,
      merchantRefundOrderId: refund.merchantRefundOrderId,
      acquiringOrderId: refund.acquiringOrderId,
      merchantOrderId: refund.merchantOrderId,
      status: refund.status,
      refundAmount: refund.amount.value,
      refundCurrency: refund.amount.currency,
      paymentMethod: paymentMethods[refund.paymentMethod] ?? refund.paymentMethod,
      createdTime: writeTime(refund.createdAt),
      ...openFieldsOf(refund.status, {
        estimatedCompletionTime: writeTime(refund.estimatedCompletionAt),
        merchantDeductAmount: refund.deductAmount,
      }),
      ...(refund.endedAt !== null && endedFields(refund, writeTime(refund.endedAt))),
      ...(failure && { errorCode: failure.errorCode, errorMessage: failure.errorMessage }),
      ...(request.extraData === undefined ? withoutExtraData : { extraData: request.extraData }),
    };
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
