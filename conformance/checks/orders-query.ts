import type { Check } from '../check.ts';
import { ordersClient } from '../clients/orders.ts';
import { field } from '../exchange.ts';
import { expectAccepted, expectField, expectRefused, expectThat, isAccepted, show } from '../expect.ts';
import { impossibleOrderIds, makeOrder } from '../steps/orders.ts';

export const ordersQueryChecks: readonly Check[] = [
  {
    id: 'orders.query.by-merchant-order-id',
    title: 'A query by merchantOrderId shows that order',
    level: 'MUST',
    area: 'orders',
    requirements: ['orders.query.by-merchant-order-id'],
    needs: [],
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
    level: 'SHOULD',
    area: 'orders',
    requirements: ['orders.query.by-order-id'],
    openPoint: 'orders-query-id',
    needs: [],
    async run(context) {
      const order = await makeOrder(context, await context.merchant());
      const answer = await order.client.query(order.orderId);
      const value = isAccepted(answer) ? 'both' : 'merchant-order-id-only';
      context.observe('orders-query-id', `by platform id: code ${show(field(answer, 'code'))}`, value);
      expectAccepted(answer, 'a query by platform id');
      expectField(answer, 'data.merchantOrderId', order.request.merchantOrderId);
    },
  },
  {
    id: 'orders.query.unknown',
    title: 'A query for an order that does not exist is refused with 40001',
    level: 'MUST',
    area: 'orders',
    requirements: ['orders.errors.unknown-order'],
    needs: [],
    async run(context) {
      const client = ordersClient(context, await context.merchant());
      const answer = await client.query(context.newOrderId());
      expectRefused(answer, 'a query for an order that does not exist');
      expectField(answer, 'code', '40001');
    },
  },
  {
    id: 'orders.query.impossible-id',
    title: 'A query for an id that no order can have is refused',
    level: 'MUST',
    area: 'orders',
    requirements: ['orders.query.malformed-id'],
    openPoint: 'query-malformed-id',
    needs: [],
    async run(context) {
      const client = ordersClient(context, await context.merchant());
      for (const id of impossibleOrderIds) {
        const answer = await client.send({ method: 'GET', path: client.queryPath(id) });
        const code = show(field(answer, 'code'));
        const values: Record<string, string> = { '40001': 'not-found', '10001': 'invalid-parameter' };
        context.observe('query-malformed-id', `${show(id)}: code ${code}`, values[code]);
        expectRefused(answer, `a query for ${show(id)}`);
      }
    },
  },
  {
    id: 'orders.query.other-merchant',
    title: "A merchant's query does not show another merchant's order",
    level: 'MUST',
    area: 'orders',
    requirements: ['orders.query.other-merchant'],
    needs: ['other-merchant'],
    async run(context) {
      const order = await makeOrder(context, await context.merchant());
      const other = ordersClient(context, await context.merchant('other'));
      for (const id of [order.request.merchantOrderId, order.orderId]) {
        const answer = await other.query(id);
        expectRefused(answer, "a query for another merchant's order");
        expectThat(!answer.text.includes(order.orderId) || id === order.orderId, answer, {
          expected: "nothing of the other merchant's order in the answer",
          actual: `the answer names ${order.orderId}`,
        });
      }
    },
  },
];
