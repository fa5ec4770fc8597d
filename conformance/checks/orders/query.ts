import { makeOrder } from '../../arrange/orders/orders.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectField, isAccepted } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import { field } from '../../wire/exchange.ts';

export const ordersQueryChecks: readonly CheckDeclaration[] = [
  {
    id: 'orders.query.by-merchant-order-id',
    title: 'A query by merchantOrderId shows that order',
    requirements: ['orders.query.by-merchant-order-id'],
    async run(context) {
      const merchant = await context.merchant();
      const [first, second] = [await makeOrder(context, merchant), await makeOrder(context, merchant)];
      for (const order of [first, second]) {
        const answer = await order.query();
        expectAccepted(answer, 'a query for an order that exists');
        expectField(answer, 'data.orderId', order.orderId);
      }
    },
  },
  {
    id: 'orders.query.by-order-id',
    title: 'A query by platform id shows that order too',
    requirements: ['orders.query.by-order-id'],
    openPoint: 'orders-query-id',
    async run(context) {
      const order = await makeOrder(context, await context.merchant());
      const answer = await order.client.query(order.orderId);
      const value = isAccepted(answer) ? 'both' : 'merchant-order-id-only';
      context.observeIn(answer, 'orders-query-id', `by platform id: code ${show(field(answer, 'code'))}`, value);
      expectAccepted(answer, 'a query by platform id');
      expectField(answer, 'data.merchantOrderId', order.request.merchantOrderId);
    },
  },
];
