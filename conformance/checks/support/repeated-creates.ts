import type { MadeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import type { CheckoutOrderCreateRequest } from '../../arrange/checkout-orders/client.ts';
import type { RefundCreateRequest } from '../../arrange/refunds/client.ts';
import type { MadeRefund } from '../../arrange/refunds/refunds.ts';
import { needAccepted } from '../../check/expect.ts';
import { expectSameRecord, type RepeatedRecord } from './repeats.ts';

const checkoutOrder: RepeatedRecord = {
  idField: 'orderId',
  constant: ['orderId', 'orderAmount', 'cryptoPaymentAmount', 'depositAddress', 'network', 'createdAt', 'expiresAt'],
  ofStatus: ['paidAt', 'cryptoPaidAmount'],
  firstStatuses: ['INIT', 'PROCESSING'],
  requirement: 'checkout.create.repeat-same-order',
};

/** Sends the create of an order again, with `changes`. Fails unless the order stays as it was. */
export async function repeatOfCheckoutOrder(
  order: MadeCheckoutOrder,
  changes: Partial<CheckoutOrderCreateRequest>,
  what: string,
): Promise<void> {
  const before = await order.query();
  needAccepted(before, 'a query for the order that was made');
  const answer = await order.client.create({ ...order.request, ...changes });
  expectSameRecord(checkoutOrder, { before, repeat: answer, after: await order.query() }, what);
}

const refundRecord: RepeatedRecord = {
  idField: 'refundOrderId',
  constant: [
    'refundOrderId',
    'merchantRefundOrderId',
    'acquiringOrderId',
    'refundAmount',
    'refundCurrency',
    'createdTime',
    'extraData',
  ],
  ofStatus: ['completedTime', 'failedTime', 'closedTime', 'errorCode', 'errorMessage'],
  firstStatuses: ['PENDING', 'PROCESSING'],
  requirement: 'refunds.create.idempotent',
};

/** Sends the create of a refund again, with `changes`. Fails unless the refund stays as it was. */
export async function repeatOfRefund(
  refund: MadeRefund,
  changes: Partial<RefundCreateRequest>,
  what: string,
): Promise<void> {
  const { client, request } = refund;
  const query = () => client.query({ merchantRefundOrderId: request.merchantRefundOrderId });
  const before = await query();
  needAccepted(before, 'a query for the refund that was made');
  const answer = await client.create({ ...request, ...changes });
  expectSameRecord(refundRecord, { before, repeat: answer, after: await query() }, what);
}
