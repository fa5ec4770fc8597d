import type { Choices } from '../../../generated/catalogue.ts';
import type { Merchant } from '../../domain/merchant.ts';
import type { Order } from '../../domain/order.ts';
import type { Refund } from '../../domain/refund.ts';
import { timeForms } from '../../domain/times.ts';
import type { Views } from '../../views/index.ts';
import type { Ids, Records } from '../ports.ts';

/** Writes webhooks in the transaction of the change that they report, so that both are stored or neither is. */
export interface Announcements {
  /** Announces an order's change of status, if the order has a callbackUrl. `now` is business time in milliseconds. */
  orderChanged(records: Records, order: Order, now: number): Promise<void>;
  /** Announces a refund that has reached a final state, if the refund or the merchant has an address for it. */
  refundEnded(records: Records, refund: Refund, merchant: Merchant, now: number): Promise<void>;
}

/** The fields that every event has. */
interface Event {
  eventId: string;
  occurredAt: string;
}

/** The body of an order's webhook (open point `webhook-order-payload`). */
const orderBodies: Readonly<
  Record<Choices['webhook-order-payload'], (event: Event, order: Order, view: object) => object>
> = {
  flat: (event, { orderId, sequence }, view) => ({ ...event, acquiringOrderId: orderId, sequence, ...view }),
  nested: (event, order, data) => ({ ...event, ...identityOf(order), sequence: order.sequence, data }),
  minimal: (_event, order) => identityOf(order),
};

/** The body of a refund's webhook (open point `webhook-refund-payload`). */
const refundBodies: Readonly<
  Record<Choices['webhook-refund-payload'], (event: Event, refund: Refund, view: object) => object>
> = {
  flat: (event, { sequence }, view) => ({ ...event, sequence, ...view }),
  nested: (event, { sequence }, data) => ({ ...event, sequence, data }),
};

function identityOf({ orderId, merchantOrderId, status }: Order) {
  return { acquiringOrderId: orderId, merchantOrderId, status };
}

/** The announcements of the reference server. */
export function announcements(parts: { ids: Ids; views: Views; choices: Choices }): Announcements {
  const { ids, views, choices } = parts;
  const writeTime = timeForms[choices['time-forms']];
  const orderBody = orderBodies[choices['webhook-order-payload']];
  const refundBody = refundBodies[choices['webhook-refund-payload']];

  async function announce(
    records: Records,
    about: {
      merchantId: string;
      url: string | undefined;
      now: number;
      bodyOf: (event: Event) => object;
      subject: { orderId: string } | { refundOrderId: string };
    },
  ): Promise<void> {
    const { merchantId, url, now, bodyOf, subject } = about;
    if (url === undefined) return;
    const eventId = ids.eventId();
    await records.insertDelivery({
      deliveryId: ids.deliveryId(),
      eventId,
      merchantId,
      subject,
      url,
      payload: JSON.stringify(bodyOf({ eventId, occurredAt: writeTime(now) })),
      status: 'pending',
      attempts: [],
      createdAt: now,
      dueAt: now,
      claimedUntil: null,
    });
  }

  return {
    orderChanged: (records, order, now) => {
      const { orderId, merchantId, request } = order;
      const bodyOf = (event: Event) =>
        orderBody(event, order, order.product === 'hosted' ? views.order(order) : views.checkout.queried(order));
      return announce(records, { merchantId, url: request.callbackUrl, now, bodyOf, subject: { orderId } });
    },
    refundEnded: (records, refund, merchant, now) => {
      const { refundOrderId, merchantId, request } = refund;
      const url = request.notifyUrl ?? merchant.settings.defaultNotifyUrl;
      const bodyOf = (event: Event) => refundBody(event, refund, views.refund(refund));
      return announce(records, { merchantId, url, now, bodyOf, subject: { refundOrderId } });
    },
  };
}
