import { createHmac } from 'node:crypto';
import { limit } from '../../../generated/catalogue.ts';
import type { Order } from '../../../server/domain/order.ts';
import { idOfRule } from '../../arrange/authentication/rule.ts';
import { isObject, setAt, valueAt } from '../../contract/json.ts';
import { contractOperations } from '../../contract/operations.ts';
import { explainSignature } from '../../wire/signing/signature.ts';
import { ageOf, signatureIn } from '../stand/auth-changes.ts';
import {
  alsoTaking,
  answeringJson,
  bodyOf,
  hasText,
  isHostedQuery,
  isOf,
  isRightlySigned,
  onlyFor,
  queriedId,
  readingBodies,
  readingCreates,
  recordOfEvent,
  refusal,
  refusingBodies,
  refusingCreates,
  showing,
  storing,
} from '../stand/changes.ts';
import type { Fault, Make } from '../stand/fault.ts';
import { type Handler, type ProxyAnswer, type ProxyRequest, toSign } from '../stand/proxy.ts';
import { refundRefusal } from '../stand/refund-changes.ts';
import { acknowledged, eventOf, isOfCheckout, isOfRefund, sending } from '../stand/webhook-changes.ts';

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

/** A server that notes the id of a create before it looks whether the timestamp is too old. */
function notingIdsFirst(area: 'orders' | 'checkout' | 'refunds', refuse: (request: ProxyRequest) => ProxyAnswer): Make {
  const noted = new Set<unknown>();
  return {
    merchantApi: onlyFor(isOf(`${area}.create`), (request, server) => {
      const { merchantOrderId, merchantRefundOrderId } = bodyOf(request) ?? {};
      const id = merchantRefundOrderId ?? merchantOrderId;
      if (isRightlySigned(request, server) && ageOf(request) > limit('auth.timestamp.window', 'max')) noted.add(id);
      else if (noted.has(id)) return Promise.resolve(refuse(request));
      return server.forward(request);
    }),
  };
}

const notesFirst = (...[area, refuse]: Parameters<typeof notingIdsFirst>): Fault => ({
  id: `${area}-ids-noted-before-the-timestamp-is-read`,
  title: 'Takes the id of a create that was refused for its timestamp for used.',
  breaks: `${area}.create.accepted`,
  caughtBy: `${area}.situations.repeated`,
  make: notingIdsFirst(area, refuse),
});

/** A server that announces one refund of each order. */
function announcingFirstRefunds(): Make {
  const announced = new Map<unknown, unknown>();
  return sending(async (webhook, send) => {
    if (!isOfRefund(webhook)) return send(webhook);
    const { acquiringOrderId, refundOrderId } = eventOf(webhook);
    const first = announced.get(acquiringOrderId) ?? refundOrderId;
    announced.set(acquiringOrderId, first);
    return first === refundOrderId ? send(webhook) : acknowledged;
  });
}

