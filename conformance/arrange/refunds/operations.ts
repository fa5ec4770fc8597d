import { arrangeOperation, post } from '../requests/arranged-operation.ts';
import { refundsClient } from './client.ts';
import { makePaidOrder } from './paid-orders.ts';
import { makeRefund, refundRequest } from './refunds.ts';

export const createRefund = arrangeOperation('refunds.create', {
  noun: 'a refund request',
  needs: ['paid-order'],
  async prepare(context, merchant) {
    const client = refundsClient(context, merchant);
    const { orderId } = await makePaidOrder(context, merchant);
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
  },
});

export const queryRefund = arrangeOperation('refunds.query', {
  noun: 'a refund query',
  needs: ['paid-order'],
  async prepare(context, merchant) {
    const { client, refundOrderId } = await makeRefund(context, merchant);
    const query = `refundOrderId=${encodeURIComponent(refundOrderId)}`;
    return { client, request: { method: 'GET', path: client.refundsPath, query } };
  },
});

export const batchQueryRefunds = arrangeOperation('refunds.batch-query', {
  noun: 'a batch query of refunds',
  needs: ['paid-order'],
  async prepare(context, merchant) {
    const { client, request } = await makeRefund(context, merchant);
    const body = { merchantRefundOrderIds: [request.merchantRefundOrderId] };
    return { client, request: post(client.batchPath, body), body };
  },
});
