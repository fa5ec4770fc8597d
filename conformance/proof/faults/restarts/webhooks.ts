import type { Order } from '../../../../server/domain/order.ts';
import { storing } from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';

const fault = faultsCaughtBy('');

/** A server that keeps its outbox in memory. */
const outboxInMemory: Make = {
  restarts: true,
  parts: (parts) => {
    const known = new Set<string>();
    return storing((records) => ({
      insertDelivery: (delivery) => {
        known.add(delivery.deliveryId);
        return records.insertDelivery(delivery);
      },
      claimDueDeliveries: async (...which) =>
        (await records.claimDueDeliveries(...which)).filter(({ deliveryId }) => known.has(deliveryId)),
    }))(parts);
  },
};

/** A server that forgets at its end which address a refund under way has named. */
const forgettingNotifyUrls: Make = {
  restarts: true,
  parts: (parts) => {
    const known = new Set<string>();
    return storing((records) => ({
      insertRefund: (refund) => {
        known.add(refund.refundOrderId);
        return records.insertRefund(refund);
      },
      insertDelivery: async (delivery) => {
        const { subject } = delivery;
        if (!('refundOrderId' in subject) || known.has(subject.refundOrderId)) await records.insertDelivery(delivery);
      },
    }))(parts);
  },
};

/** A server that knows at its start no longer to whom it has to tell the end of what was in PROCESSING. */
const forgettingBegun = (area: 'orders' | 'refunds'): Make => ({
  restarts: true,
  parts: (parts) => {
    const known = new Set<string>();
    return storing((records) => ({
      updateOrder: (order) => {
        if (order.status === 'PROCESSING') known.add(order.orderId);
        return records.updateOrder(order);
      },
      updateRefund: (refund) => {
        if (refund.status === 'PROCESSING') known.add(refund.refundOrderId);
        return records.updateRefund(refund);
      },
      insertDelivery: async (delivery) => {
        const { subject } = delivery;
        const isOfArea = 'refundOrderId' in subject === (area === 'refunds');
        const isEnd = isOfArea && JSON.parse(delivery.payload).status === 'SUCCEEDED';
        const id = 'refundOrderId' in subject ? subject.refundOrderId : subject.orderId;
        if (!isEnd || known.has(id)) await records.insertDelivery(delivery);
      },
    }))(parts);
  },
});

/** A server whose timers know only the orders that were made since its start. A query notices that an older one has expired, and announces it. */
const timersInMemory = (product: Order['product']): Make => ({
  restarts: true,
  parts: (parts) => {
    const known = new Set<string>();
    return storing((records) => ({
      insertOrder: (order) => {
        known.add(order.orderId);
        return records.insertOrder(order);
      },
      lockDueOrders: async (...due) =>
        (await records.lockDueOrders(...due)).filter((order) => order.product !== product || known.has(order.orderId)),
    }))(parts);
  },
});

/** Wrong servers that do not send after their start the webhooks that were due before it. */
export const webhookRestartFaults: readonly Fault[] = [
  fault(
    'outbox-in-memory',
    'Forgets at its end which webhooks it still has to send.',
    'general.restart.webhooks',
    'webhooks.restart.due',
    outboxInMemory,
  ),
  fault(
    'notify-urls-in-memory',
    'Forgets at its end where the result of a refund under way is to be posted.',
    'general.restart.webhooks',
    'webhooks.restart.due',
    forgettingNotifyUrls,
  ),
  ...(['orders', 'refunds'] as const).map((area) =>
    fault(
      `${area}-under-way-unannounced-after-start`,
      `Announces no end of ${area} to which something else had happened before its start.`,
      'general.restart.webhooks',
      'webhooks.restart.due',
      forgettingBegun(area),
    ),
  ),
  ...(['hosted', 'checkout'] as const).map((product) =>
    fault(
      `${product}-expiry-unannounced-after-start`,
      `Notices only when somebody asks for a ${product} order from before its start that it has expired.`,
      'general.restart.webhooks',
      'webhooks.restart.due',
      timersInMemory(product),
    ),
  ),
];
