import type { Book, Entity } from './book.ts';
import { givenAs } from './money/paid.ts';

/** The order that a refund's create named, where its id names one order only. */
export function refundedOrder(book: Book, refund: Entity): Entity | undefined {
  const orderId = givenAs(refund, 'acquiringOrderId');
  if (orderId === undefined) return undefined;
  const [order, ...others] = (['orders', 'checkout'] as const).flatMap(
    (area) => book.entity(area, refund.merchantId, orderId) ?? [],
  );
  return others.length === 0 ? order : undefined;
}
