import type { CheckContext } from '../../check/context.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { NoPaidOrderLeft } from '../../errors/outcomes.ts';
import type { OrderCreateRequest } from '../orders/client.ts';
import { makeOrder } from '../orders/orders.ts';
import { bringTo } from '../requests/bring-to.ts';

/** A paid order without a refund. */
export interface PaidOrder {
  merchant: Credentials;
  /** Its platform id, which refunds call acquiringOrderId. */
  orderId: string;
  /** The id that the merchant gave it; absent for a configured order. */
  merchantOrderId?: string;
  /**
   * What was paid, by what the run itself did: by the driver's word, or else the price in USDT. Absent where neither tells it:
   * for a configured order, and for one priced in USD whose driver does not say what was paid.
   */
  paid?: Payment;
}

/** An amount as decimal text, with its currency. */
export interface Payment {
  value: string;
  currency: string;
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
  return pay(context, merchant, changes);
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
    'SUCCEEDED',
    order.query,
    ['transaction_detected', 'payment_confirmed'] as const,
    async (type) => {
      const detected = type === 'transaction_detected' && amount !== undefined;
      const outcome = await context.orderEvent(merchant, orderId, detected ? { type, amount } : { type });
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

function takePaidOrder(context: CheckContext, merchant: Credentials): PaidOrder {
  const orderId = context.takePaidOrder();
  if (orderId === undefined) throw new NoPaidOrderLeft();
  return { merchant, orderId };
}
