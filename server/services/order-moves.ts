import { networks } from '../../generated/catalogue.ts';
import type { Merchant } from '../domain/merchant.ts';
import { applyOrderEvent, isDue, type Order, type OrderEvent, type OrderMachine } from '../domain/order.ts';
import type { Records } from './ports.ts';

/** Business time of a merchant in milliseconds, at real time `now`. */
export function businessTime(merchant: Merchant, now: number): number {
  return now + merchant.clockOffset;
}

/** How many confirmations a network asks for. */
export function requiredConfirmations(network: string): number {
  const known = networks.find(({ code }) => code === network);
  if (!known) throw new Error(`unknown network ${network}`);
  return known.confirmations;
}

/**
 * Moves an order that `records` has locked and saves it; `undefined`, with nothing written, when the machine has no such move.
 * Every change of status passes through here, so this is where its webhook joins the transaction.
 */
export async function moveOrder<Kind extends Order>(
  records: Records,
  machine: OrderMachine,
  order: Kind,
  event: OrderEvent,
  now: number,
): Promise<Kind | undefined> {
  const moved = applyOrderEvent(order, event, now, machine);
  if (moved) await records.updateOrder(moved);
  return moved;
}

/** The locked order after everything that time has done to it by business time `now`. */
export async function catchUp<Kind extends Order>(
  records: Records,
  machine: OrderMachine,
  order: Kind,
  now: number,
): Promise<Kind> {
  let current = order;
  while (isDue(current, now)) {
    const at = current.dueAt ?? now;
    const moved = await moveOrder(records, machine, current, timedEvent(current), at);
    if (!moved) return current;
    current = moved;
  }
  return current;
}

/** What time does to an order: one that waits expires, one whose payment was seen is confirmed. */
function timedEvent(order: Order): OrderEvent {
  if (!order.payment) return { type: 'expired' };
  return { type: 'payment_confirmed', confirmations: requiredConfirmations(order.payment.network) };
}
