import { setTimeout as delay } from 'node:timers/promises';
import type { RequirementId } from '../../../../generated/catalogue.ts';
import type { Send, WebhookRequest } from '../../../../server/services/delivery/deliver.ts';
import { overpaid } from '../../../arrange/orders/payments.ts';
import { isObject, type JsonObject, valueAt } from '../../../contract/json.ts';
import { bodyOf, isOf, recordOfEvent, storing } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { overKeptConnections } from '../../stand/kept-connections.ts';
import type { Handler } from '../../stand/proxy.ts';
import {
  acknowledged,
  eventOf,
  isOfCheckout,
  isOfRefund,
  sendAs,
  sending,
  sendingRefundsTo,
} from '../../stand/webhook-changes.ts';

/** A kind of webhook, with the checks in which such webhooks are exchanged. */
interface Kind {
  name: 'order' | 'checkout-order' | 'refund';
  noun: string;
  create: string;
  addressField: string;
  has(webhook: WebhookRequest): boolean;
  /** The requirement for the address of these webhooks. */
  address: RequirementId;
  feeds: readonly string[];
}

const kinds: readonly Kind[] = [
  {
    name: 'order',
    noun: 'hosted orders',
    create: 'orders.create',
    addressField: 'callbackUrl',
    has: (webhook) => !isOfRefund(webhook) && !isOfCheckout(webhook),
    address: 'webhooks.order.post',
    feeds: ['webhooks.order.paid', 'webhooks.order.failed', 'webhooks.order.cancelled', 'webhooks.order.expired'],
  },
  {
    name: 'checkout-order',
    noun: 'checkout orders',
    create: 'checkout.create',
    addressField: 'callbackUrl',
    has: isOfCheckout,
    address: 'webhooks.order.post',
    feeds: ['webhooks.checkout-order.paid', 'webhooks.checkout-order.failed', 'webhooks.checkout-order.expired'],
  },
  {
    name: 'refund',
    noun: 'refunds',
    create: 'refunds.create',
    addressField: 'notifyUrl',
    has: isOfRefund,
    address: 'webhooks.refund.notify-url',
    feeds: ['webhooks.refund.notify-url', 'webhooks.refund.failed', 'webhooks.refund.notify-url-instead'],
  },
];

/** A server that announces an event of the driver that it refuses, because the order has ended, as a failure of the order. */
function announcingRefusedEvents({ create }: Kind): Make {
  const announced = new Map<string, { url: string; event: JsonObject }>();
  return {
    merchantApi: async (request, server) => {
      const answer = await server.forward(request);
      const [body, envelope] = [isOf(create)(request) ? bodyOf(request) : undefined, bodyOf(answer)];
      const data = envelope?.data;
      if (isObject(data) && typeof body?.callbackUrl === 'string' && body.callbackUrl.startsWith('https://127.0.0.1')) {
        announced.set(String(data.orderId), { url: body.callbackUrl, event: { ...data, status: 'FAILED' } });
      }
      return answer;
    },
    control: async (request, server) => {
      const answer = await server.forward(request);
      const known = announced.get(recordOfEvent('orders', request) ?? '');
      if (answer.status !== 409 || !known) return answer;
      const headers = { 'Content-Type': 'application/json' };
      await sendAs('POST', { url: known.url, headers, body: JSON.stringify(known.event) });
      return answer;
    },
  };
}

type Change = (webhook: WebhookRequest, send: Send) => ReturnType<Send>;

/** A server that sends one kind of webhooks in its own way. */
const sendingThese = ({ has }: Kind, change: Change): Make =>
  sending((webhook, send) => (has(webhook) ? change(webhook, send) : send(webhook)));

const worded =
  (change: (event: JsonObject) => JsonObject): Change =>
  (webhook, send) =>
    send({ ...webhook, body: JSON.stringify(change(eventOf(webhook))) });

const withUrl =
  (change: (url: string) => string): Change =>
  (webhook, send) =>
    send({ ...webhook, url: change(webhook.url) });

/** The query parsed and serialised again, as form libraries do. */
const rewritten = (address: string) => {
  const url = new URL(address);
  url.search = new URLSearchParams(url.search).toString();
  return url.href;
};

