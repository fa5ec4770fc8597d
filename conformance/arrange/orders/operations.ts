import { arrangeOperation, type PreparedRequest, post } from '../requests/arranged-operation.ts';
import { furtherHostedFields } from '../requests/further-fields.ts';
import { ordinaryExpiry } from './any-order.ts';
import { type OrderCreateRequest, type OrdersClient, ordersClient } from './client.ts';
import { makeOrder, orderRequest } from './orders.ts';

export const createOrder = arrangeOperation('orders.create', {
  noun: 'a create',
  needs: [],
  prepare: async (context, merchant) => create(ordersClient(context, merchant), orderRequest(context)),
  async prepareRefused(context, merchant) {
    // A rule may be forgotten beside a further field. A long list would make a body too long for readers, with what some ways to break a rule add to it.
    const { items: _list, ...further } = furtherHostedFields(context, ordinaryExpiry(context));
    return create(ordersClient(context, merchant), orderRequest(context, further));
  },
});

const create = (client: OrdersClient, body: OrderCreateRequest): PreparedRequest => ({
  client,
  request: post(client.createPath, body),
  body: { ...body },
  makes: { id: 'merchantOrderId', find: (id = body.merchantOrderId) => client.query(id) },
});

export const queryOrder = arrangeOperation('orders.query', {
  noun: 'a query',
  needs: [],
  async prepare(context, merchant) {
    const { client, request } = await makeOrder(context, merchant);
    return { client, request: { method: 'GET', path: client.queryPath(request.merchantOrderId) } };
  },
});
