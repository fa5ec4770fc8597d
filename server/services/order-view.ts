import { networks } from '../../generated/catalogue.ts';
import type { components } from '../../generated/types.ts';
import type { HostedOrder } from '../domain/order.ts';
import { isoTime } from './times.ts';

type OrderView = components['schemas']['OrderView'];

/** Code and words of success, everywhere. */
export const success = { code: '00000', message: 'Success' } as const;

/** An order as answers show it. What belongs to a successful payment is null before there is one. */
export function orderView(order: HostedOrder, checkoutUrl: string): OrderView {
  const { orderId, merchantId, merchantOrderId, status, request, payment, paidAt } = order;
  const paid = paidAt === null ? null : payment;
  return {
    orderId,
    merchantId,
    merchantOrderId,
    status,
    checkoutUrl: `${checkoutUrl}/${orderId}`,
    createdAt: isoTime(order.createdAt),
    expiresAt: isoTime(order.expiresAt),
    paidAt: paidAt === null ? null : isoTime(paidAt),
    orderAmount: request.orderAmount,
    cryptoPaidAmount: paid?.amount ?? null,
    cryptoPaymentDetail: paid && {
      txHash: paid.transactionHash,
      network: networks.find(({ code }) => code === paid.network)?.hostedName ?? paid.network.toUpperCase(),
      fromAddress: paid.fromAddress,
      toAddress: paid.toAddress,
      confirmations: paid.confirmations,
      blockNumber: paid.blockNumber,
    },
    standardResponseCode: success.code,
    standardResponseMessage: success.message,
  };
}