/** Ways to change a query that lead to another address, each with its words. */
const changedQueries: readonly { id: string; words: string; change(query: string): string }[] = [
  {
    id: 'without-empty-parameters',
    words: 'Drops parameters without a value from',
    change: (query) => query.replace(/(?<=[?&])[^=&]+=?(&|$)/g, ''),
  },
  {
    id: 'of-last-values',
    words: 'Keeps the last value of each name in',
    change: (query) => query.replace(/(?<=[?&])(\w+)=[^&]*&(?=.*&\1=)/g, ''),
  },
  { id: 'without-its-last-sign', words: 'Drops the sign at the end of', change: (query) => query.replace(/&$/, '') },
  { id: 'with-blanks', words: 'Writes as blanks the plus signs in', change: (query) => query.replaceAll('+', '%20') },
  { id: 'with-escapes', words: 'Escapes the commas in', change: (query) => query.replaceAll(',', '%2C') },
];

/** An address with another path. */
const withPath =
  (change: (path: string) => string) =>
  (address: string): string => {
    const [, host = '', path = '', query = ''] = /^(https?:\/\/[^/?]+)([^?]*)(.*)$/is.exec(address) ?? [];
    return `${host}${change(path)}${query}`;
  };

/** Ways to change a path that lead to another address. */
const changedPaths: readonly { id: string; words: string; change(path: string): string }[] = [
  { id: 'decoded', words: 'Decodes the slashes', change: (path) => path.replace(/%2F/gi, '/') },
  { id: 'encoded-twice', words: 'Encodes once more the path', change: (path) => path.replaceAll('%', '%25') },
  { id: 'slashes-joined', words: 'Joins the slashes', change: (path) => path.replace(/\/{2,}/g, '/') },
  { id: 'lower-case', words: 'Writes in small letters the path', change: (path) => path.toLowerCase() },
  { id: 'cut-at-semicolon', words: 'Cuts the path at a semicolon', change: (path) => path.replace(/;[^/]*/g, '') },
  {
    id: 'apostrophe-escaped',
    words: 'Escapes the apostrophes in the path',
    change: (path) => path.replaceAll("'", '%27'),
  },
  {
    id: 'signs-escaped',
    words: 'Escapes the signs in the path',
    change: (path) => path.replace(/[:@,]/g, encodeURIComponent),
  },
  {
    id: 'plus-as-blank',
    words: 'Writes as blanks the plus signs in the path',
    change: (path) => path.replaceAll('+', '%20'),
  },
  {
    id: 'blank-as-plus',
    words: 'Writes as plus signs the blanks in the path',
    change: (path) => path.replaceAll('%20', '+'),
  },
  {
    id: 'last-slash-dropped',
    words: 'Drops the last slash of the path',
    change: (path) => path.replace(/(?<=.)\/$/, ''),
  },
];

/** A server that sends each webhook of one kind also to the first address given for that kind. */
function alsoToTheFirst({ has }: Kind): Make {
  return {
    webhooks: () => {
      let first: string | undefined;
      return async (webhook, send) => {
        if (has(webhook)) {
          first ??= webhook.url;
          if (webhook.url !== first) await send({ ...webhook, url: first });
        }
        return send(webhook);
      };
    },
  };
}

/** A server that announces success right after a create, before it answers the create. */
const announcingAtOnce =
  ({ create, addressField }: Kind): Handler =>
  async (request, server) => {
    const answer = await server.forward(request);
    const [body, envelope] = [isOf(create)(request) ? bodyOf(request) : undefined, bodyOf(answer)];
    const url = body?.[addressField];
    if (typeof url !== 'string' || !url.startsWith('https://127.0.0.1') || !isObject(envelope?.data)) return answer;
    const event = JSON.stringify({ ...envelope.data, status: 'SUCCEEDED' });
    await sendAs('POST', { url, headers: { 'Content-Type': 'application/json' }, body: event });
    // A view may lag as long as the checks wait for a change; the next query comes later.
    await delay(1100);
    return answer;
  };