/** A server that sends beside the news of a payment that was seen one that says it is confirmed. */
const announcedTooEarly = (name: string, has: Parameters<typeof oneForEachAddress>[0]): Fault => ({
  id: `${name}-announced-as-paid-when-payment-is-seen`,
  title: 'Announces an order as paid when its payment is seen, beside the right webhook.',
  breaks: 'webhooks.order.after-change',
  caughtBy: `webhooks.${name}.while-processing`,
  make: sending(async (webhook, send) => {
    const event = eventOf(webhook);
    if (has(webhook) && event.status === 'PROCESSING') {
      await send({ ...webhook, body: JSON.stringify({ ...event, status: 'SUCCEEDED' }) });
    }
    return send(webhook);
  }),
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

const toNamesakes = (name: string, product: Parameters<typeof announcingToNamesakes>[0]): Fault => ({
  id: `${name}-announced-to-namesakes`,
  title: "Announces an order to other merchants' orders with the same merchantOrderId too.",
  breaks: 'webhooks.order.post',
  caughtBy: `webhooks.${name}.deliveries.address`,
  feeds: [`webhooks.${name}.post`],
  make: announcingToNamesakes(product),
});

/** A server that reads the names of fields without regard to the case of their first letter. The last of two such fields counts. */
const heedingNoCase = (area: 'orders' | 'checkout' | 'refunds', id: string, breaks: Fault['breaks']): Fault => ({
  id: `${area}-names-in-any-case`,
  title: `Takes a field whose name begins with a capital letter for the one of ${area}.create with a small one.`,
  breaks,
  caughtBy: `${area}.create.echo.${id}`,
  feeds: [`${area}.create.unknown-field`],
  make: {
    merchantApi: readingBodies(`${area}.create`, (body) =>
      Object.fromEntries(
        Object.entries(body).map(([name, value]) => [name.charAt(0).toLowerCase() + name.slice(1), value]),
      ),
    ),
  },
});

/** A server that reads a create into the record that it makes, and so shows `field` as the create names it, which only answers have. */
const takenFromCreate = (
  area: 'orders' | 'checkout' | 'refunds',
  name: 'status' | 'platform-id',
  field: string,
  breaks: Fault['breaks'],
  left?: string,
): Fault => ({
  id: `${area}-${name}-taken-from-create${left === undefined ? '' : `-except-${left.toLowerCase()}`}`,
  title: `Shows the ${field} that a ${area}.create names, as the answer to it has one${left === undefined ? '' : `, except ${left}`}.`,
  breaks,
  caughtBy: `${area}.create.fields-of-answers`,
  make: {
    merchantApi: onlyFor(
      isOf(`${area}.create`),
      answeringJson((envelope, request) => {
        const named = bodyOf(request)?.[field];
        return named !== undefined && named !== left && isObject(envelope.data)
          ? { ...envelope, data: { ...envelope.data, [field]: named } }
          : envelope;
      }),
    ),
  },
});

/** A server that answers a query of one product for an id that the other has as if a create had named it. */
function refusingIdsOf(other: 'orders' | 'checkout', area: 'orders' | 'checkout', code: string): Handler {
  const ids = new Set<unknown>();
  return async (request, server) => {
    if (isOf(`${other}.create`)(request)) ids.add(bodyOf(request)?.merchantOrderId);
    const answer = await server.forward(request);
    const isTaken = isOf(`${area}.query`)(request) && ids.has(queriedId(request)) && bodyOf(answer)?.code === '40001';
    return isTaken ? refusal(request, code, 'the merchantOrderId is used') : answer;
  };
}

/** An order with the first `most` characters of its callbackUrl. */
function withAddressOf(order: Order, most: number): Order {
  const callbackUrl = order.request.callbackUrl?.slice(0, most);
  if (callbackUrl === undefined) return order;
  return order.product === 'hosted'
    ? { ...order, request: { ...order.request, callbackUrl } }
    : { ...order, request: { ...order.request, callbackUrl } };
}

/** A server that keeps one webhook for each order, status and address, of the order or of its refund. */
function oneForEachStatus(): Make {
  const sent = new Set<unknown>();
  return sending((webhook, send) => {
    const { status, acquiringOrderId } = eventOf(webhook);
    const key = `${acquiringOrderId} ${status} ${webhook.url}`;
    if (isOfRefund(webhook)) return sent.has(key) ? Promise.resolve(acknowledged) : send(webhook);
    sent.add(key);
    return send(webhook);
  });
}

/** A server that holds back for a moment what it has seen of a payment, and drops it where the order has moved on by then. */
function droppingPassedStates(): Make {
  const paid = new Set<unknown>();
  const moment = 300;
  return sending(async (webhook, send) => {
    const { status, acquiringOrderId } = eventOf(webhook);
    if (status === 'SUCCEEDED') paid.add(acquiringOrderId);
    if (status !== 'PROCESSING') return send(webhook);
    await new Promise((resolve) => setTimeout(resolve, moment));
    return paid.has(acquiringOrderId) ? acknowledged : send(webhook);
  });
}

/** A server that takes the expiry of a hosted create over into the order that has its id, where it refuses it for another price. */
function keepingExpiryOfRefused(): Handler {
  const expiries = new Map<unknown, unknown>();
  return async (request, server) => {
    const answer = await server.forward(request);
    const { merchantOrderId, expiresAt } = bodyOf(request) ?? {};
    if (isOf('orders.create')(request) && bodyOf(answer)?.code === '20001') expiries.set(merchantOrderId, expiresAt);
    const show = showing((view) => {
      const kept = expiries.get(view.merchantOrderId);
      return kept === undefined ? view : { ...view, expiresAt: kept };
    });
    return isHostedQuery(request) ? show(request, { ...server, forward: () => Promise.resolve(answer) }) : answer;
  };
}

/** A server whose hosted orders fail by an event that they refuse once a refund of them has succeeded. */
function failingOnceRefunded(): Make {
  const [orders, refunded, failed] = [new Map<unknown, unknown>(), new Set<unknown>(), new Set<unknown>()];
  return {
    control: async (request, server) => {
      const answer = await server.forward(request);
      const { type } = bodyOf(request) ?? {};
      const [refund, order] = [recordOfEvent('refunds', request), recordOfEvent('orders', request)];
      if (refund && type === 'completed' && answer.status === 200) refunded.add(orders.get(refund));
      if (order && type === 'payment_failed' && refunded.has(order)) failed.add(order);
      return answer;
    },
    merchantApi: async (request, server) => {
      const answer = await server.forward(request);
      const { data } = bodyOf(answer) ?? {};
      if (isOf('refunds.create')(request) && isObject(data)) orders.set(data.refundOrderId, data.acquiringOrderId);
      if (!isHostedQuery(request) || !isObject(data) || !failed.has(data.orderId)) return answer;
      return showing((view) => ({ ...view, status: 'FAILED' }))(request, {
        ...server,
        forward: () => Promise.resolve(answer),
      });
    },
  };
}

/** A server that finds the price of a refunded order by its merchantOrderId, whichever product's order was made first under that. */
function refundingTheNamesake(): Make {
  const prices = new Map<unknown, unknown>();
  const ids = new Map<unknown, unknown>();
  return {
    merchantApi: async (request, server) => {
      const answer = await server.forward(request);
      const { data } = bodyOf(answer) ?? {};
      if (isObject(data) && (isOf('orders.create')(request) || isOf('checkout.create')(request))) {
        const { orderId, merchantOrderId } = data;
        ids.set(orderId, merchantOrderId);
        if (!prices.has(merchantOrderId)) prices.set(merchantOrderId, valueAt(data, ['orderAmount', 'value']));
      }
      if (!isOf('refunds.create')(request) || !isObject(data)) return answer;
      const refundAmount = prices.get(ids.get(data.acquiringOrderId)) ?? data.refundAmount;
      return showing((view) => ({ ...view, refundAmount }))(request, {
        ...server,
        forward: () => Promise.resolve(answer),
      });
    },
  };
}

/** Wrong servers with mistakes that show in ordinary use rather than in the one place that a rule is about. */
export const overlookedFaults: readonly Fault[] = [
  heedingNoCase('orders', 'merchant-order-id', 'orders.view.echo'),
  heedingNoCase('checkout', 'merchant-order-id', 'checkout.view.echo'),
  heedingNoCase('refunds', 'acquiring-order-id', 'refunds.record.references'),
  takenFromCreate('orders', 'status', 'status', 'orders.states.initial'),
  takenFromCreate('orders', 'status', 'status', 'orders.states.initial', 'SUCCEEDED'),
  takenFromCreate('checkout', 'status', 'status', 'checkout.states.initial', 'SUCCEEDED'),
  takenFromCreate('refunds', 'status', 'status', 'refunds.create.accepted', 'SUCCEEDED'),
  takenFromCreate('orders', 'platform-id', 'orderId', 'orders.view.order-id'),
  takenFromCreate('checkout', 'status', 'status', 'checkout.states.initial'),
  takenFromCreate('checkout', 'platform-id', 'orderId', 'checkout.view.order-id'),
  takenFromCreate('refunds', 'status', 'status', 'refunds.create.accepted'),
  takenFromCreate('refunds', 'platform-id', 'refundOrderId', 'refunds.record.platform-id'),
  shared('order', (webhook) => !isOfRefund(webhook) && !isOfCheckout(webhook), 'webhooks.order.post'),
  shared('checkout-order', isOfCheckout, 'webhooks.order.post'),
  shared('refund', isOfRefund, 'webhooks.refund.notify-url'),
  sharedByMerchants('order', (webhook) => !isOfRefund(webhook) && !isOfCheckout(webhook)),
  sharedByMerchants('checkout-order', isOfCheckout),
  {
    id: 'refused-repeat-changes-the-expiry',
    title:
      'Takes the expiry of a create over into the order that has its id, although it refuses it for another price.',
    breaks: 'orders.view.constant',
    caughtBy: 'orders.query.constant.expires-at',
    feeds: ['orders.situations.repeated'],
    make: { merchantApi: keepingExpiryOfRefused() },
  },
  {
    id: 'refunded-orders-fail',
    title: 'Lets a hosted order fail whose refund has succeeded.',
    breaks: 'orders.states.final',
    caughtBy: 'orders.state.final-by-every-way',
    make: failingOnceRefunded(),
  },
  {
    id: 'refund-of-a-namesake-of-the-other-product',
    title:
      'Gives back the price of the first order, of either product, that has the merchantOrderId of the refunded one.',
    breaks: 'refunds.record.amount',
    caughtBy: 'refunds.create.money.refund-amount',
    feeds: ['refunds.situations.of-checkout-orders'],
    make: refundingTheNamesake(),
  },
  {
    id: 'webhooks-cut-to-two-thousand-characters',
    title: 'Keeps two thousand characters of the body of a webhook.',
    breaks: 'webhooks.content-type',
    caughtBy: 'webhooks.checkout-order.deliveries.content-type',
    feeds: ['webhooks.checkout-order.every-shape.paid'],
    make: sending((webhook, send) => send({ ...webhook, body: webhook.body.slice(0, 2000) })),
  },
  {
    id: 'one-webhook-for-each-status-of-an-order',
    title: 'Takes the webhook of a refund for sent that names the status and the address of one of its order.',
    breaks: 'webhooks.refund.notify-url',
    caughtBy: 'webhooks.refund.shared-with-its-order',
    make: oneForEachStatus(),
  },
  {
    id: 'passed-states-not-announced',
    title: 'Announces no state that an order has left a moment later.',
    breaks: 'webhooks.order.processing',
    caughtBy: 'webhooks.order.processing',
    make: droppingPassedStates(),
  },
  announcedTooEarly('order', (webhook) => !isOfRefund(webhook) && !isOfCheckout(webhook)),
  announcedTooEarly('checkout-order', isOfCheckout),
  toNamesakes('order', 'hosted'),
  toNamesakes('checkout-order', 'checkout'),
  notesFirst('orders', (request) => refusal(request, '20001', 'the merchantOrderId is used')),
  notesFirst('checkout', (request) => refusal(request, '20001', 'the merchantOrderId is used')),
  notesFirst('refunds', () => refundRefusal(400, 'IDEMPOTENCY_CONFLICT', 'the merchantRefundOrderId is used')),
  ...(
    [
      ['orders', 'checkout'],
      ['checkout', 'orders'],
    ] as const
  ).map(
    ([area, other]): Fault => ({
      id: `${area}-query-for-id-of-other-product-finds-it-taken`,
      title: `Answers ${area}.query for the id of an order of the other product with 20001.`,
      breaks: `${area}.errors.unknown-order`,
      caughtBy: `${area}.query.refusals.unknown`,
      feeds: ['checkout.query.other-product'],
      make: { merchantApi: refusingIdsOf(other, area, '20001') },
    }),
  ),
  {
    id: 'orders-query-for-id-of-checkout-order-malformed',
    title: 'Answers a hosted query for the id of a checkout order with 10001.',
    breaks: 'orders.errors.unknown-order',
    caughtBy: 'orders.query.refusals.unknown',
    feeds: ['checkout.query.other-product'],
    make: { merchantApi: refusingIdsOf('checkout', 'orders', '10001') },
  },
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
  {
    id: 'one-refund-of-each-order-announced',
    title: 'Takes the result of a second refund of an order for announced with that of the first.',
    breaks: 'webhooks.refund.notify-url',
    caughtBy: 'webhooks.refund.second-of-order',
    make: announcingFirstRefunds(),
  },
  {
    id: 'customer-email-demanded',
    title: 'Refuses a customer without an email.',
    breaks: 'orders.create.optional-fields',
    caughtBy: 'orders.create.optional-parts',
    make: { merchantApi: refusingCreates(({ customer }) => isObject(customer) && customer.email === undefined) },
  },
  {
    id: 'callback-url-of-http-with-port-taken',
    title: 'Takes a callbackUrl of http in hosted orders where it has a port.',
    breaks: 'orders.create.callback-url.https',
    caughtBy: 'orders.create.callbackUrl.pattern',
    make: {
      merchantApi: readingCreates((body) =>
        hasText('callbackUrl', (url) => /^http:\/\/[^/@]+:\d+/.test(url))(body)
          ? { ...body, callbackUrl: String(body.callbackUrl).replace('http:', 'https:') }
          : body,
      ),
    },
  },
  ...(
    [
      ['without-slashes', 'has no slashes before its host', /^https:\/?[^/]/, 'https://'],
      ['without-host', 'has a port or a user, and no host', /^https:\/\/(:\d+|[^/@:]+@)(?=\/)/, 'https://shop.example'],
      ['of-nothing', 'is empty', /^$/, 'https://shop.example/'],
      ['of-http-on-443', 'is of http with the port of https', /^http:\/\/(?=[^/]+:443\/)/, 'https://'],
    ] as const
  ).map(
    ([name, words, form, instead]): Fault => ({
      id: `callback-url-${name}-taken`,
      title: `Takes a callbackUrl in hosted orders that ${words}.`,
      breaks: 'orders.create.callback-url.https',
      caughtBy: 'orders.create.callbackUrl.pattern',
      make: {
        merchantApi: readingCreates((body) =>
          hasText('callbackUrl', (url) => form.test(url))(body)
            ? { ...body, callbackUrl: String(body.callbackUrl).replace(form, instead) }
            : body,
        ),
      },
    }),
  ),
  {
    id: 'methods-unchecked-beside-wallets',
    title: 'Looks at the exchanges of a paymentMethodConfig only where exchanges are among its types.',
    breaks: 'orders.create.payment-methods.values',
    caughtBy: 'orders.create.payment-method-config.each-list',
    make: {
      merchantApi: readingCreates((body) => {
        const types = valueAt(body, ['paymentMethodConfig', 'allowedPaymentMethodTypes']);
        const isRead = Array.isArray(types) && types.includes('EXCHANGE_TRANSFER');
        return isRead ? body : setAt(body, ['paymentMethodConfig', 'allowedPaymentMethods'], []);
      }),
    },
  },
  ...(['items', 'subMerchants'] as const).map(
    (field): Fault => ({
      id: `empty-entries-of-${field.toLowerCase()}-taken`,
      title: `Leaves entries of ${field} out that have no field.`,
      breaks: `orders.create.${field === 'items' ? 'items' : 'sub-merchants'}.required-fields`,
      caughtBy: 'orders.create.empty-entries',
      make: {
        merchantApi: readingCreates((body) => ({
          ...body,
          [field]: Array.isArray(body[field])
            ? body[field].filter((entry) => isObject(entry) && Object.keys(entry).length > 0)
            : body[field],
        })),
      },
    }),
  ),
  {
    id: 'callback-url-that-is-the-return-url-refused',
    title: 'Wants other addresses for webhooks of hosted orders than those to which their customers return.',
    breaks: 'orders.create.optional-fields',
    caughtBy: 'orders.create.address-forms',
    make: {
      merchantApi: refusingBodies(
        'orders.create',
        ({ callbackUrl, returnUrl }) => callbackUrl !== undefined && callbackUrl === returnUrl,
      ),
    },
  },
  {
    id: 'checkout-callback-url-of-http-refused',
    title: 'Wants https for the callbackUrl of checkout orders too.',
    breaks: 'checkout.create.optional-fields',
    caughtBy: 'checkout.create.address-forms',
    make: {
      merchantApi: refusingBodies(
        'checkout.create',
        hasText('callbackUrl', (url) => /^http:/i.test(url)),
      ),
    },
  },
  {
    id: 'mcc-read-as-number',
    title: 'Reads a category code as a number, and refuses one that begins with 0.',
    breaks: 'orders.create.sub-merchants.mcc',
    caughtBy: 'orders.create.subMerchants.mcc.pattern',
    make: {
      merchantApi: refusingCreates(({ subMerchants }) =>
        [subMerchants].flat().some((part) => isObject(part) && /^0\d{3}$/.test(String(part.mcc))),
      ),
    },
  },
  {
    id: 'order-hours-to-twelve',
    title: 'Shows times of hosted orders with the hours of a clock face.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.query.echo.expires-at',
    feeds: ['orders.situations.created'],
    make: {
      merchantApi: onlyFor(
        isHostedQuery,
        answeringJson((envelope) => {
          if (!isObject(envelope.data)) return envelope;
          const expiresAt = String(envelope.data.expiresAt).replace(/T(\d\d)/, (_, hours) => {
            return `T${String(Number(hours) % 12 || 12).padStart(2, '0')}`;
          });
          return { ...envelope, data: { ...envelope.data, expiresAt } };
        }),
      ),
    },
  },
  {
    id: 'order-closed-by-its-refund',
    title: 'Shows an order as CLOSED once its payment was given back.',
    breaks: 'orders.states.final',
    caughtBy: 'orders.query.transitions.final',
    feeds: ['refunds.situations.time-passes'],
    make: closedByRefunds(),
  },
  ...contractOperations.map(
    (operation): Fault => ({
      id: `${operation.name.replaceAll('.', '-')}-timestamp-unsigned-taken`,
      title: `Takes a signature that leaves out the timestamp in ${operation.name}.`,
      breaks: 'auth.timestamp.signed',
      caughtBy: idOfRule({ name: 'another-timestamp' }, operation),
      make: {
        merchantApi: onlyFor(
          isOf(operation.name),
          alsoTaking((request, { apiSecret }) => {
            const [, ...others] = explainSignature(toSign(request), apiSecret).components;
            return signatureIn(request) === createHmac('sha256', apiSecret).update(others.join('\n')).digest('base64');
          }),
        ),
      },
    }),
  ),
];

function closedByRefunds(): Make {
  const orders = new Map<string, string>();
  const closed = new Set<unknown>();
  return {
    merchantApi: async (request, server) => {
      const answer = await server.forward(request);
      const { data } = bodyOf(answer) ?? {};
      if (!isObject(data)) return answer;
      if (isOf('refunds.create')(request)) orders.set(String(data.refundOrderId), String(data.acquiringOrderId));
      if (!isHostedQuery(request) || !closed.has(data.orderId)) return answer;
      return answeringJson((envelope) => ({ ...envelope, data: { ...data, status: 'CLOSED' } }))(request, server);
    },
    control: (request, server) => {
      const refund = recordOfEvent('refunds', request);
      if (refund && bodyOf(request)?.type === 'completed') closed.add(orders.get(refund));
      return server.forward(request);
    },
  };
}
