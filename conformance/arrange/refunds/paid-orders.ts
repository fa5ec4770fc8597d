import type { CheckContext } from '../../check/context.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { bringOrderTo, payOrder } from '../orders/any-order.ts';
import type { OrderCreateRequest } from '../orders/client.ts';
import { makeOrder } from '../orders/orders.ts';
import { bringTo } from '../requests/bring-to.ts';
import { refundableFixture } from './fixtures.ts';
import type { PaidOrder } from './paid-order.ts';

/**
 * A paid hosted order of `merchant`: made and paid through the driver, or else one of those that the configuration names.
 * Throws `Inconclusive` when paying does not work, and `NeedNotMet` when the configured ones are used up.
 */
export async function makePaidOrder(
  context: CheckContext,
  merchant: Credentials,
  changes: Partial<OrderCreateRequest> = {},
): Promise<PaidOrder> {
  if (!context.has('order-events')) return refundableFixture(context, merchant);
  const order = await makeOrder(context, merchant, changes);
  await bringOrderTo(context, order, 'SUCCEEDED');
  return { merchant, orderId: order.orderId, view: await order.query() };
}

/** The same for a check that runs after all others (`alone`): it may use up the configured order that was kept unrefunded for them. */
export async function lastPaidOrder(context: CheckContext, merchant: Credentials): Promise<PaidOrder> {
  if (context.has('order-events')) return makePaidOrder(context, merchant);
  return refundableFixture(context, merchant, { last: true });
}

/** A hosted order of `merchant` that was paid `amount`, which is more than its price: decimal text in the currency that is due. */
export async function makeOverpaidOrder(
  context: CheckContext,
  merchant: Credentials,
  changes: Partial<OrderCreateRequest>,
  amount: string,
): Promise<PaidOrder> {
  const order = await makeOrder(context, merchant, changes);
  await payOrder(context, order, amount);
  await bringTo(context, 'SUCCEEDED', order.query, ['payment_confirmed'] as const, (type) =>
    context.orderEvent(merchant, order.orderId, { type }),
  );
  return { merchant, orderId: order.orderId, view: await order.query() };
}