const ofEveryKind: readonly Fault[] = kinds.flatMap((kind) => {
  const { name, noun, feeds, address } = kind;
  const fault = (id: string, title: string, breaks: RequirementId, rule: string, make: Make): Fault => ({
    id: `deliveries-${name}-${id}`,
    title,
    breaks,
    caughtBy: `webhooks.${name}.deliveries.${rule}`,
    feeds,
    make,
  });
  const isRefund = name === 'refund';
  const says = (from: string, to: string) =>
    worded((event) => ({ ...event, status: event.status === from ? to : String(event.status) }));
  return [
    fault(
      'to-two-addresses',
      `Sends webhooks about ${noun} to the first address that it ever got, too.`,
      address,
      'address',
      alsoToTheFirst(kind),
    ),
    fault(
      'without-query',
      `Sends webhooks about ${noun} to the address without its query.`,
      address,
      'query',
      sendingThese(
        kind,
        withUrl((url) => url.replace(/\?.*/, '')),
      ),
    ),
    fault(
      'query-rewritten',
      `Reads the query of the address and writes it again before it sends webhooks about ${noun}.`,
      address,
      'query',
      sendingThese(kind, withUrl(rewritten)),
    ),
    ...changedQueries.map(({ id, words, change }) =>
      fault(
        `query-${id}`,
        `${words} the query of the address before it sends webhooks about ${noun}.`,
        address,
        'query',
        sendingThese(
          kind,
          withUrl((url) => url.replace(/\?.*/, change)),
        ),
      ),
    ),
    ...changedPaths.map(({ id, words, change }) => ({
      ...fault(`path-${id}`, `${words} of the address before it sends webhooks about ${noun}.`, address, 'path', {
        ...sendingThese(kind, withUrl(withPath(change))),
      }),
      feeds: [isRefund ? 'webhooks.situations.refunds' : `webhooks.situations.${name}s`],
    })),
    ...(isRefund
      ? []
      : [
          {
            ...fault(
              'sent-to-what-precedes-a-semicolon',
              `Cuts the address at a semicolon in its path before it sends webhooks about ${noun}.`,
              'webhooks.order.paid',
              'paid',
              sendingThese(kind, withUrl(withPath((path) => path.replace(/;.*/, '')))),
            ),
            feeds: [`webhooks.situations.${name}s`],
          },
        ]),
    fault(
      'by-put',
      `Sends webhooks about ${noun} with PUT.`,
      address,
      'method',
      sendingThese(kind, (webhook) => sendAs('PUT', webhook)),
    ),
    fault(
      'anonymous',
      `Sends the status of ${noun} and the time, and not which one it is about.`,
      isRefund ? 'webhooks.refund.identifies' : 'webhooks.order.identifies',
      'identifies',
      sendingThese(
        kind,
        worded(({ status, occurredAt }) => ({ status, occurredAt })),
      ),
    ),
    ...(isRefund
      ? []
      : [
          fault(
            'with-one-id-twice',
            `Sends the merchant's own id of ${noun} as that of the platform too.`,
            'webhooks.order.identifies',
            'identifies',
            sendingThese(
              kind,
              worded((event) => ({ ...event, acquiringOrderId: event.merchantOrderId })),
            ),
          ),
        ]),
    fault(
      'announced-at-once',
      `Announces the success of ${noun} when they are made.`,
      isRefund ? 'webhooks.refund.after-result' : 'webhooks.order.after-change',
      'after-change',
      { merchantApi: announcingAtOnce(kind) },
    ),
    fault(
      'other-status',
      `Says of ${noun} that have failed that they are closed.`,
      isRefund ? 'webhooks.refund.status' : 'webhooks.order.status',
      'status',
      sendingThese(kind, says('FAILED', 'CLOSED')),
    ),
  ];
});

/** A server that never announces some of its changes. */
const silent = (
  kind: Kind | undefined,
  outcome: string,
  breaks: RequirementId,
  isMeant: (event: JsonObject) => boolean,
): readonly Fault[] =>
  (kind ? [kind] : []).map((each) => ({
    id: `deliveries-${each.name}-${outcome}-unannounced`,
    title: `Announces everything about ${each.noun} but that they are ${outcome}.`,
    breaks,
    caughtBy: `webhooks.${each.name}.deliveries.${outcome}`,
    feeds: each.feeds,
    make: sendingThese(each, async (webhook, send) => (isMeant(eventOf(webhook)) ? acknowledged : send(webhook))),
  }));

const [order, checkoutOrder, refund] = kinds;
const isExpired = ({ status, expiresAt, occurredAt }: JsonObject) =>
  status === 'CLOSED' && String(occurredAt) >= String(expiresAt);
const is = (status: string) => (event: JsonObject) => event.status === status;

const isOverpaid = (event: JsonObject) => valueAt(event, ['cryptoPaidAmount', 'value']) === overpaid.amount;

const isAfterExpiry = ({ expiresAt, occurredAt }: JsonObject) => String(occurredAt) > String(expiresAt);

