import type { Order } from '../../../../server/domain/order.ts';
import type { WebhookRequest } from '../../../../server/services/delivery/deliver.ts';
import type { Records } from '../../../../server/services/ports.ts';
import type { JsonObject } from '../../../contract/json.ts';
import { bodyOf, onlyFor, recordOfEvent, storing } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import type { ProxyRequest } from '../../stand/proxy.ts';
import { isRefundCreate, ownRefundIdOf } from '../../stand/refund-changes.ts';
import { acknowledged, eventOf, isOfCheckout, isOfRefund, sending } from '../../stand/webhook-changes.ts';
import { bare } from './kinds.ts';

/** A product, with the words of its ids. */
interface Product {
  name: 'order' | 'checkout-order';
  stored: 'hosted' | 'checkout';
  noun: string;
  has(webhook: WebhookRequest): boolean;
}

const products: readonly Product[] = [
  {
    name: 'order',
    stored: 'hosted',
    noun: 'hosted orders',
    has: (webhook) => !isOfRefund(webhook) && !isOfCheckout(webhook),
  },
  { name: 'checkout-order', stored: 'checkout', noun: 'checkout orders', has: isOfCheckout },
];

/** The order in the path of an event of the control API. */
const orderOf = (request: ProxyRequest) => recordOfEvent('orders', request);

/** A server that announces no failure of orders for which `reason` was given. */
function silentAboutFailures({ has }: Product, reason: 'timeout' | 'error'): Make {
  const failed = new Set<unknown>();
  return {
    ...sending(async (webhook, send) => {
      const { status, acquiringOrderId } = eventOf(webhook);
      return has(webhook) && status === 'FAILED' && failed.has(acquiringOrderId) ? acknowledged : send(webhook);
    }),
    control: (request, server) => {
      const order = orderOf(request);
      if (order !== undefined && bodyOf(request)?.reason === reason) failed.add(order);
      return server.forward(request);
    },
  };
}

/** A server that signs no event of an order which has failed for `reason`, or expired: closed without an event of the control API. */
function unsignedAfter({ has }: Product, reason: 'timeout' | 'error' | 'expiry'): Make {
  const told = new Map<unknown, unknown>();
  return {
    ...sending(async (webhook, send) => {
      const { status, acquiringOrderId } = eventOf(webhook);
      const why = told.get(acquiringOrderId);
      const applies =
        reason === 'expiry' ? status === 'CLOSED' && why !== 'cancelled' : status === 'FAILED' && why === reason;
      return send(has(webhook) && applies ? bare(webhook) : webhook);
    }),
    control: (request, server) => {
      const order = orderOf(request);
      const { type, reason: given } = bodyOf(request) ?? {};
      if (order !== undefined) told.set(order, given ?? type);
      return server.forward(request);
    },
  };
}

/** A server whose orders of a product expire only when they are asked for. */
const expiringOnRead = ({ stored }: Product): Make => ({
  parts: storing((records) => ({
    lockDueOrders: async (...due) =>
      (await records.lockDueOrders(...due)).filter(({ product, status }) => product !== stored || status !== 'INIT'),
  })),
});

/** A server whose timer looks at one order of each merchant and product, the first that is due. */
function expiringFirstAlone({ stored }: Product): Make {
  const firsts = new Map<string, string>();
  const isFirst = ({ merchantId, orderId }: Order) => {
    const first = firsts.get(merchantId) ?? orderId;
    firsts.set(merchantId, first);
    return first === orderId;
  };
  return {
    parts: storing((records) => ({
      lockDueOrders: async (...due) =>
        (await records.lockDueOrders(...due)).filter(
          (order) => order.product !== stored || order.status !== 'INIT' || isFirst(order),
        ),
    })),
  };
}

/** A server that forgets to announce the orders of a product that its timer has closed; those closed by a query are announced. */
function silentTimer({ stored }: Product): Make {
  const byTimer = new Set<string>();
  return {
    parts: storing((records) => ({
      lockDueOrders: async (...due) => {
        const orders = await records.lockDueOrders(...due);
        for (const { orderId, product, status } of orders) {
          if (product === stored && status === 'INIT') byTimer.add(orderId);
        }
        return orders;
      },
      insertDelivery: async (delivery) => {
        if ('orderId' in delivery.subject && byTimer.has(delivery.subject.orderId)) return;
        await records.insertDelivery(delivery);
      },
    })),
  };
}

