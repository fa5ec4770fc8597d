import { bringOrderTo } from '../../arrange/orders/any-order.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectField, isAccepted, isTaken, needText, statusOf } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { field } from '../../wire/exchange.ts';

/** A name of the machine itself, on every machine. */
const otherHost = 'shop.localhost';

/** Headers that name another host as the one that was asked. */
const headersOfOtherHosts: readonly Record<string, string>[] = [
  { Host: otherHost },
  { 'X-Forwarded-Host': otherHost },
  { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Port': '8443' },
  { 'X-Forwarded-Prefix': '/shop' },
  { Forwarded: `host=${otherHost};proto=https` },
];

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
    id: 'orders.query.other-host',
    title:
      'The page of an order stays where it is, whatever host a query names in its own header or in those of proxies',
    requirements: ['orders.view.constant'],
    async run(context) {
      const { client, request, query } = await makeOrder(context, await context.merchant());
      const page = needText(await query(), 'data.checkoutUrl');
      for (const headers of headersOfOtherHosts) {
        const answer = await client.send({ method: 'GET', path: client.queryPath(request.merchantOrderId), headers });
        // What stands in front of a target need not know such a host.
        if (isAccepted(answer)) expectField(answer, 'data.checkoutUrl', page);
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
  {
    id: 'orders.query.by-order-id.each-end',
    title: 'A query by platform id shows the end that an order has come to, as one by merchantOrderId does',
    requirements: ['orders.states.final'],
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.merchant();
      await sideBySide(
        (['SUCCEEDED', 'FAILED', 'CLOSED'] as const).map(async (state) => {
          const order = await makeOrder(context, merchant);
          const byPlatformId = () => order.client.query(order.orderId);
          if (!isTaken(await byPlatformId(), 'a query by platform id')) throw new PermittedChoice(notByPlatformId);
          await bringOrderTo(context, order, state);
          // What is asked for in another way may be shown a little later.
          const answer = await context.poll(byPlatformId, (each) => statusOf(each) === state);
          expectField(answer, 'data.status', state);
        }),
      );
    },
  },
];

const notByPlatformId = 'orders are found by their merchantOrderId only (open point orders-query-id)';