/** Payments of one kind of which a server does not tell. */
const paidInOneWay: readonly ['order' | 'checkout-order', string, string, (event: JsonObject) => boolean][] = [
  [
    'order',
    'deliveries-order-in-usd-unannounced',
    'the payment of hosted orders in USD',
    (event) => valueAt(event, ['orderAmount', 'currency']) === 'USD',
  ],
  ['order', 'deliveries-order-overpaid-unannounced', 'that more was paid for hosted orders', isOverpaid],
  [
    'checkout-order',
    'deliveries-checkout-order-overpaid-unannounced',
    'that more was paid for checkout orders',
    isOverpaid,
  ],
  [
    'order',
    'deliveries-order-confirmed-after-expiry-unannounced',
    'that the payment of hosted orders was confirmed after their expiry',
    isAfterExpiry,
  ],
  [
    'checkout-order',
    'deliveries-checkout-order-confirmed-after-expiry-unannounced',
    'that the payment of checkout orders was confirmed after their expiry',
    isAfterExpiry,
  ],
];

/** A server that forgets such webhooks of orders that are paid from an exchange. */
function silentAboutExchanges(isMeant: (event: JsonObject) => boolean): Make {
  const paid = new Set<unknown>();
  return {
    control: (request, server) => {
      const orderId = recordOfEvent('orders', request);
      if (String(bodyOf(request)?.paymentMethod).startsWith('EXCHANGE_')) paid.add(orderId);
      return server.forward(request);
    },
    ...sending(async (webhook, send) => {
      const event = eventOf(webhook);
      return paid.has(event.acquiringOrderId) && isMeant(event) ? acknowledged : send(webhook);
    }),
  };
}

/**
 * Wrong servers whose webhooks go to the wrong address, in the wrong form, too early or never. The history of a run
 * shows the fault.
 */
