import type { Choices } from '../../../generated/catalogue.ts';
import { isDue } from '../../domain/due.ts';
import { deduct, release } from '../../domain/ledger.ts';
import type { Merchant } from '../../domain/merchant.ts';
import { networkOf } from '../../domain/networks.ts';
import { applyOrderEvent, type Order, type OrderEvent, type OrderMachine, type Product } from '../../domain/order.ts';
import { applyRefundEvent, type Refund, type RefundEvent, type RefundMachine } from '../../domain/refund.ts';
import type { Announcements } from '../delivery/announcements.ts';
import type { Records } from '../ports.ts';

/** The state machines, from the contract's tables. */
export interface States {
  orders: OrderMachine;
  checkout: OrderMachine;
  refunds: RefundMachine;
}

export type Moves = ReturnType<typeof createMoves>;

/** When the simulated processor starts on a refund of an automatic merchant, and how long it takes; milliseconds. */
export const refundProcessing = { startsAfter: 1_000, takes: 2_000 };

/** Whether an order's change of status is announced, by whether the new one is final (open point `webhook-trigger`). */
const isAnnounced: Readonly<Record<Choices['webhook-trigger'], (final: boolean) => boolean>> = {
  'every-change': () => true,
  'outcomes-only': (final) => final,
};

/**
 * Makes every change of status of an order or a refund. One transaction writes the record, the merchant's ledger and the
 * webhook. Each function takes a record that the transaction has locked, and resolves with `undefined`, with nothing written,
 * when the machine has no such move. `now` is business time in milliseconds. With `simulates`, time confirms payments and
 * completes refunds; without it, time only makes orders expire.
 */
export function createMoves(parts: {
  states: States;
  announcements: Announcements;
  choices: Choices;
  simulates: boolean;
}) {
  const { states, announcements, choices, simulates } = parts;
  const announces = isAnnounced[choices['webhook-trigger']];
  const machineOf = (product: Product) => (product === 'hosted' ? states.orders : states.checkout);

  async function moveOrder<Kind extends Order>(
    records: Records,
    order: Kind,
    event: OrderEvent,
    now: number,
  ): Promise<Kind | undefined> {
    const machine = machineOf(order.product);
    const applied = applyOrderEvent(order, event, now, machine);
    if (!applied) return undefined;
    const moved = { ...applied, sequence: order.sequence + 1 };
    await records.updateOrder(moved);
    if (announces(machine.states[moved.status].final)) await announcements.orderChanged(records, moved, now);
    return moved;
  }

  /** `merchant` was found by `lockMerchant`. */
  async function moveRefund(
    records: Records,
    merchant: Merchant,
    refund: Refund,
    event: RefundEvent,
    now: number,
  ): Promise<Refund | undefined> {
    const applied = applyRefundEvent(refund, event, now, states.refunds);
    if (!applied) return undefined;
    const moved = { ...applied, sequence: refund.sequence + 1 };
    await records.updateRefund(moved);
    if (states.refunds.states[moved.status].final) {
      const settle = moved.status === 'SUCCEEDED' ? deduct : release;
      const ledger = settle(merchant.ledger, moved.amount.currency, moved.deductAmount);
      await records.updateMerchant({ ...merchant, ledger });
      await announcements.refundEnded(records, moved, merchant, now);
    }
    return moved;
  }

  /** Makes all moves of a locked order that are due at `now`, and resolves with the order after them. */
  async function catchUpOrder<Kind extends Order>(records: Records, order: Kind, now: number): Promise<Kind> {
    let current = order;
    while (isDue(current, now)) {
      if (current.payment && !simulates) {
        // A sandbox on the same data has left this order. Without a due time it is not looked at again and again.
        current = { ...current, dueAt: null };
        await records.updateOrder(current);
        return current;
      }
      const moved = await moveOrder(records, current, timedOrderEvent(current), current.dueAt ?? now);
      if (!moved) return current;
      current = moved;
    }
    return current;
  }

  /** Makes all moves of a locked refund that are due at `now`, and resolves with the refund after them. `merchant` was found by `lockMerchant`. */
  async function catchUpRefund(records: Records, merchant: Merchant, refund: Refund, now: number): Promise<Refund> {
    let current = refund;
    while (isDue(current, now)) {
      if (!simulates) {
        current = { ...current, dueAt: null };
        await records.updateRefund(current);
        return current;
      }
      const moved = await moveRefund(records, merchant, current, timedRefundEvent(current), current.dueAt ?? now);
      if (!moved) return current;
      current = moved;
    }
    return current;
  }

  /** Whether payments, once detected, and refunds of the merchant move on by themselves. */
  function isAutomatic({ settings }: Merchant): boolean {
    return simulates && settings.automatic;
  }

  return { moveOrder, moveRefund, catchUpOrder, catchUpRefund, isAutomatic };
}

/** The event that time causes: an order without a payment expires, and a detected payment is confirmed. */
function timedOrderEvent({ payment }: Order): OrderEvent {
  if (!payment) return { type: 'expired' };
  return { type: 'payment_confirmed', confirmations: networkOf(payment.network).confirmations };
}

/** The event that time causes for a refund of an automatic merchant: processing starts, and then completes. */
function timedRefundEvent({ status, dueAt, createdAt }: Refund): RefundEvent {
  if (status !== 'PENDING') return { type: 'completed' };
  return { type: 'processing_started', nextAt: (dueAt ?? createdAt) + refundProcessing.takes };
}
