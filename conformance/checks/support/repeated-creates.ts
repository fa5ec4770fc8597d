import type { MadeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import type { CheckoutOrderCreateRequest } from '../../arrange/checkout-orders/client.ts';
import type { RefundCreateRequest } from '../../arrange/refunds/client.ts';
import type { MadeRefund } from '../../arrange/refunds/refunds.ts';
import type { WayToSend } from '../../arrange/requests/ways-to-send.ts';
import type { CheckContext } from '../../check/context.ts';
import { isAccepted, needAccepted, statusOf } from '../../check/expect.ts';
import { isFinalStatus } from '../../contract/statuses.ts';
import type { Answer } from '../../wire/exchange.ts';
import { askedAgain } from './failures.ts';
import { expectSameRecord, type RepeatedRecord } from './repeats.ts';

const checkoutOrder: RepeatedRecord = {
  idField: 'orderId',
  constant: [
    'orderId',
    'orderAmount',
    'cryptoPaymentAmount',
    'depositAddress',
    'network',
    'metadata',
    'createdAt',
    'expiresAt',
  ],
  ofStatus: ['paidAt', 'cryptoPaidAmount'],
  firstStatuses: ['INIT', 'PROCESSING'],
  requirement: 'checkout.create.repeat-same-order',
  idempotent: 'checkout.create.idempotent',
};

/** Asks for a record once its create was repeated. Where that was answered with an end, a query may come to show it a little later. */
const queryAfter = (context: CheckContext, query: () => Promise<Answer>, repeat: Answer): Promise<Answer> =>
  context.poll(
    query,
    (view) => !isAccepted(repeat) || !isFinalStatus('orders', statusOf(repeat)) || statusOf(view) === statusOf(repeat),
  );

/**
 * Sends the create of an order again, with `changes`. Fails unless the order stays as it was. A service that fails at it is asked again, so
 * that the rules over the whole run see whether it fails for good. `way`: how it is sent again. Absent: as most libraries send it.
 */
export async function repeatOfCheckoutOrder(
  context: CheckContext,
  order: MadeCheckoutOrder,
  changes: Partial<CheckoutOrderCreateRequest>,
  what: string,
  way?: WayToSend,
): Promise<void> {
  const before = await order.query();
  needAccepted(before, 'a query for the order that was made');
  const answer = await askedAgain(
    context,
    () => order.client.create({ ...order.request, ...changes }, way),
    order.query,
  );
  const after = await queryAfter(context, order.query, answer);
  expectSameRecord(checkoutOrder, { before, repeat: answer, after }, what);
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
  idempotent: 'refunds.create.idempotent',
};

/** Does the same for a refund. */
export async function repeatOfRefund(
  context: CheckContext,
  refund: MadeRefund,
  changes: Partial<RefundCreateRequest>,
  what: string,
  way?: WayToSend,
): Promise<void> {
  const { client, request } = refund;
  const query = () => client.query({ merchantRefundOrderId: request.merchantRefundOrderId });
  const before = await query();
  needAccepted(before, 'a query for the refund that was made');
  const answer = await askedAgain(context, () => client.create({ ...request, ...changes }, way), query);
  expectSameRecord(refundRecord, { before, repeat: answer, after: await queryAfter(context, query, answer) }, what);
}
