import type { CheckContext } from '../../check/context.ts';
import { isAccepted } from '../../check/expect.ts';
import { percentEncoded } from '../../contract/percent-encoding.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { arrangeOperation, type PreparedRequest, post } from '../requests/arranged-operation.ts';
import { refundsClient } from './client.ts';
import { lendOrder } from './lent-orders.ts';
import { makePaidOrder } from './paid-orders.ts';
import { makeRefund, refundRequest, standingRefund, unrefundedOrder } from './refunds.ts';

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
    const { orderId } = order;
    const prepared = refundOf(context, merchant, orderId);
    const client = refundsClient(context, merchant);
    // Of several requests for one order, any may have made the refund of the order.
    const find = async (merchantRefundOrderId?: string) => {
      const answer = merchantRefundOrderId ? await client.query({ merchantRefundOrderId }) : undefined;
      return answer && isAccepted(answer) ? answer : client.query({ acquiringOrderId: orderId });
    };
    return {
      ...prepared,
      ...(prepared.makes && { makes: { ...prepared.makes, find } }),
      release: giveBack,
    };
  },
});

/** The request for a refund of a paid order, not sent yet. */
function refundOf(context: CheckContext, merchant: Credentials, orderId: string): PreparedRequest {
  const client = refundsClient(context, merchant);
  const body = refundRequest(context, orderId);
  return {
    client,
    request: post(client.refundsPath, body),
    body: { ...body },
    makes: {
      id: 'merchantRefundOrderId',
      find: (merchantRefundOrderId = body.merchantRefundOrderId) => client.query({ merchantRefundOrderId }),
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
