import { ordinaryExpiry } from '../orders/any-order.ts';
import { arrangeOperation, type PreparedRequest, post } from '../requests/arranged-operation.ts';
import { furtherCheckoutFields } from '../requests/further-fields.ts';
import { checkoutMerchant, checkoutRequest, makeCheckoutOrder } from './checkout-orders.ts';
import { type CheckoutClient, type CheckoutOrderCreateRequest, checkoutClient } from './client.ts';

export const listPaymentMethods = arrangeOperation('checkout.payment-methods', {
  noun: 'a list of payment methods',
  needs: [],
  async prepare(context, merchant) {
    const client = checkoutClient(context, merchant);
    return { client, request: { method: 'GET', path: client.methodsPath } };
  },
});

export const createCheckoutOrder = arrangeOperation('checkout.create', {
  noun: 'a checkout create',
  needs: [],
  async prepare(context, merchant) {
    const { client, method } = await checkoutMerchant(context, merchant);
    return create(client, checkoutRequest(context, method));
  },
  async prepareRefused(context, merchant) {
    const { client, method } = await checkoutMerchant(context, merchant);
    // A rule may be forgotten beside a further field.
    return create(
      client,
      checkoutRequest(context, method, furtherCheckoutFields(context, ordinaryExpiry(context), method.currency)),
    );
  },
});

const create = (client: CheckoutClient, body: CheckoutOrderCreateRequest): PreparedRequest => ({
  client,
  request: post(client.createPath, body),
  body: { ...body },
  makes: { id: 'merchantOrderId', find: (id = body.merchantOrderId) => client.query(id) },
});

export const queryCheckoutOrder = arrangeOperation('checkout.query', {
  noun: 'a checkout query',
  needs: [],
  async prepare(context, merchant) {
    const { client, request } = await makeCheckoutOrder(context, merchant);
    return { client, request: { method: 'GET', path: client.queryPath(request.merchantOrderId) } };
  },
});
