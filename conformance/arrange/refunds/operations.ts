import type { CheckContext } from '../../check/context.ts';
import { isAccepted } from '../../check/expect.ts';
import { percentEncoded } from '../../contract/percent-encoding.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { arrangeOperation, type PreparedRequest, post } from '../requests/arranged-operation.ts';
import { furtherRefundFields } from '../requests/further-fields.ts';
import { type RefundCreateRequest, type RefundsClient, refundsClient } from './client.ts';
import { lendOrder } from './lent-orders.ts';
import { makePaidOrder } from './paid-orders.ts';
import { makeRefund, refundRequest, standingRefund, unrefundedOrder } from './refunds.ts';
import { isRefundOfOtherCheck } from './refunds-of-others.ts';

export const createRefund = arrangeOperation('refunds.create', {
  noun: 'a refund request',
  needs: ['paid-order'],
  async prepare(context, merchant) {
    const plenty = context.has('order-events');
    const { orderId } = await (plenty ? makePaidOrder(context, merchant) : unrefundedOrder(context));
    const standing = plenty ? undefined : await standingRefund(context);
    return {
      ...refundOf(context, merchant, orderId),
      ...(standing && { twin: { answer: standing.created, find: standing.query } }),
    };
  },
  async prepareRefused(context, merchant) {
    const { order, giveBack } = await lendOrder(context, merchant);
    // Several requests go out for this order, and any of them may have made its refund.
    const acquiringOrderId = order.orderId;
    const ofOrder = (client: RefundsClient) => client.query({ acquiringOrderId });
    return {
      ...refundOf(context, merchant, acquiringOrderId, furtherRefundFields(context), ofOrder),
      release: giveBack,
    };
  },
});

/** The request for a refund of a paid order, not sent yet. `otherwise` asks for the refund where it is not found under its own id. */
function refundOf(
  context: CheckContext,
  merchant: Credentials,
  orderId: string,
  further: Partial<RefundCreateRequest> = {},
  otherwise?: (client: RefundsClient) => Promise<Answer>,
): PreparedRequest {
  const client = refundsClient(context, merchant);
  const body = refundRequest(context, orderId, further);
  return {
    client,
    request: post(client.refundsPath, body),
    body: { ...body },
    makes: {
      id: 'merchantRefundOrderId',
      async find(merchantRefundOrderId = body.merchantRefundOrderId) {
        const answer = await client.query({ merchantRefundOrderId });
        if (isAccepted(answer) || !otherwise) return answer;
        const ofOrder = await otherwise(client);
        const isIt = field(ofOrder, 'data.merchantRefundOrderId') === merchantRefundOrderId;
        return isIt && !isRefundOfOtherCheck(context, ofOrder, orderId) ? ofOrder : answer;
      },
    },
  };
}

export const queryRefund = arrangeOperation('refunds.query', {
  noun: 'a refund query',
  needs: ['paid-order'],
  async prepare(context, merchant) {
    const { client, refundOrderId } = await (context.has('order-events')
      ? makeRefund(context, merchant)
      : standingRefund(context));
    const query = `refundOrderId=${percentEncoded(refundOrderId)}`;
    return { client, request: { method: 'GET', path: client.refundsPath, query } };
  },
});

export const batchQueryRefunds = arrangeOperation('refunds.batch-query', {
  noun: 'a batch query of refunds',
  needs: ['paid-order'],
  async prepare(context, merchant) {
    const { client, request } = await (context.has('order-events')
      ? makeRefund(context, merchant)
      : standingRefund(context));
    const body = { merchantRefundOrderIds: [request.merchantRefundOrderId] };
    return { client, request: post(client.batchPath, body), body };
  },
});
