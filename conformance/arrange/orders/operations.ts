import { type Operation, post } from '../requests/arranged-operation.ts';
import { ordersClient } from './client.ts';
import { makeOrder, orderRequest } from './orders.ts';

export const createOrder: Operation = {
  name: 'orders.create',
  area: 'orders',
  noun: 'a create',
  bodySchema: '/components/schemas/OrderCreateRequest',
  failure: 'OrderFailure',
  needs: [],
  async prepare(context, merchant) {
    const client = ordersClient(context, merchant);
    const body = orderRequest(context);
    return {
      client,
      request: post(client.createPath, body),
      body: { ...body },
      makes: { id: 'merchantOrderId', find: (id = body.merchantOrderId) => client.query(id) },
    };
  },
};

export const queryOrder: Operation = {
  name: 'orders.query',
  area: 'orders',
  noun: 'a query',
  failure: 'OrderFailure',
  needs: [],
  async prepare(context, merchant) {
    const { client, request } = await makeOrder(context, merchant);
    return { client, request: { method: 'GET', path: client.queryPath(request.merchantOrderId) } };
  },
};
