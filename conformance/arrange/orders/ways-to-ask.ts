import { statusOf } from '../../check/expect.ts';
import type { MadeCheckoutOrder } from '../checkout-orders/checkout-orders.ts';
import type { WayToAsk } from '../requests/way-to-ask.ts';
import type { MadeOrder } from './orders.ts';

/** Every way to ask for an order. That a checkout order is found by its platform id is not said. */
export function waysToAskForOrder(order: MadeOrder | MadeCheckoutOrder): readonly WayToAsk[] {
  const { product, client, request, orderId } = order;
  const byOwnId: WayToAsk = {
    words: 'merchantOrderId',
    requirement: `${product}.query.by-merchant-order-id`,
    ask: () => client.query(request.merchantOrderId),
    statusIn: statusOf,
  };
  const byOrderId: WayToAsk = {
    words: 'orderId',
    requirement: 'orders.query.by-order-id',
    ask: () => client.query(orderId),
    statusIn: statusOf,
  };
  return product === 'orders' ? [byOwnId, byOrderId] : [byOwnId];
}