export const deliveryFaults: readonly Fault[] = [
  ...ofEveryKind,
  ...[order, checkoutOrder].flatMap((kind): Fault[] =>
    (kind ? [kind] : []).map((each) => ({
      id: `deliveries-${each.name}-refused-event-announced`,
      title: `Refuses an event that comes too late for ${each.noun}, and announces it as their failure.`,
      breaks: 'webhooks.order.status',
      caughtBy: `webhooks.${each.name}.deliveries.status`,
      feeds: [`webhooks.situations.${each.name}s`],
      make: announcingRefusedEvents(each),
    })),
  ),
  ...kinds.map(
    (kind): Fault => ({
      id: `deliveries-${kind.name}-unknown-status`,
      title: `Says of ${kind.noun} that have come to nothing a status that the contract does not have.`,
      breaks: kind.name === 'refund' ? 'webhooks.refund.status' : 'webhooks.order.status',
      caughtBy: `webhooks.${kind.name}.deliveries.status`,
      feeds: kind.feeds,
      make: sendingThese(
        kind,
        worded((event) =>
          event.status === 'CLOSED' || event.status === 'FAILED' ? { ...event, status: 'CANCELLED' } : event,
        ),
      ),
    }),
  ),
  ...[order, checkoutOrder].flatMap((kind): Fault[] =>
    (kind ? [kind] : []).map((each) => ({
      id: `deliveries-${each.name}-closed-while-paid`,
      title: `Says of ${each.noun} whose payment is under way that they are closed.`,
      breaks: 'webhooks.order.after-change',
      caughtBy: `webhooks.${each.name}.deliveries.after-change`,
      feeds: each.feeds,
      make: sendingThese(
        each,
        worded((event) => (event.status === 'PROCESSING' ? { ...event, status: 'CLOSED' } : event)),
      ),
    })),
  ),
  ...[order, checkoutOrder].flatMap((kind) => [
    ...silent(kind, 'paid', 'webhooks.order.paid', is('SUCCEEDED')),
    ...silent(kind, 'failed', 'webhooks.order.failed', is('FAILED')),
    ...silent(kind, 'expired', 'webhooks.order.expired', isExpired),
  ]),
  ...paidInOneWay.map(([kind, id, words, isMeant]) => ({
    id,
    title: `Announces everything but ${words}.`,
    breaks: 'webhooks.order.paid' as const,
    caughtBy: `webhooks.${kind}.deliveries.paid`,
    feeds: [`webhooks.situations.${kind}s`],
    make: sending(async (webhook, send) => {
      const event = eventOf(webhook);
      const isKind = isOfCheckout(webhook) === (kind === 'checkout-order');
      return isKind && is('SUCCEEDED')(event) && isMeant(event) ? acknowledged : send(webhook);
    }),
  })),
  ...[order, checkoutOrder].flatMap((kind) =>
    (kind ? [kind] : []).map((each) => ({
      id: `deliveries-${each.name}-failed-after-expiry-unannounced`,
      title: `Announces everything but that ${each.noun} have failed after their expiry.`,
      breaks: 'webhooks.order.failed' as const,
      caughtBy: `webhooks.${each.name}.deliveries.failed`,
      feeds: [`webhooks.situations.${each.name}s`],
      make: sendingThese(each, async (webhook, send) => {
        const event = eventOf(webhook);
        return is('FAILED')(event) && isAfterExpiry(event) ? acknowledged : send(webhook);
      }),
    })),
  ),
  {
    id: 'deliveries-order-by-exchange-unannounced',
    title: 'Announces everything but what becomes of hosted orders that are paid from an exchange.',
    breaks: 'webhooks.order.paid',
    caughtBy: 'webhooks.order.deliveries.paid',
    feeds: ['webhooks.situations.orders'],
    make: silentAboutExchanges(() => true),
  },
  {
    id: 'deliveries-order-overpaid-unannounced-over-kept-connections',
    title:
      'Announces everything but that more was paid for hosted orders, over connections that it keeps or breaks off.',
    breaks: 'webhooks.order.paid',
    caughtBy: 'webhooks.order.deliveries.paid',
    feeds: ['webhooks.situations.orders'],
    make: {
      webhooks: () => {
        const announce = overKeptConnections();
        return async (webhook, send) => {
          const isSilent = !isOfRefund(webhook) && isOverpaid(eventOf(webhook));
          return isSilent ? acknowledged : announce(webhook, send);
        };
      },
    },
  },
  {
    id: 'processing-by-exchange-unannounced',
    title: 'Announces everything but that a payment from an exchange was seen.',
    breaks: 'webhooks.order.processing',
    caughtBy: 'webhooks.order.processing',
    make: silentAboutExchanges(is('PROCESSING')),
  },
  {
    id: 'processing-of-price-in-usd-unannounced',
    title: 'Announces everything but that a payment of a price in USD was seen.',
    breaks: 'webhooks.order.processing',
    caughtBy: 'webhooks.order.processing',
    make: sending(async (webhook, send) => {
      const event = eventOf(webhook);
      const isInUsd = valueAt(event, ['orderAmount', 'currency']) === 'USD';
      return isInUsd && is('PROCESSING')(event) ? acknowledged : send(webhook);
    }),
  },
  ...silent(order, 'cancelled', 'webhooks.order.cancelled', (event) => is('CLOSED')(event) && !isExpired(event)),
  ...silent(refund, 'succeeded', 'webhooks.refund.notify-url', is('SUCCEEDED')),
  ...silent(refund, 'failed', 'webhooks.refund.notify-url', is('FAILED')),
  {
    id: 'deliveries-refund-by-exchange-unannounced',
    title: 'Announces everything but what becomes of refunds of payments from an exchange.',
    breaks: 'webhooks.refund.notify-url',
    caughtBy: 'webhooks.refund.deliveries.succeeded',
    feeds: ['webhooks.situations.refunds'],
    make: sending(async (webhook, send) => {
      const { paymentMethod } = eventOf(webhook);
      const isSilent = isOfRefund(webhook) && String(paymentMethod).startsWith('EXCHANGE');
      return isSilent ? acknowledged : send(webhook);
    }),
  },
  {
    id: 'deliveries-refund-unusual-failure-unannounced',
    title: 'Announces no refund that failed for another reason than want of funds at the exchange.',
    breaks: 'webhooks.refund.notify-url',
    caughtBy: 'webhooks.refund.deliveries.failed',
    feeds: ['webhooks.situations.refunds'],
    // Those at a merchant's default address would break another sentence.
    make: {
      parts: storing((records) => ({
        insertDelivery: async (delivery) => {
          const { errorCode } = Object(JSON.parse(delivery.payload));
          const isUnusual = errorCode !== undefined && errorCode !== 'EXCHANGE_BALANCE_INSUFFICIENT';
          const merchant = await records.findMerchant(delivery.merchantId);
          const isSilent = isUnusual && merchant?.settings.defaultNotifyUrl !== delivery.url;
          if (!isSilent) await records.insertDelivery(delivery);
        },
      })),
    },
  },
  {
    id: 'deliveries-refund-default-too',
    title: "Announces a refund with an address of its own at the merchant's default address too.",
    breaks: 'webhooks.refund.default-address',
    caughtBy: 'webhooks.refund.deliveries.address',
    feeds: ['webhooks.refund.notify-url-instead'],
    make: sendingRefundsTo((delivery, defaultUrl) => [
      delivery,
      { ...delivery, deliveryId: `${delivery.deliveryId}-default`, url: defaultUrl },
    ]),
  },
];
