import type { CheckContext } from '../../check/context.ts';
import { statusOf } from '../../check/expect.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { takeStep } from '../orders/any-order.ts';
import type { OrderCreateRequest } from '../orders/client.ts';
import { makeOrder, ordinaryAmount } from '../orders/orders.ts';
import { confirmed, type exchanges } from '../orders/payments.ts';
import { bringTo } from '../requests/bring-to.ts';
import { letHappen } from '../situations/situations.ts';
import { refundableFixture, spareFixtures } from './fixtures.ts';
import type { PaidOrder, Payment } from './paid-order.ts';

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
  return pay(context, merchant, changes);
}

/** Several of them, as `makePaidOrder` makes one. Of the configured ones, only those that no other check needs. */
export function makePaidOrders(context: CheckContext, merchant: Credentials, count: number): Promise<PaidOrder[]> {
  if (!context.has('order-events')) return spareFixtures(context, merchant, count);
  return Promise.all(Array.from({ length: count }, () => makePaidOrder(context, merchant)));
}

/** A paid hosted order, as `makePaidOrder` makes it, of a price in USDT: decimal text. */
export const makeOrderPaidAt = (
  context: CheckContext,
  merchant: Credentials,
  value: string = ordinaryAmount.value,
): Promise<PaidOrder> => makePaidOrder(context, merchant, { orderAmount: { value, currency: 'USDT' } });

/** As `makePaidOrder`, for a check that runs after all others (`alone`): it may use up the configured order that was kept unrefunded for them. */
export async function lastPaidOrder(context: CheckContext, merchant: Credentials): Promise<PaidOrder> {
  if (context.has('order-events')) return makePaidOrder(context, merchant);
  return refundableFixture(context, merchant, { last: true });
}

/** A hosted order of `merchant` that was paid `amount`, which is more than its price: decimal text in the currency that is due. */
export function makeOverpaidOrder(
  context: CheckContext,
  merchant: Credentials,
  changes: Partial<OrderCreateRequest>,
  amount: string,
): Promise<PaidOrder> {
  return pay(context, merchant, changes, amount);
}

/**
 * A hosted order of `merchant` that an exchange has paid. Throws `PermittedChoice` where the driver does not pay from it.
 */
export async function makeOrderPaidFrom(
  context: CheckContext,
  merchant: Credentials,
  paymentMethod: (typeof exchanges)[number],
  changes: Partial<OrderCreateRequest> = {},
): Promise<PaidOrder> {
  const order = await makeOrder(context, merchant, changes);
  const paid = await letHappen(context, order, [{ type: 'transaction_detected', paymentMethod }, confirmed]);
  if (statusOf(paid) !== 'SUCCEEDED') throw new PermittedChoice(`the driver does not pay from ${paymentMethod}`);
  return { merchant, orderId: order.orderId };
}

/** A hosted order of `merchant` that the driver has paid in its own way, which is on chain where it chooses nothing else. */
export async function makeOrderPaidByDriver(context: CheckContext, merchant: Credentials): Promise<PaidOrder> {
  const { product, query, orderId } = await makeOrder(context, merchant);
  await bringTo(context, product, 'SUCCEEDED', query, ['transaction_detected', 'payment_confirmed'] as const, (type) =>
    context.orderEvent(merchant, orderId, { type }),
  );
  return { merchant, orderId };
}

/** Makes an order and pays it: `amount`, or else what is due. */
async function pay(
  context: CheckContext,
  merchant: Credentials,
  changes: Partial<OrderCreateRequest>,
  amount?: string,
): Promise<PaidOrder> {
  const order = await makeOrder(context, merchant, changes);
  const { orderId, request } = order;
  let told: Payment | undefined;
  await bringTo(
    context,
    order.product,
    'SUCCEEDED',
    order.query,
    ['transaction_detected', 'payment_confirmed'] as const,
    async (type) => {
      const detected = type === 'transaction_detected' && amount !== undefined;
      const outcome = await takeStep(context, order, detected ? { type, amount } : { type });
      if (outcome.done && type === 'transaction_detected' && outcome.due) {
        told = { ...outcome.due, value: outcome.payment?.amount ?? amount ?? outcome.due.value };
      }
      return outcome;
    },
  );
  const { value, currency } = request.orderAmount;
  const byPrice = currency === 'USDT' ? { value: amount ?? value, currency } : undefined;
  const paid = told ?? byPrice;
  return { merchant, orderId, merchantOrderId: request.merchantOrderId, ...(paid && { paid }) };
}
