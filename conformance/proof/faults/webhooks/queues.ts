import type { Order } from '../../../../server/domain/order.ts';
import type { SendResult, WebhookRequest } from '../../../../server/services/delivery/deliver.ts';
import { storing } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { acknowledged, eventOf, isOfCheckout, isOfRefund, sending } from '../../stand/webhook-changes.ts';

/** A product, with the words of its ids. */
interface Product {
  name: 'order' | 'checkout-order';
  area: 'orders' | 'checkout';
  stored: Order['product'];
  noun: string;
  has(webhook: WebhookRequest): boolean;
}

const products: readonly Product[] = [
  {
    name: 'order',
    area: 'orders',
    stored: 'hosted',
    noun: 'hosted orders',
    has: (webhook) => !isOfRefund(webhook) && !isOfCheckout(webhook),
  },
  { name: 'checkout-order', area: 'checkout', stored: 'checkout', noun: 'checkout orders', has: isOfCheckout },
];

const isRefused = (result: SendResult) => 'httpStatus' in result && result.httpStatus !== 200;
const isTaken = (result: SendResult) => 'httpStatus' in result && result.httpStatus === 200;

/**
 * A server that keeps so many events of a product that were sent for each merchant, those that were taken too or the others alone, and drops the
 * oldest for a new one.
 */
function keeping(which: 'all' | 'untaken', { has }: Product, most: number): Make {
  const queues = new Map<unknown, unknown[]>();
  const dropped = new Set<unknown>();
  return sending(async (webhook, send) => {
    if (!has(webhook)) return send(webhook);
    const { merchantId, eventId } = eventOf(webhook);
    if (dropped.has(eventId)) return acknowledged;
    const queue = queues.get(merchantId) ?? [];
    queues.set(merchantId, queue);
    const result = await send(webhook);
    if ((which === 'all' || isRefused(result)) && !queue.includes(eventId)) queue.push(eventId);
    if (which === 'untaken' && isTaken(result) && queue.includes(eventId)) queue.splice(queue.indexOf(eventId), 1);
    if (queue.length > most) dropped.add(queue.shift());
    return result;
  });
}

/** A server whose work on orders that have expired is given those of them that `sees` leaves over. */
const expiring = (sees: (due: readonly Order[]) => Order[], made: (order: Order) => void = () => undefined): Make => ({
  parts: storing((records) => ({
    insertOrder: (order) => {
      made(order);
      return records.insertOrder(order);
    },
    lockDueOrders: async (...which) => sees(await records.lockDueOrders(...which)),
  })),
});

/** A server that announces no payment of a product to a merchant that has so many orders of it. */
function forgettingLargeMerchants({ stored, has }: Product, many: number): Make {
  const counts = new Map<unknown, number>();
  const isLost = (webhook: WebhookRequest) => {
    const { merchantId, status } = eventOf(webhook);
    return has(webhook) && status === 'SUCCEEDED' && (counts.get(merchantId) ?? 0) > many;
  };
  return {
    parts: storing((records) => ({
      insertOrder: (order) => {
        const { product, merchantId } = order;
        if (product === stored) counts.set(merchantId, (counts.get(merchantId) ?? 0) + 1);
        return records.insertOrder(order);
      },
    })),
    ...sending(async (webhook, send) => (isLost(webhook) ? acknowledged : send(webhook))),
  };
}

/** A server that lets only the newest orders of a product expire of each merchant. */
function expiringTheNewest({ stored }: Product, most: number): Make {
  const orders = new Map<string, string[]>();
  const isAmongNewest = ({ merchantId, orderId }: Order) => orders.get(merchantId)?.slice(-most).includes(orderId);
  return expiring(
    (due) => due.filter((order) => order.product !== stored || isAmongNewest(order)),
    ({ product, merchantId, orderId }) => {
      if (product === stored) orders.set(merchantId, [...(orders.get(merchantId) ?? []), orderId]);
    },
  );
}

