import type { Order } from '../../../../server/domain/order.ts';
import { isObject } from '../../../contract/json.ts';
import { bodyOf, isHostedQuery, onlyFor, recordOfEvent, showing, storing } from '../../stand/changes.ts';
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

/** A server that refuses a further payment of a hosted order that is being paid, and shows the transaction of it. */
function showingRefusedPayments(): Make {
  const refused = new Map<unknown, unknown>();
  return {
    control: async (request, server) => {
      const answer = await server.forward(request);
      const orderId = recordOfEvent('orders', request);
      const { transactionHash } = bodyOf(request) ?? {};
      if (orderId !== undefined && answer.status === 409 && transactionHash) refused.set(orderId, transactionHash);
      return answer;
    },
    merchantApi: onlyFor(
      isHostedQuery,
      showing((view) => {
        const txHash = refused.get(view.orderId);
        const { cryptoPaymentDetail: detail } = view;
        return txHash !== undefined && isObject(detail)
          ? { ...view, cryptoPaymentDetail: { ...detail, txHash } }
          : view;
      }),
    ),
  };
}

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
    id: 'transaction-of-refused-payment-shown',
    title: 'Refuses a second payment of a hosted order that is being paid, and shows its transaction.',
    breaks: 'orders.view.payment-detail',
    caughtBy: 'orders.query.money.transaction',
    feeds: ['orders.payments.courses'],
    make: showingRefusedPayments(),
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
