import { statusOf } from '../../check/expect.ts';
import type { MadeCheckoutOrder } from '../checkout-orders/checkout-orders.ts';
import type { WayToAsk } from '../requests/way-to-ask.ts';
import type { MadeOrder } from './orders.ts';

/** Every way to ask for an order. That a checkout order is found by its platform id is not said. */
export function waysToAskForOrder(order: MadeOrder | MadeCheckoutOrder): readonly WayToAsk[] {
  const [byOwnId, byOrderId] = waysThatMayFindOrder(order);
  return order.product === 'orders' ? [byOwnId, byOrderId] : [byOwnId];
}

/** The same with the platform id of a checkout order, by which a target may find it. Then it shows the order as it is. */
export function waysThatMayFindOrder(order: MadeOrder | MadeCheckoutOrder): readonly [WayToAsk, WayToAsk] {
  const { product, client, request, orderId } = order;
  return [
    {
      words: 'merchantOrderId',
      requirement: `${product}.query.by-merchant-order-id`,
      ask: () => client.query(request.merchantOrderId),
      statusIn: statusOf,
    },
    {
      words: 'orderId',
      requirement: product === 'orders' ? 'orders.query.by-order-id' : 'checkout.query.by-merchant-order-id',
      ask: () => client.query(orderId),
      statusIn: statusOf,
    },
  ];
}
