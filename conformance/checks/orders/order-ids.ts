import {
  checkoutMerchant,
  checkoutRequest,
  type MadeCheckoutOrder,
  makeCheckoutOrder,
} from '../../arrange/checkout-orders/checkout-orders.ts';
import { type CheckoutClient, checkoutClient } from '../../arrange/checkout-orders/client.ts';
import { type OrdersClient, ordersClient } from '../../arrange/orders/client.ts';
import {
  impossibleOrderIds,
  type MadeOrder,
  makeOrder,
  orderRequest,
  similarOrderIds,
} from '../../arrange/orders/orders.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectField, expectRefused, expectThat, needAccepted, show } from '../../check/expect.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { type Answer, field } from '../../wire/exchange.ts';

/** A product whose orders have ids of the merchant's. */
interface Product {
  area: 'orders' | 'checkout';
  /** What an order of it is called in titles and messages. */
  order: string;
  anOrder: string;
  client(context: CheckContext, merchant: Credentials): OrdersClient | CheckoutClient;
  /** Makes an order as a step. */
  make(context: CheckContext, merchant: Credentials): Promise<MadeOrder | MadeCheckoutOrder>;
  /** Asks for an order under an id, on the shared merchant; the answer is what is judged. */
  create(context: CheckContext, merchantOrderId: string): Promise<Answer>;
}

const products: readonly Product[] = [
  {
    area: 'orders',
    order: 'order',
    anOrder: 'an order',
    client: ordersClient,
    make: makeOrder,
    async create(context, merchantOrderId) {
      return ordersClient(context, await context.merchant()).create(orderRequest(context, { merchantOrderId }));
    },
  },
  {
    area: 'checkout',
    order: 'checkout order',
    anOrder: 'a checkout order',
    client: checkoutClient,
    make: makeCheckoutOrder,
    async create(context, merchantOrderId) {
      const { client, method } = await checkoutMerchant(context, await context.merchant());
      return client.create(checkoutRequest(context, method, { merchantOrderId }));
    },
  },
];

/** What both products promise of their orders' ids. */
export const orderIdChecks: readonly CheckDeclaration[] = products.flatMap(checksOf);

function checksOf({ area, order, anOrder, client: clientOf, make, create }: Product): CheckDeclaration[] {
  return [
    {
      id: `${area}.create.merchant-order-id.distinct`,
      title: 'Ids that differ in the last of 64 characters, or in the case of one letter, are those of two orders',
      requirements: [`${area}.create.accepted`, `${area}.view.echo`],
      async run(context) {
        const client = clientOf(context, await context.merchant());
        const [first, ...others] = similarOrderIds(context);
        const created = await create(context, first);
        needAccepted(created, `a create under the id ${first}`);
        for (const merchantOrderId of others) {
          const answer = await create(context, merchantOrderId);
          expectAccepted(answer, `a create under the id ${merchantOrderId}, which differs from ${first}`);
          for (const each of [answer, await client.query(merchantOrderId)]) {
            expectField(each, 'data.merchantOrderId', merchantOrderId, `${area}.view.echo`);
          }
        }
        expectField(await client.query(first), 'data.orderId', field(created, 'data.orderId'), `${area}.view.echo`);
      },
    },
    {
      id: `${area}.query.unknown`,
      title: `A query for ${anOrder} that does not exist is refused with 40001`,
      requirements: [`${area}.errors.unknown-order`],
      async run(context) {
        const answer = await clientOf(context, await context.merchant()).query(context.newOrderId());
        expectRefused(answer, `a query for ${anOrder} that does not exist`);
        expectField(answer, 'code', '40001');
      },
    },
    {
      id: `${area}.query.impossible-id`,
      title: `A query for an id that no ${order} can have is refused`,
      requirements: [`${area}.query.malformed-id`],
      openPoint: 'query-malformed-id',
      async run(context) {
        const client = clientOf(context, await context.merchant());
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
      id: `${area}.query.other-merchant`,
      title: `A merchant's query does not show another merchant's ${order}`,
      requirements: [`${area}.query.other-merchant`],
      needs: ['other-merchant'],
      async run(context) {
        const { request, orderId } = await make(context, await context.merchant());
        const other = clientOf(context, await context.merchant('other'));
        for (const id of [request.merchantOrderId, orderId]) {
          const answer = await other.query(id);
          expectRefused(answer, `a query for another merchant's ${order}`);
          expectThat(!answer.text.includes(orderId) || id === orderId, answer, {
            expected: "nothing of the other merchant's order in the answer",
            actual: `the answer names ${orderId}`,
          });
        }
      },
    },
  ];
}
