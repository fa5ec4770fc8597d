import { type Operation, post } from '../requests/arranged-operation.ts';
import { refundsClient } from './client.ts';
import { makePaidOrder, makeRefund, refundRequest } from './refunds.ts';

export const createRefund: Operation = {
  name: 'refunds.create',
  area: 'refunds',
  noun: 'a refund request',
  bodySchema: '/components/schemas/RefundCreateRequest',
  failure: 'RefundFailure',
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
};

export const queryRefund: Operation = {
  name: 'refunds.query',
  area: 'refunds',
  noun: 'a refund query',
  failure: 'RefundFailure',
  needs: ['paid-order'],
  async prepare(context, merchant) {
    const { client, refundOrderId } = await makeRefund(context, merchant);
    const query = `refundOrderId=${encodeURIComponent(refundOrderId)}`;
    return { client, request: { method: 'GET', path: client.refundsPath, query } };
  },
};

export const batchQueryRefunds: Operation = {
  name: 'refunds.batch-query',
  area: 'refunds',
  noun: 'a batch query of refunds',
  bodySchema: '/components/schemas/RefundBatchQueryRequest',
  failure: 'RefundFailure',
  needs: ['paid-order'],
  async prepare(context, merchant) {
    const { client, request } = await makeRefund(context, merchant);
    const body = { merchantRefundOrderIds: [request.merchantRefundOrderId] };
    return { client, request: post(client.batchPath, body), body };
  },
};