/** A server that ends no order of a merchant that is due after one of a product whose webhooks go to a host that nobody knows. */
function stoppedByUnknownHosts({ stored }: Product): Make {
  const isPoison = ({ product, request }: Order) =>
    product === stored && request.callbackUrl !== undefined && /^https:\/\/[^/]+\.invalid\//.test(request.callbackUrl);
  const poisoned = new Set<string>();
  return expiring((due) =>
    due.filter((order) => {
      if (isPoison(order)) poisoned.add(order.merchantId);
      return !poisoned.has(order.merchantId);
    }),
  );
}

/** A server that sends no new event of a merchant once an attempt at one has failed in a way. */
function stoppedBy(has: (webhook: WebhookRequest) => boolean, isPoison: (error: string) => boolean): Make {
  const poisoned = new Set<unknown>();
  return sending(async (webhook, send) => {
    if (!has(webhook)) return send(webhook);
    // The events of refunds name no merchant.
    const { merchantId } = eventOf(webhook);
    if (poisoned.has(merchantId)) return acknowledged;
    const result = await send(webhook);
    if ('error' in result && isPoison(result.error)) poisoned.add(merchantId);
    return result;
  });
}

const isSilence = (error: string) => /no answer within/.test(error);

const stoppedRefunds: readonly Fault[] = (
  [
    ['silence', 'got no answer', isSilence],
    ['failed-connection', 'found no receiver', (error: string) => !isSilence(error)],
  ] as const
).map(([id, words, isPoison]) => ({
  id: `refund-events-stopped-by-${id}`,
  title: `Sends nothing of refunds any more once an attempt ${words}.`,
  breaks: 'webhooks.refund.notify-url',
  caughtBy: 'webhooks.refund.address-that-leads-nowhere',
  make: stoppedBy(isOfRefund, isPoison),
}));

const ofProducts: readonly Fault[] = products.flatMap((product): Fault[] => {
  const { name, area, noun, has } = product;
  const many = `webhooks.${name}.many-at-once`;
  const nowhere = `webhooks.${name}.address-that-leads-nowhere`;
  return [
    {
      id: `${name}-events-kept-to-20`,
      title: `Keeps 20 events of ${noun} for each merchant that were not taken, and drops the oldest for another.`,
      breaks: 'webhooks.retry',
      caughtBy: many,
      make: keeping('untaken', product, 20),
    },
    {
      id: `${name}-events-kept-to-100`,
      title: `Keeps 100 events of ${noun} for each merchant, taken ones too, and drops the oldest for another.`,
      breaks: 'webhooks.retry',
      caughtBy: many,
      make: keeping('all', product, 100),
    },
    {
      id: `${area}-newest-expire-only`,
      title: `Lets the newest hundred ${noun} of each merchant expire, and no others.`,
      // A query lets the first one expire, and there are others.
      breaks: 'webhooks.order.expired',
      caughtBy: many,
      make: expiringTheNewest(product, 100),
    },
    {
      id: `${name}-paid-unannounced-to-large-merchants`,
      title: `Announces no payment of ${noun} of a merchant that has more than sixty of them.`,
      breaks: 'webhooks.order.paid',
      caughtBy: many,
      make: forgettingLargeMerchants(product, 60),
    },
    {
      id: `${name}-expiry-stopped-by-unknown-host`,
      title: `Lets no order of a merchant expire any more after one of its ${noun} whose webhooks go to a host that nobody knows.`,
      breaks: 'webhooks.order.expired',
      caughtBy: nowhere,
      make: stoppedByUnknownHosts(product),
    },
    {
      id: `${name}-events-stopped-by-silence`,
      title: `Sends nothing of the ${noun} of a merchant any more once an attempt got no answer.`,
      breaks: name === 'order' ? 'webhooks.order.cancelled' : 'webhooks.order.failed',
      caughtBy: nowhere,
      make: stoppedBy(has, isSilence),
    },
  ];
});

/** Wrong servers whose queues and pages hold less than there is, or whose work for a merchant ends with something that fails. */
export const webhookQueueFaults: readonly Fault[] = [...ofProducts, ...stoppedRefunds];