/** A server that announces the orders of a product that its timer closes when a clock is moved, and forgets those closed by a query. */
function silentQuery({ stored }: Product): Make {
  const byTimer = new Set<string>();
  return {
    parts: storing((records) => ({
      lockDueOrders: async (now, limit, merchantId) => {
        const orders = await records.lockDueOrders(now, limit, merchantId);
        const due = orders.filter(({ product, status }) => product !== stored || status !== 'INIT' || merchantId);
        for (const { orderId } of due) byTimer.add(orderId);
        return due;
      },
      insertDelivery: async (delivery) => {
        const { subject, payload } = delivery;
        const event = bodyOf({ body: Buffer.from(payload) }) ?? {};
        const isOfProduct = (event.depositAddress !== undefined) === (stored === 'checkout');
        const isClosedByQuery = 'orderId' in subject && isExpired(event) && !byTimer.has(subject.orderId);
        if (!isOfProduct || !isClosedByQuery) await records.insertDelivery(delivery);
      },
    })),
  };
}

type Delivery = Parameters<Records['insertDelivery']>[0];

/** A server that sends each webhook to the address that `addressOf` chooses by what was stored so far. */
function choosingAddress(
  remember: (known: Map<string, string>, stored: { merchantId: string; url: string | undefined }) => void,
  addressOf: (known: ReadonlyMap<string, string>, delivery: Delivery) => string | undefined,
  fields: { orders?: true; refunds?: true },
): Make {
  const known = new Map<string, string>();
  return {
    parts: storing((records) => ({
      insertOrder: (order) => {
        const { merchantId, request } = order;
        if (fields.orders) remember(known, { merchantId, url: request.callbackUrl });
        return records.insertOrder(order);
      },
      insertRefund: (refund) => {
        const { merchantId, request } = refund;
        if (fields.refunds) remember(known, { merchantId, url: request.notifyUrl });
        return records.insertRefund(refund);
      },
      insertDelivery: (delivery) => {
        const url = addressOf(known, delivery);
        return records.insertDelivery(url === undefined ? delivery : { ...delivery, url });
      },
    })),
  };
}

/** True for an answer that refuses a create under a known id. */
const isConflict = ({ code }: JsonObject) => code === 'IDEMPOTENCY_CONFLICT';

/** True for an answer that shows a refund in a state. */
const showsIn =
  (status: string) =>
  ({ data }: JsonObject) =>
    Object(data).status === status;

/** A server that takes over the notifyUrl of a create under a known id where this is true of its answer. */
function keepingAddressOfRepeats(applies: (envelope: JsonObject) => boolean): Make {
  const urls = new Map<string, unknown>();
  const known = new Set<string>();
  return {
    merchantApi: onlyFor(isRefundCreate, async (request, server) => {
      const answer = await server.forward(request);
      const id = ownRefundIdOf(request) ?? '';
      if (known.has(id) && applies(bodyOf(answer) ?? {})) urls.set(id, bodyOf(request)?.notifyUrl);
      known.add(id);
      return answer;
    }),
    parts: storing((records) => ({
      insertDelivery: async (delivery) => {
        const { subject, merchantId } = delivery;
        const refund =
          'refundOrderId' in subject ? await records.findRefundById(merchantId, subject.refundOrderId) : undefined;
        const url = refund && urls.get(refund.merchantRefundOrderId);
        return records.insertDelivery(typeof url === 'string' ? { ...delivery, url } : delivery);
      },
    })),
  };
}

/** A server that sends the webhooks for which `applies` is true to the address configured for the merchant, where there is one. */
const toDefault = (applies: (event: JsonObject) => boolean): Make => ({
  parts: storing((records) => ({
    insertDelivery: async (delivery) => {
      const merchant = await records.findMerchant(delivery.merchantId);
      const event = bodyOf({ body: Buffer.from(delivery.payload) }) ?? {};
      const url = applies(event) ? merchant?.settings.defaultNotifyUrl : undefined;
      return records.insertDelivery(url === undefined ? delivery : { ...delivery, url });
    },
  })),
});

