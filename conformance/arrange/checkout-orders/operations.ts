import { type Operation, post } from '../requests/arranged-operation.ts';
import { checkoutMerchant, checkoutRequest, makeCheckoutOrder } from './checkout-orders.ts';
import { checkoutClient } from './client.ts';

export const listPaymentMethods: Operation = {
  name: 'checkout.payment-methods',
  area: 'checkout',
  noun: 'a list of payment methods',
  failure: 'CheckoutFailure',
  needs: [],
  async prepare(context, merchant) {
    const client = checkoutClient(context, merchant);
    return { client, request: { method: 'GET', path: client.methodsPath } };
  },
};

export const createCheckoutOrder: Operation = {
  name: 'checkout.create',
  area: 'checkout',
  noun: 'a checkout create',
  bodySchema: '/components/schemas/CheckoutOrderCreateRequest',
  failure: 'CheckoutFailure',
  needs: [],
  async prepare(context, merchant) {
    const { client, method } = await checkoutMerchant(context, merchant);
    const body = checkoutRequest(context, method);
    return {
      client,
      request: post(client.createPath, body),
      body: { ...body },
      makes: { id: 'merchantOrderId', find: (id = body.merchantOrderId) => client.query(id) },
    };
  },
};

export const queryCheckoutOrder: Operation = {
  name: 'checkout.query',
  area: 'checkout',
  noun: 'a checkout query',
  failure: 'CheckoutFailure',
  needs: [],
  async prepare(context, merchant) {
    const { client, request } = await makeCheckoutOrder(context, merchant);
    return { client, request: { method: 'GET', path: client.queryPath(request.merchantOrderId) } };
  },
};
