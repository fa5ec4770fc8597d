import type { CheckContext } from '../../check/context.ts';
import type { Credentials } from '../../drivers/driver.ts';
import type { PaidOrder } from './paid-order.ts';
import { makePaidOrder } from './paid-orders.ts';
import { unrefundedOrder } from './refunds.ts';

/** The paid orders of each run that no check uses at the moment, by the run's history. */
const freeByRun = new WeakMap<CheckContext['history'], PaidOrder[]>();

/** A paid order for a refund request that is to be refused. */
export interface LentOrder {
  order: PaidOrder;
  /** Lets other checks have it. Call this only when no refund was made. */
  giveBack(): void;
}

/** Lends a paid order without a refund, which nobody else uses until it is given back; without a driver the one that all share. */
export async function lendOrder(context: CheckContext, merchant: Credentials): Promise<LentOrder> {
  if (!context.has('order-events')) return { order: await unrefundedOrder(context), giveBack: () => undefined };
  const free = freeByRun.get(context.history) ?? [];
  freeByRun.set(context.history, free);
  const index = free.findLastIndex((order) => order.merchant.merchantId === merchant.merchantId);
  const order = free.splice(index, index < 0 ? 0 : 1)[0] ?? (await makePaidOrder(context, merchant));
  return { order, giveBack: () => void free.push(order) };
}