const isExpired = ({ status, expiresAt, occurredAt }: JsonObject) =>
  status === 'CLOSED' && String(occurredAt) >= String(expiresAt);

/** Causes of a webhook, with the situations in which it shows. */
const defaultCauses: readonly { name: string; words: string; feed: string; applies: (event: JsonObject) => boolean }[] =
  products.flatMap(({ name, noun }) => {
    const isOne = (event: JsonObject) =>
      event.refundOrderId === undefined && (event.depositAddress === undefined) === (name === 'order');
    return [
      ...['SUCCEEDED', 'FAILED'].map((status) => ({
        name: `${name}-${status.toLowerCase()}`,
        words: `${noun} that are ${status}`,
        feed: `webhooks.situations.${name}s`,
        applies: (event: JsonObject) => isOne(event) && event.status === status,
      })),
      {
        name: `${name}-expired`,
        words: `${noun} that expire`,
        feed: `webhooks.situations.${name}s.expired`,
        applies: (event: JsonObject) => isOne(event) && isExpired(event),
      },
    ];
  });

const newest: Parameters<typeof choosingAddress>[0] = (known, { merchantId, url }) => {
  if (url !== undefined) known.set(merchantId, url);
};
const eldest: typeof newest = (known, { merchantId, url }) => {
  if (url !== undefined && !known.has(merchantId)) known.set(merchantId, url);
};
const ofOrders = (known: ReadonlyMap<string, string>, { subject, merchantId }: Delivery) =>
  'orderId' in subject ? known.get(merchantId) : undefined;
const ofRefunds = (known: ReadonlyMap<string, string>, { subject, merchantId }: Delivery) =>
  'refundOrderId' in subject ? known.get(merchantId) : undefined;

const misdirected = (id: string, title: string, breaks: Fault['breaks'], caughtBy: string, make: Make): Fault => ({
  id,
  title,
  breaks,
  caughtBy,
  make,
});

const address = 'webhooks.refund.notify-url';

