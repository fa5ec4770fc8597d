import { statusOf } from '../../check/expect.ts';
import type { Answer } from '../../wire/exchange.ts';
import { pathEscaped } from '../authentication/as-sent.ts';
import type { SignedClient } from '../requests/signed-client.ts';
import type { WayToAsk } from '../requests/way-to-ask.ts';
import type { Product } from './any-order.ts';

/** An order that can be asked for. */
export interface AskableOrder {
  product: Product;
  client: Pick<SignedClient, 'send'> & { query(id: string): Promise<Answer>; queryPath(id: string): string };
  request: { merchantOrderId: string };
  orderId: string;
}

/** Every way to ask for an order. That a checkout order is found by its platform id is not said. */
export function waysToAskForOrder(order: AskableOrder): readonly WayToAsk[] {
  const [byOwnId, byOrderId] = waysThatMayFindOrder(order);
  return order.product === 'orders' ? [byOwnId, byOrderId] : [byOwnId];
}

/**
 * The same with the platform id of a checkout order, by which a target may find it, and with an address that has needless escapes. Where an order is
 * found so, it is shown as it is.
 */
export function waysThatMayFindOrder({
  product,
  client,
  request,
  orderId,
}: AskableOrder): readonly [WayToAsk, WayToAsk, WayToAsk] {
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
      mayFindNothing: true,
      ask: () => client.query(orderId),
      statusIn: statusOf,
    },
    {
      words: 'merchantOrderId in an address with needless escapes',
      requirement: `${product}.query.by-merchant-order-id`,
      mayFindNothing: true,
      ask: () => client.send(pathEscaped({ method: 'GET', path: client.queryPath(request.merchantOrderId) })),
      statusIn: statusOf,
    },
  ];
}
