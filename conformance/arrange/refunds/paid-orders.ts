import type { CheckContext } from '../../check/context.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { NoPaidOrderLeft } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { bringOrderTo, payOrder } from '../orders/any-order.ts';
import { type OrderCreateRequest, ordersClient } from '../orders/client.ts';
import { makeOrder } from '../orders/orders.ts';
import { bringTo } from '../requests/bring-to.ts';

/** A paid order without a refund. */
export interface PaidOrder {
  merchant: Credentials;
  /** Its platform id, which refunds call acquiringOrderId. */
  orderId: string;
  /** Its view after the payment; absent for a configured order that the target does not show under its platform id. */
  view?: Answer;
}

/**
 * A paid hosted order of `merchant`: made and paid through the driver, or else one of those that the configuration names.
 * Throws `Inconclusive` when paying does not work, and `NotApplicable` when the configured ones are used up.
 */
export async function makePaidOrder(
  context: CheckContext,
  merchant: Credentials,
  changes: Partial<OrderCreateRequest> = {},
): Promise<PaidOrder> {
  if (!context.has('order-events')) return takePaidOrder(context, merchant);
  const order = await makeOrder(context, merchant, changes);
  await bringOrderTo(context, order, 'SUCCEEDED');
  return { merchant, orderId: order.orderId, view: await order.query() };
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

async function takePaidOrder(context: CheckContext, merchant: Credentials): Promise<PaidOrder> {
  const orderId = context.takePaidOrder();
  if (orderId === undefined) throw new NoPaidOrderLeft();
  const view = await ordersClient(context, merchant).query(orderId);
  return { merchant, orderId, ...(field(view, 'data.status') === 'SUCCEEDED' && { view }) };
}
