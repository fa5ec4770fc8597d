import type { Merchant } from '../domain/merchant.ts';
import type { Order } from '../domain/order.ts';
import type { Refund } from '../domain/refund.ts';
import { checkoutQueryView } from './checkout-view.ts';
import { orderView } from './order-view.ts';
import type { Ids, Records } from './ports.ts';
import { refundView } from './refund-view.ts';
import { isoTime } from './times.ts';

/**
 * Puts webhooks into the transaction of the change that they report (open points `webhook-order-payload` and
 * `webhook-refund-payload`), so that neither is ever there without the other.
 */
export interface Announcements {
  /** For an order that has changed its status; nothing where it names no callbackUrl. `now` is business time in milliseconds. */
  orderChanged(records: Records, order: Order, now: number): Promise<void>;
  /** For a refund that came to its end; nothing where neither it nor the merchant has an address. */
  refundEnded(records: Records, refund: Refund, merchant: Merchant, now: number): Promise<void>;
}

/** Webhooks as the reference server words them. `checkoutUrl`: where order ids are checkout pages. */
export function announcements({ ids, checkoutUrl }: { ids: Ids; checkoutUrl: string }): Announcements {
  async function announce(
    records: Records,
    event: { merchantId: string; url: string | undefined; now: number; body: object } & (
      | { subject: { orderId: string } }
      | { subject: { refundOrderId: string } }
    ),
  ): Promise<void> {
    const { merchantId, url, now, body, subject } = event;
    if (url === undefined) return;
    const eventId = ids.eventId();
    await records.insertDelivery({
      deliveryId: ids.deliveryId(),
      eventId,
      merchantId,
      subject,
      url,
      payload: JSON.stringify({ eventId, occurredAt: isoTime(now), ...body }),
      status: 'pending',
      attempts: [],
      createdAt: now,
      dueAt: now,
      claimedUntil: null,
    });
  }

  return {
    orderChanged: (records, order, now) => {
      const { orderId, merchantId, sequence, request } = order;
      const view = order.product === 'hosted' ? orderView(order, checkoutUrl) : checkoutQueryView(order);
      const body = { acquiringOrderId: orderId, sequence, ...view };
      return announce(records, { merchantId, url: request.callbackUrl, now, body, subject: { orderId } });
    },
    refundEnded: (records, refund, merchant, now) => {
      const { refundOrderId, merchantId, sequence, request } = refund;
      const url = request.notifyUrl ?? merchant.settings.defaultNotifyUrl;
      const body = { sequence, ...refundView(refund) };
      return announce(records, { merchantId, url, now, body, subject: { refundOrderId } });
    },
  };
}