/** Wrong servers that miss one cause of a change, or that mix up the addresses of one merchant. */
export const webhookCauseFaults: readonly Fault[] = [
  {
    id: 'refund-event-to-default-address-sent-once',
    title: 'Sends an event of a refund once to the address configured for the merchant.',
    breaks: 'webhooks.refund.retry',
    caughtBy: 'webhooks.refund.retry.other-causes',
    make: {
      parts: storing((records) => ({
        updateDelivery: async (delivery) => {
          const merchant = await records.findMerchant(delivery.merchantId);
          const isOver = delivery.status === 'pending' && merchant?.settings.defaultNotifyUrl === delivery.url;
          return records.updateDelivery(isOver ? { ...delivery, status: 'exhausted', dueAt: null } : delivery);
        },
      })),
    },
  },
  ...defaultCauses.map(({ name, words, feed, applies }): Fault => {
    const kind = name.startsWith('checkout-order') ? 'checkout-order' : 'order';
    const caughtBy = `webhooks.${kind}.deliveries.address`;
    const title = `Announces ${words} at the address configured for the merchant, where there is one.`;
    const found = misdirected(`${name}-to-default-address`, title, 'webhooks.order.post', caughtBy, toDefault(applies));
    return { ...found, feeds: [feed] };
  }),
  {
    ...misdirected(
      'failed-refund-to-default-address',
      'Announces refunds that failed at the address configured for the merchant.',
      'webhooks.refund.default-address',
      'webhooks.refund.deliveries.address',
      toDefault(({ refundOrderId, status }) => refundOrderId !== undefined && status === 'FAILED'),
    ),
    feeds: ['webhooks.situations.refunds'],
  },
  ...products.flatMap((product): Fault[] => {
    const { name, noun } = product;
    const toNewest = choosingAddress(newest, ofOrders, { orders: true });
    const unannounced = (id: string, title: string, rule: string, make: Make): Fault =>
      misdirected(
        `${name}-${id}`,
        title,
        rule === 'expired-unseen' ? 'webhooks.order.expired' : 'webhooks.order.failed',
        `webhooks.${name}.${rule}`,
        make,
      );
    return [
      unannounced(
        'timeout-unannounced',
        `Announces no timeout of ${noun}.`,
        'timed-out',
        silentAboutFailures(product, 'timeout'),
      ),
      unannounced(
        'error-unannounced',
        `Announces no error of ${noun}.`,
        'error',
        silentAboutFailures(product, 'error'),
      ),
      unannounced(
        'expires-on-read',
        `Lets ${noun} expire when somebody asks for them.`,
        'expired-unseen',
        expiringOnRead(product),
      ),
      unannounced(
        'timer-takes-first',
        `Closes the first order of a merchant by a timer, and other ${noun} when somebody asks for them.`,
        'expired-unseen',
        expiringFirstAlone(product),
      ),
      unannounced(
        'timer-silent',
        `Announces ${noun} whose expiry a query has noticed, and not those that a timer has closed.`,
        'expired-unseen',
        silentTimer(product),
      ),
      {
        ...unannounced(
          'query-silent',
          `Announces ${noun} that a timer has closed, and not those whose expiry a query has noticed.`,
          'expired-unseen',
          silentQuery(product),
        ),
        caughtBy: `webhooks.${name}.deliveries.expired`,
        // The rule judges addresses only beside which others are seen to be reached.
        feeds: [`webhooks.${name}.paid`, `${name === 'order' ? 'orders' : 'checkout'}.states.expires-unaided`],
      },
      ...(['timeout', 'error', 'expiry'] as const).map((reason) =>
        misdirected(
          `${name}-unsigned-after-${reason}`,
          `Signs every event of ${noun} but that of ${reason === 'error' ? 'an' : 'a'} ${reason}.`,
          'webhooks.signed',
          name === 'order' ? 'webhooks.signed' : `webhooks.${name}.signed`,
          unsignedAfter(product, reason),
        ),
      ),
      ...['paid', 'failed', 'expired', 'post'].map((rule) =>
        misdirected(
          `${name}-${rule}-to-newest-address`,
          `Keeps one callbackUrl for each merchant, the newest; seen when one of its ${noun} is ${rule}.`,
          'webhooks.order.post',
          `webhooks.${name}.${rule}`,
          toNewest,
        ),
      ),
      misdirected(
        `${name}-to-eldest-address`,
        `Keeps the first callbackUrl that a merchant named; seen on ${noun}.`,
        'webhooks.order.post',
        `webhooks.${name}.post`,
        choosingAddress(eldest, ofOrders, { orders: true }),
      ),
    ];
  }),
  ...(['notify-url', 'failed'] as const).map((rule) =>
    misdirected(
      `refund-${rule}-to-order`,
      "Announces a refund at its order's callbackUrl, where it has one.",
      address,
      `webhooks.refund.${rule}`,
      choosingAddress(newest, ofRefunds, { orders: true }),
    ),
  ),
  misdirected(
    'refund-to-newest-address',
    'Keeps one notifyUrl for each merchant, the newest.',
    address,
    'webhooks.refund.notify-url',
    choosingAddress(newest, ofRefunds, { refunds: true }),
  ),
  misdirected(
    'refund-to-address-of-refused',
    'Takes over the notifyUrl of a create under a known id, and refuses that create.',
    address,
    'webhooks.refund.refused-repeat',
    keepingAddressOfRepeats(isConflict),
  ),
  ...(
    [
      ['PENDING', 'waits'],
      ['PROCESSING', 'is worked on'],
    ] as const
  ).map(([status, words]) =>
    misdirected(
      `refund-to-address-of-repeat-that-${status.toLowerCase()}`,
      `Takes over the notifyUrl of a repeated create while the refund ${words}, and answers with the refund as it was.`,
      address,
      'webhooks.refund.refused-repeat',
      keepingAddressOfRepeats(showsIn(status)),
    ),
  ),
  misdirected(
    'refund-without-address-to-order',
    "Announces a refund that names no address at its order's callbackUrl.",
    'webhooks.refund.default-address',
    'webhooks.refund.failed-default-address',
    choosingAddress(newest, ofRefunds, { orders: true }),
  ),
  misdirected(
    'refund-success-by-default',
    'Announces refunds that name no address when they succeed, and not when they fail.',
    'webhooks.refund.default-address',
    'webhooks.refund.failed-default-address',
    sending(async (webhook, send) => {
      const { status, refundOrderId } = eventOf(webhook);
      return refundOrderId !== undefined && status === 'FAILED' ? acknowledged : send(webhook);
    }),
  ),
];
