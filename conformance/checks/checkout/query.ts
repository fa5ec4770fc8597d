import { makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { checkoutClient } from '../../arrange/checkout-orders/client.ts';
import { ordersClient } from '../../arrange/orders/client.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectField, isAccepted } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import { field } from '../../wire/exchange.ts';

export const checkoutQueryChecks: readonly CheckDeclaration[] = [
  {
    id: 'checkout.query.by-merchant-order-id',
    title: 'A query by merchantOrderId shows that order, with the address that its create answered',
    requirements: ['checkout.query.by-merchant-order-id'],
    async run(context) {
      const merchant = await context.merchant();
      const orders = [await makeCheckoutOrder(context, merchant), await makeCheckoutOrder(context, merchant)];
      for (const order of orders) {
        const answer = await order.query();
        expectAccepted(answer, 'a query for a checkout order that exists');
        expectField(answer, 'data.orderId', order.orderId);
        expectField(answer, 'data.depositAddress', field(order.created, 'data.depositAddress'));
      }
    },
  },
  {
    id: 'checkout.query.other-product',
    title: 'Whether a hosted and a checkout order of a merchant can have the same merchantOrderId',
    requirements: ['checkout.create.id-namespace'],
    async run(context) {
      if (!context.has('orders')) throw new NotApplicable('the target has no hosted orders');
      const merchant = await context.merchant();
      const hosted = await makeOrder(context, merchant);
      const { merchantOrderId } = hosted.request;
      const checkout = await makeCheckoutOrder(context, merchant);
      const client = checkoutClient(context, merchant);
      const before = await client.query(merchantOrderId);
      const answer = await client.create({ ...checkout.request, merchantOrderId });
      const made = isAccepted(answer) && field(answer, 'data.orderId') !== hosted.orderId;
      const shows = (found: boolean) => (found ? 'shows it' : 'does not know it');
      const hostedQuery = await ordersClient(context, merchant).query(checkout.request.merchantOrderId);
      const seen = [
        `a checkout create under the id of a hosted order: code ${show(field(answer, 'code'))}`,
        `the checkout query ${shows(isAccepted(before))}`,
        `the hosted query for a checkout order ${shows(isAccepted(hostedQuery))}`,
      ];
      context.observeIn(
        [answer, before, hostedQuery],
        'id-namespaces',
        seen.join('; '),
        made ? 'separate' : 'shared-products',
      );
    },
  },
];
