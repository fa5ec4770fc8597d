import type { WebhookRequest } from '../../../server/services/delivery/deliver.ts';
import type { JsonObject } from '../../contract/json.ts';
import { isHosted, isOf, onlyFor, showing } from '../stand/changes.ts';
import type { Fault, Make } from '../stand/fault.ts';
import { acknowledged, eventOf, isOfCheckout, isOfRefund, sending } from '../stand/webhook-changes.ts';

/** A server that announces the same only once, where `keyOf` says what is the same. */
const announcingOnce = (isMeant: (webhook: WebhookRequest) => boolean, keyOf: (event: JsonObject) => unknown): Make => {
  const owners = new Map<string, unknown>();
  return sending(async (webhook, send) => {
    const event = eventOf(webhook);
    const key = JSON.stringify([keyOf(event), event.status]);
    const id = event.refundOrderId ?? event.acquiringOrderId;
    if (!isMeant(webhook)) return send(webhook);
    const owner = owners.get(key) ?? id;
    owners.set(key, owner);
    return owner === id ? send(webhook) : acknowledged;
  });
};

/** A server with one timer for each merchantOrderId: an order that another merchant makes under the same one takes the timer away. */
function losingTimers(): Make {
  const newest = new Map<unknown, unknown>();
  const lost = new Set<unknown>();
  return {
    merchantApi: onlyFor(
      isHosted,
      showing((view, request) => {
        const { merchantOrderId, orderId } = view;
        const earlier = newest.get(merchantOrderId);
        if (isOf('orders.create')(request)) {
          if (earlier !== undefined && earlier !== orderId) lost.add(earlier);
          newest.set(merchantOrderId, orderId);
        }
        return lost.has(orderId) && view.status === 'CLOSED' ? { ...view, status: 'INIT' } : view;
      }),
    ),
  };
}

/** Wrong servers that look things up by an id that is not theirs alone. */
export const namesakeFaults: readonly Fault[] = [
  {
    id: 'orders-of-one-id-announced-once',
    title: 'Announces what happens to one of two hosted orders under the same merchantOrderId of two merchants.',
    breaks: 'webhooks.order.paid',
    caughtBy: 'webhooks.order.namesakes',
    make: announcingOnce(
      (webhook) => !isOfRefund(webhook) && !isOfCheckout(webhook),
      ({ merchantOrderId }) => merchantOrderId,
    ),
  },
  {
    id: 'checkout-orders-of-one-id-announced-once',
    title: 'Announces what happens to one of two checkout orders under the same merchantOrderId of two merchants.',
    breaks: 'webhooks.order.paid',
    caughtBy: 'webhooks.checkout-order.namesakes',
    make: announcingOnce(isOfCheckout, ({ merchantOrderId }) => merchantOrderId),
  },
  {
    id: 'orders-of-both-products-announced-once',
    title: 'Announces what happens to one of two orders under the same merchantOrderId of both products.',
    breaks: 'webhooks.order.paid',
    caughtBy: 'webhooks.order.namesakes-of-both-products',
    make: announcingOnce(
      (webhook) => !isOfRefund(webhook),
      ({ merchantId, merchantOrderId }) => [merchantId, merchantOrderId],
    ),
  },
  {
    id: 'refunds-of-one-id-announced-once',
    title: 'Announces one of two refunds under the same merchantRefundOrderId of two merchants.',
    breaks: 'webhooks.refund.notify-url',
    caughtBy: 'webhooks.refund.namesakes',
    make: announcingOnce(isOfRefund, ({ merchantRefundOrderId }) => merchantRefundOrderId),
  },
  {
    id: 'expiry-of-namesakes-forgotten',
    title: 'Lets a hosted order never expire where another merchant has made one under the same merchantOrderId later.',
    breaks: 'orders.states.expired',
    caughtBy: 'webhooks.order.namesakes',
    make: losingTimers(),
  },
];
