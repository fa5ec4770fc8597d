import type { Order } from '../../../../server/domain/order.ts';
import { storing } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';

/** A server that also changes other orders when an order is changed. */
const besides = (alsoTo: (changed: Order, others: readonly Order[]) => readonly Order[]): Make => ({
  parts: (parts) => {
    const seen = new Map<string, Order>();
    return storing((records) => ({
      insertOrder: async (order) => {
        const inserted = await records.insertOrder(order);
        if (inserted) seen.set(order.orderId, order);
        return inserted;
      },
      updateOrder: async (order) => {
        seen.set(order.orderId, order);
        await records.updateOrder(order);
        const others = [...seen.values()].filter(
          ({ merchantId, orderId }) => merchantId === order.merchantId && orderId !== order.orderId,
        );
        for (const other of alsoTo(order, others)) {
          seen.set(other.orderId, other);
          await records.updateOrder(other);
        }
      },
    }))(parts);
  },
});

/** Wrong servers whose mistake shows only after several steps. */
export const explorationFaults: readonly Fault[] = [
  {
    id: 'cancelling-closes-all',
    title: 'Closes every open order of a merchant when one of them is cancelled.',
    breaks: 'orders.states.no-other-moves',
    caughtBy: 'orders.exploration',
    make: besides(({ status, payment }, others) =>
      status === 'CLOSED' && !payment
        ? others.filter((other) => other.status === 'INIT').map((other) => ({ ...other, status, dueAt: null }))
        : [],
    ),
  },
  {
    id: 'payment-reopens-closed-orders',
    title: 'Puts closed orders of a merchant back to INIT when a payment of another one is seen.',
    breaks: 'orders.states.final',
    caughtBy: 'orders.exploration',
    make: besides(({ status }, others) =>
      status === 'PROCESSING'
        ? others.filter((other) => other.status === 'CLOSED').map((other) => ({ ...other, status: 'INIT' as const }))
        : [],
    ),
  },
  {
    id: 'payment-overwritten-by-next',
    title: 'Shows the last payment of a merchant on all of its paid orders.',
    breaks: 'orders.view.crypto-paid-amount',
    caughtBy: 'orders.exploration',
    make: besides(({ status, payment }, others) =>
      status === 'SUCCEEDED' && payment
        ? others.filter((other) => other.status === 'SUCCEEDED').map((other) => ({ ...other, payment }))
        : [],
    ),
  },
  {
    id: 'checkout-payment-overwritten-by-next',
    title: 'Shows the last payment of a merchant on all of its paid checkout orders.',
    breaks: 'checkout.view.paid-amount',
    caughtBy: 'checkout.exploration',
    make: besides(({ status, payment }, others) =>
      status === 'SUCCEEDED' && payment
        ? others.filter((other) => other.status === 'SUCCEEDED').map((other) => ({ ...other, payment }))
        : [],
    ),
  },
  {
    id: 'refund-amount-rounded-while-processing',
    title: 'Rounds the amount of a refund to whole units once work on it begins.',
    breaks: 'refunds.record.amount',
    caughtBy: 'refunds.exploration',
    make: {
      parts: storing((records) => ({
        updateRefund: (refund) => {
          const value = String(Math.ceil(Number(refund.amount.value)));
          return records.updateRefund({ ...refund, amount: { ...refund.amount, value } });
        },
      })),
    },
  },
];
