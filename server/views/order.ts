import { type Choices, networks } from '../../generated/catalogue.ts';
import type { components } from '../../generated/types.ts';
import type { HostedOrder, Payment } from '../domain/order.ts';
import { timeForms } from '../domain/times.ts';
import { success } from './envelope.ts';

type OrderView = components['schemas']['OrderView'];
export type PaymentDetail = components['schemas']['OrderPaymentDetail'];

/** How the payment of an exchange's customer is shown (open point `exchange-payment-detail`). */
const exchangeDetails: Readonly<Record<Choices['exchange-payment-detail'], (payment: Payment) => PaymentDetail>> = {
  'as-on-chain': transactionDetail,
  'exchange-reference': (payment) => ({
    ...transactionDetail(payment),
    txHash: `${payment.paymentMethod}-${payment.transactionHash.slice(-16)}`,
    confirmations: 0,
    blockNumber: 0,
  }),
};

/** How the payments of hosted orders are shown. */
export function paymentDetails(choices: Choices): (payment: Payment) => PaymentDetail {
  const exchangeDetail = exchangeDetails[choices['exchange-payment-detail']];
  return (payment) => (payment.paymentMethod === 'ON_CHAIN_TRANSFER' ? transactionDetail : exchangeDetail)(payment);
}

/**
 * How hosted orders are shown; `checkoutUrl` is the address under which order ids are checkout pages, without a closing
 * slash. The fields of a successful payment are null until there is one.
 */
export function orderViews({ checkoutUrl, choices }: { checkoutUrl: string; choices: Choices }) {
  const writeTime = timeForms[choices['time-forms']];
  const detailOf = paymentDetails(choices);

  return function orderView(order: HostedOrder): OrderView {
    const { orderId, merchantId, merchantOrderId, status, request, payment, paidAt } = order;
    const paid = paidAt === null ? null : payment;
    return {
      orderId,
      merchantId,
      merchantOrderId,
      status,
      checkoutUrl: `${checkoutUrl}/${encodeURIComponent(orderId)}`,
      createdAt: writeTime(order.createdAt),
      expiresAt: writeTime(order.expiresAt),
      paidAt: paidAt === null ? null : writeTime(paidAt),
      orderAmount: request.orderAmount,
      cryptoPaidAmount: paid?.amount ?? null,
      cryptoPaymentDetail: paid && detailOf(paid),
      standardResponseCode: success.code,
      standardResponseMessage: success.message,
    };
  };
}

function transactionDetail(payment: Payment): PaymentDetail {
  return {
    txHash: payment.transactionHash,
    network: networks.find(({ code }) => code === payment.network)?.hostedName ?? payment.network.toUpperCase(),
    fromAddress: payment.fromAddress,
    toAddress: payment.toAddress,
    confirmations: payment.confirmations,
    blockNumber: payment.blockNumber,
  };
}
