import type { Order } from '../../../../server/domain/order.ts';
import { isObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import { bodyOf, isOf, storing } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import type { Handler } from '../../stand/proxy.ts';
import {
  acknowledged,
  eventOf,
  isOfCheckout,
  isOfRefund,
  sending,
  sendingRefundsTo,
} from '../../stand/webhook-changes.ts';

/** A server that announces one of the checkout orders that expire within a second with the same address. */
function announcingExpiriesOnce(): Make {
  const announced = new Map<string, { id: unknown; at: number }>();
  return sending(async (webhook, send) => {
    const { acquiringOrderId: id, status } = eventOf(webhook);
    if (!isOfCheckout(webhook) || status !== 'CLOSED') return send(webhook);
    const last = announced.get(webhook.url);
    if (last && last.id !== id && Date.now() - last.at < 1000) return acknowledged;
    announced.set(webhook.url, { id, at: Date.now() });
    return send(webhook);
  });
}

/** A server that takes every answer at an address of http for an acknowledgement. */
const sendingPlainlyOnce: Make = sending(async (webhook, send) => {
  const result = await send(webhook);
  return /^http:/i.test(webhook.url) ? acknowledged : result;
});

/** A server that announces a refund without an address of its own where an earlier one of its order was to be announced. */
function keepingTheFirstAddress(): Make {
  const first = new Map<string, string>();
  return {
    parts: storing((records) => ({
      insertRefund: (refund) => {
        const { acquiringOrderId, request } = refund;
        const known = first.get(acquiringOrderId) ?? request.notifyUrl;
        if (known === undefined) return records.insertRefund(refund);
        first.set(acquiringOrderId, known);
        return records.insertRefund({ ...refund, request: { notifyUrl: known, ...request } });
      },
    })),
  };
}

/** A server that keeps of a refund what the last create with its id has named, and so no address where that has none. */
function overwritingAddresses(): Make {
  const withoutAddress = new Set<unknown>();
  const merchantApi: Handler = async (request, server) => {
    const answer = await server.forward(request);
    const sent = bodyOf(request);
    const { code, data } = bodyOf(answer) ?? {};
    const isDone = isOf('refunds.create')(request) && code === successCode;
    if (isDone && sent?.notifyUrl === undefined && isObject(data)) withoutAddress.add(data.refundOrderId);
    return answer;
  };
  return {
    merchantApi,
    ...sendingRefundsTo((delivery, defaultUrl) => {
      const isMeant = 'refundOrderId' in delivery.subject && withoutAddress.has(delivery.subject.refundOrderId);
      return [isMeant ? { ...delivery, url: defaultUrl } : delivery];
    }),
  };
}

/** A server that takes webhooks with the same status to the same address for repetitions of the first, whose `id` is another. */
function oneForEachAddress(
  has: (webhook: Parameters<typeof eventOf>[0]) => boolean,
  id: 'acquiringOrderId' | 'merchantId' = 'acquiringOrderId',
): Make {
  const firsts = new Map<string, unknown>();
  return sending(async (webhook, send) => {
    const { status, [id]: own } = eventOf(webhook);
    const key = `${webhook.url} ${status}`;
    if (!has(webhook) || (firsts.get(key) ?? own) === own) {
      if (has(webhook)) firsts.set(key, own);
      return send(webhook);
    }
    return acknowledged;
  });
}

const sharedByMerchants = (name: string, has: Parameters<typeof oneForEachAddress>[0]): Fault => ({
  id: `${name}-one-merchant-for-each-address`,
  title:
    'Takes what it sends to an address for sent before when it has sent the same status there for another merchant.',
  breaks: 'webhooks.order.post',
  caughtBy: `webhooks.${name}.shared-address`,
  make: oneForEachAddress(has, 'merchantId'),
});

const shared = (name: string, has: Parameters<typeof oneForEachAddress>[0], breaks: Fault['breaks']): Fault => ({
  id: `${name}-one-webhook-for-each-address`,
  title: 'Takes what it sends to an address for sent before when only the id in it is another.',
  breaks,
  caughtBy: `webhooks.${name}.shared-address`,
  make: oneForEachAddress(has),
});

/** A server that announces an order at the address of every order that has its merchantOrderId, whichever merchant's it is. */
function announcingToNamesakes(product: 'hosted' | 'checkout'): Make {
  const urls = new Map<string, Set<string>>();
  return {
    parts: storing((records) => ({
      insertOrder: (order) => {
        const { callbackUrl } = order.request;
        if (order.product === product && callbackUrl !== undefined) {
          const { merchantOrderId } = order;
          urls.set(merchantOrderId, (urls.get(merchantOrderId) ?? new Set()).add(callbackUrl));
        }
        return records.insertOrder(order);
      },
      insertDelivery: async (delivery) => {
        await records.insertDelivery(delivery);
        if (!('orderId' in delivery.subject)) return;
        const { merchantOrderId } = bodyOf({ body: Buffer.from(delivery.payload) }) ?? {};
        const others = [...(urls.get(String(merchantOrderId)) ?? [])].filter((url) => url !== delivery.url);
        for (const [index, url] of others.entries()) {
          await records.insertDelivery({ ...delivery, deliveryId: `${delivery.deliveryId}-${index}`, url });
        }
      },
    })),
  };
}

/** A server that announces a hosted order at the address to which its customer returns, too. */
function announcingToReturnUrl(): Make {
  const returnUrls = new Map<string, string>();
  return {
    parts: storing((records) => ({
      insertOrder: (order) => {
        if (order.product === 'hosted') returnUrls.set(order.orderId, order.request.returnUrl);
        return records.insertOrder(order);
      },
      insertDelivery: async (delivery) => {
        const returnUrl = 'orderId' in delivery.subject ? returnUrls.get(delivery.subject.orderId) : undefined;
        await records.insertDelivery(delivery);
        if (returnUrl?.startsWith('https://127.0.0.1')) {
          await records.insertDelivery({ ...delivery, deliveryId: `${delivery.deliveryId}-returned`, url: returnUrl });
        }
      },
    })),
  };
}

const toReturnUrl: Fault = {
  id: 'order-announced-at-return-url-too',
  title: 'Announces a hosted order at its returnUrl too.',
  breaks: 'webhooks.order.post',
  caughtBy: 'webhooks.order.deliveries.address',
  feeds: ['webhooks.situations.orders'],
  make: announcingToReturnUrl(),
};

const toNamesakes = (name: string, product: Parameters<typeof announcingToNamesakes>[0]): Fault => ({
  id: `${name}-announced-to-namesakes`,
  title: "Announces an order to other merchants' orders with the same merchantOrderId too.",
  breaks: 'webhooks.order.post',
  caughtBy: `webhooks.${name}.deliveries.address`,
  feeds: [`webhooks.${name}.post`],
  make: announcingToNamesakes(product),
});

/** Servers that read an address otherwise than it is meant, each seen at one kind of thing. */
const misread: readonly Fault[] = (
  [
    ['order', 'webhooks.order.post'],
    ['checkout-order', 'webhooks.order.post'],
    ['refund', 'webhooks.refund.notify-url'],
  ] as const
).flatMap(([name, breaks]): Fault[] => {
  const seen = `seen at a ${name.replace('-', ' ')}`;
  const reading = (change: (url: string) => string): Make =>
    sending((webhook, send) => send({ ...webhook, url: change(webhook.url) }));
  return [
    {
      id: `${name}-query-without-path-dropped`,
      title: `Drops the query of an address that has no path, ${seen}.`,
      breaks,
      caughtBy: `webhooks.${name}.query-without-path`,
      make: reading((url) => url.replace(/^([a-z]+:\/\/[^/?]+)\?.*$/i, '$1/')),
    },
    {
      id: `${name}-fragment-sent`,
      title: `Sends the fragment of an address as a part of its query, ${seen}.`,
      breaks,
      caughtBy: `webhooks.${name}.address-with-fragment`,
      make: reading((url) => url.replace('#', '%23')),
    },
  ];
});

/** An order with the first `most` characters of its callbackUrl. */
function withAddressOf(order: Order, most: number): Order {
  const callbackUrl = order.request.callbackUrl?.slice(0, most);
  if (callbackUrl === undefined) return order;
  return order.product === 'hosted'
    ? { ...order, request: { ...order.request, callbackUrl } }
    : { ...order, request: { ...order.request, callbackUrl } };
}

/** A server that announces the refunds of orders that are split among sub-merchants at the address of the order. */
const announcingSplitOnesAtOrder: Make = {
  parts: storing((records) => ({
    insertDelivery: async (delivery) => {
      const { subject, merchantId } = delivery;
      const refund =
        'refundOrderId' in subject ? await records.lockRefund(merchantId, subject.refundOrderId) : undefined;
      const order = refund && (await records.lockOrder(merchantId, refund.acquiringOrderId));
      const isSplit = order?.product === 'hosted' && order.request.subMerchants !== undefined;
      const url = isSplit ? order.request.callbackUrl : undefined;
      await records.insertDelivery(url === undefined ? delivery : { ...delivery, url });
    },
  })),
};

/** Wrong servers that send to the wrong one of several addresses, or take one address for one event. */
export const webhookAddressFaults: readonly Fault[] = [
  {
    id: 'refunds-of-split-orders-announced-at-the-order',
    title: 'Announces the refund of an order that is split among sub-merchants at the address of the order.',
    breaks: 'webhooks.refund.notify-url',
    caughtBy: 'webhooks.refund.every-kind',
    make: announcingSplitOnesAtOrder,
  },
  {
    id: 'expiries-at-one-address-announced-once',
    title: 'Announces one of the checkout orders that expire at once and name the same address.',
    breaks: 'webhooks.order.expired',
    caughtBy: 'webhooks.checkout-order.shared-address',
    make: announcingExpiriesOnce(),
  },
  {
    id: 'events-at-plain-addresses-sent-once',
    title: 'Sends nothing again that was not taken at an address of http.',
    breaks: 'webhooks.retry',
    caughtBy: 'webhooks.checkout-order.plain-address',
    make: sendingPlainlyOnce,
  },
  {
    id: 'second-refund-to-the-first-address',
    title: 'Announces a second refund that names no address at the one that the first had named.',
    breaks: 'webhooks.refund.default-address',
    caughtBy: 'webhooks.refund.second-without-address',
    make: keepingTheFirstAddress(),
  },
  {
    id: 'address-of-a-refund-overwritten',
    title: "Announces a refund at the merchant's default address once its create was sent again without one.",
    breaks: 'webhooks.refund.notify-url',
    caughtBy: 'webhooks.refund.repeat-without-address',
    make: overwritingAddresses(),
  },
  shared('order', (webhook) => !isOfRefund(webhook) && !isOfCheckout(webhook), 'webhooks.order.post'),
  shared('checkout-order', isOfCheckout, 'webhooks.order.post'),
  shared('refund', isOfRefund, 'webhooks.refund.notify-url'),
  sharedByMerchants('order', (webhook) => !isOfRefund(webhook) && !isOfCheckout(webhook)),
  sharedByMerchants('checkout-order', isOfCheckout),
  toReturnUrl,
  toNamesakes('order', 'hosted'),
  toNamesakes('checkout-order', 'checkout'),
  ...misread,
  ...(
    [
      ['order', 'hosted', 1024],
      ['checkout-order', 'checkout', 2000],
    ] as const
  ).map(
    ([name, product, most]): Fault => ({
      id: `${name}-address-cut-to-${most}`,
      title: `Keeps ${most} characters of the address of an order's webhooks.`,
      breaks: 'webhooks.order.post',
      caughtBy: `webhooks.${name}.deliveries.query`,
      feeds: [`webhooks.${name}.post`],
      make: {
        parts: storing((records) => ({
          insertOrder: (order) => records.insertOrder(order.product === product ? withAddressOf(order, most) : order),
        })),
      },
    }),
  ),
  {
    id: 'order-with-long-address-not-announced',
    title: 'Announces no order whose callbackUrl has more than 2,000 characters.',
    breaks: 'webhooks.order.post',
    caughtBy: 'webhooks.order.post',
    make: sending(async (webhook, send) => (webhook.url.length > 2000 ? acknowledged : send(webhook))),
  },
];
