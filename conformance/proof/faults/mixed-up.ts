import type { RequirementId } from '../../../generated/catalogue.ts';
import type { WebhookRequest } from '../../../server/services/delivery/deliver.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { successCode } from '../../contract/success-code.ts';
import {
  bodyOf,
  firstOf,
  isCheckout,
  isHosted,
  isHostedCreate,
  isOf,
  merchantIdOf,
  onlyFor,
  recordOfEvent,
  refusingBodies,
  showing,
} from '../stand/changes.ts';
import type { Fault, Make } from '../stand/fault.ts';
import type { Handler } from '../stand/proxy.ts';
import { isRefundCreate, keepingRefunds, refundRefusal, sending as sendingBody } from '../stand/refund-changes.ts';
import { acknowledged, eventOf, isOfCheckout, isOfRefund, sendAs, sending } from '../stand/webhook-changes.ts';

const isCheckoutCreate = isOf('checkout.create');
const day = 86_400_000;

/** The moment that a text names to a reader who leaves its zone out of account, in milliseconds. */
const withoutZone = (expiresAt: unknown): number => Date.parse(String(expiresAt).replace(/[+-]\d\d:\d\d$/, 'Z'));

/** A server that compares times of expiry with a bound as texts, without their zones. */
const comparingTexts = (
  operation: 'orders.create' | 'checkout.create',
  id: string,
  words: string,
  breaks: RequirementId,
  refuses: (ahead: number) => boolean,
): Fault => ({
  id: `${operation.replace('.', '-')}-${id}`,
  title: `Leaves the zone out of account where it finds out whether an expiry is ${words} in ${operation}.`,
  breaks,
  caughtBy: `${operation}.expires-at.zones`,
  make: {
    merchantApi: refusingBodies(operation, ({ expiresAt }) => refuses(withoutZone(expiresAt) - Date.now())),
  },
});

/** A server that shows the expiry of a hosted order as it was written in the create. */
function showingTheZone(): Handler {
  const written = new Map<unknown, unknown>();
  return async (request, server) => {
    const { merchantOrderId, expiresAt } = (isHostedCreate(request) && bodyOf(request)) || {};
    if (/[+-]\d\d:\d\d$/.test(String(expiresAt))) written.set(merchantOrderId, expiresAt);
    return onlyFor(
      isHosted,
      showing((view) => ({ ...view, expiresAt: written.get(view.merchantOrderId) ?? view.expiresAt })),
    )(request, server);
  };
}

/** A server that takes what the last checkout order had for the metadata of one that has none. */
function showingOthersMetadata(): Handler {
  const shown = new Map<unknown, unknown>();
  let last: unknown;
  return async (request, server) => {
    const { merchantOrderId, metadata } = (isCheckoutCreate(request) && bodyOf(request)) || {};
    if (merchantOrderId !== undefined && metadata === undefined) shown.set(merchantOrderId, last);
    last = metadata ?? last;
    return onlyFor(
      isCheckout,
      showing((view) => {
        const other = shown.get(view.merchantOrderId);
        return typeof other === 'string' ? { ...view, metadata: other } : view;
      }),
    )(request, server);
  };
}

/** A server that refunds no order that was paid after its expiry. */
function refusingLatePayments(): Handler {
  const late = new Set<unknown>();
  const noticing = showing((view) => {
    if (typeof view.paidAt === 'string' && view.paidAt > String(view.expiresAt)) late.add(view.orderId);
    return view;
  });
  return firstOf(noticing, async (request, server) =>
    isRefundCreate(request) && late.has(bodyOf(request)?.acquiringOrderId)
      ? refundRefusal(400, 'ORDER_NOT_REFUNDABLE')
      : server.forward(request),
  );
}

/** A server that refunds the hosted order with the merchantOrderId of the checkout order that it was asked to refund. */
function refundingTheNamesake(): Handler {
  const hosted = new Map<string, string>();
  const checkout = new Map<string, string>();
  const noticing: Handler = async (request, server) => {
    const answer = await server.forward(request);
    const view = bodyOf(answer)?.data;
    if (isObject(view) && (isHostedCreate(request) || isCheckoutCreate(request))) {
      const name = `${merchantIdOf(request)} ${view.merchantOrderId}`;
      if (isHostedCreate(request)) hosted.set(name, String(view.orderId));
      else checkout.set(String(view.orderId), name);
    }
    return answer;
  };
  return async (request, server) => {
    const body = isRefundCreate(request) ? bodyOf(request) : undefined;
    const other = hosted.get(checkout.get(String(body?.acquiringOrderId)) ?? '');
    if (!body || other === undefined) return noticing(request, server);
    return server.forward(sendingBody(request, { ...body, acquiringOrderId: other }, server));
  };
}

/** A server that looks for an earlier refund of an order by its merchantOrderId alone. */
function refundingOneOfNamesakes(): Handler {
  const names = new Map<unknown, unknown>();
  const refunded = new Map<unknown, unknown>();
  return async (request, server) => {
    const orderId = isRefundCreate(request) ? bodyOf(request)?.acquiringOrderId : undefined;
    const name = names.get(orderId);
    const earlier = refunded.get(name);
    if (name !== undefined && earlier !== undefined && earlier !== orderId) {
      return refundRefusal(400, 'ORDER_ALREADY_REFUNDED');
    }
    const answer = await server.forward(request);
    const envelope = bodyOf(answer);
    const view = envelope?.data;
    if (isHostedCreate(request) && isObject(view)) names.set(view.orderId, view.merchantOrderId);
    if (name !== undefined && envelope?.code === successCode) refunded.set(name, orderId);
    return answer;
  };
}

/** A server that looks at the newest order of either product under a merchantOrderId to see whether one of them was paid. */
function refundingByTheNewest(): Handler {
  const names = new Map<unknown, string>();
  const newest = new Map<string, unknown>();
  const paid = new Set<unknown>();
  return async (request, server) => {
    const name = isRefundCreate(request) ? names.get(bodyOf(request)?.acquiringOrderId) : undefined;
    if (name !== undefined && !paid.has(newest.get(name))) return refundRefusal(400, 'ORDER_NOT_REFUNDABLE');
    const answer = await server.forward(request);
    const view = bodyOf(answer)?.data;
    if (!isObject(view) || view.orderId === undefined) return answer;
    const key = `${merchantIdOf(request)} ${view.merchantOrderId}`;
    if (!names.has(view.orderId)) newest.set(key, view.orderId);
    names.set(view.orderId, key);
    if (view.status === 'SUCCEEDED') paid.add(view.orderId);
    return answer;
  };
}

/** A server that keeps a merchantRefundOrderId of digits as a number. */
function numberingRefunds(): Handler {
  const known = new Map<string, string>();
  return async (request, server) => {
    const id = isRefundCreate(request) ? bodyOf(request)?.merchantRefundOrderId : undefined;
    if (typeof id !== 'string' || !/^\d+$/.test(id)) return server.forward(request);
    const number = `${merchantIdOf(request)} ${BigInt(id)}`;
    const first = known.get(number) ?? id;
    known.set(number, first);
    return first === id ? server.forward(request) : refundRefusal(400, 'IDEMPOTENCY_CONFLICT');
  };
}

/** A server that keeps the addresses for results under the merchantRefundOrderId alone. */
function sharingNotifyUrls(): Make {
  const addresses = new Map<unknown, string>();
  return {
    merchantApi: (request, server) => {
      const { merchantRefundOrderId, notifyUrl } = (isRefundCreate(request) && bodyOf(request)) || {};
      if (typeof notifyUrl === 'string') addresses.set(merchantRefundOrderId, notifyUrl);
      return server.forward(request);
    },
    ...sending((webhook, send) => {
      const url = isOfRefund(webhook) ? addresses.get(eventOf(webhook).merchantRefundOrderId) : undefined;
      return send({ ...webhook, url: url ?? webhook.url });
    }),
  };
}

/** A server that announces one order of those of both products that have the same merchantOrderId and come to the same status. */
function announcingOneOfNamesakes(): Make {
  const announced = new Map<string, boolean>();
  return sending(async (webhook, send) => {
    const { merchantId, merchantOrderId, status } = eventOf(webhook);
    if (isOfRefund(webhook)) return send(webhook);
    const key = `${merchantId} ${merchantOrderId} ${status}`;
    const first = announced.get(key) ?? isOfCheckout(webhook);
    announced.set(key, first);
    return first === isOfCheckout(webhook) ? send(webhook) : acknowledged;
  });
}

/** A server that never announces a second refund of an order that ends as the first one did. */
function announcingEachEndOnce(): Make {
  const announced = new Map<string, unknown>();
  return sending(async (webhook, send) => {
    if (!isOfRefund(webhook)) return send(webhook);
    const { acquiringOrderId, refundOrderId, status } = eventOf(webhook);
    const key = `${acquiringOrderId} ${status}`;
    const first = announced.get(key) ?? refundOrderId;
    announced.set(key, first);
    return first === refundOrderId ? send(webhook) : acknowledged;
  });
}

/** How many failures make a server give an address up. */
const mostFailures = 3;

/** A server that sends nothing new to an address where so many attempts have failed. */
function givingAddressesUp(isMeant: (webhook: Parameters<typeof isOfRefund>[0]) => boolean): Make {
  const failures = new Map<string, number>();
  const tried = new Set<string>();
  return sending(async (webhook, send) => {
    const { url } = webhook;
    const { orderId, refundOrderId, acquiringOrderId, status } = eventOf(webhook);
    const key = [url, refundOrderId ?? orderId ?? acquiringOrderId, status].join(' ');
    const isGivenUp = (failures.get(url) ?? 0) >= mostFailures;
    if (isMeant(webhook) && isGivenUp && !tried.has(key)) return acknowledged;
    tried.add(key);
    const result = await send(webhook);
    if (!('httpStatus' in result) || result.httpStatus >= 300) failures.set(url, (failures.get(url) ?? 0) + 1);
    return result;
  });
}

/** A server that announces the success of a refund when work on it begins. */
function announcingResultsEarly(): Make {
  const named = new Map<string, { url: string; event: JsonObject }>();
  return {
    merchantApi: async (request, server) => {
      const answer = await server.forward(request);
      const { notifyUrl } = (isRefundCreate(request) && bodyOf(request)) || {};
      const data = bodyOf(answer)?.data;
      if (isObject(data) && typeof notifyUrl === 'string' && notifyUrl.startsWith('https://127.0.0.1')) {
        const id = String(data.refundOrderId);
        // A create that is sent again names no other address.
        if (!named.has(id)) named.set(id, { url: notifyUrl, event: { ...data, status: 'SUCCEEDED' } });
      }
      return answer;
    },
    control: async (request, server) => {
      const answer = await server.forward(request);
      const known = named.get(recordOfEvent('refunds', request) ?? '');
      if (!known || bodyOf(request)?.type !== 'processing_started') return answer;
      const headers = { 'Content-Type': 'application/json' };
      await sendAs('POST', { url: known.url, headers, body: JSON.stringify(known.event) });
      return answer;
    },
  };
}

/** A server that signs the further attempts of a webhook with the signature of the first, beside a timestamp of their own. */
function keepingSignatures(): Make {
  const first = new Map<string, WebhookRequest['headers']>();
  return sending((webhook, send) => {
    const signatures = Object.entries(webhook.headers).filter(([name]) => /signature$/i.test(name));
    const key = `${webhook.url} ${webhook.body}`;
    const kept = first.get(key) ?? Object.fromEntries(signatures);
    first.set(key, kept);
    return send({ ...webhook, headers: { ...webhook.headers, ...kept } });
  });
}

/** A server that reserves nothing for a further refund of an order. */
const reservingOnce: Make = keepingRefunds((records) => {
  let isFurther = false;
  return {
    insertRefund: async (refund) => {
      isFurther = (await records.listRefundsOfOrder(refund.merchantId, refund.acquiringOrderId)).length > 0;
      return records.insertRefund(refund);
    },
    updateMerchant: async (merchant) => {
      if (!isFurther) await records.updateMerchant(merchant);
    },
  };
});

/** Gives a field that has no text this one. */
const giving = (name: string, text: string) => (view: JsonObject) => ({ ...view, [name]: view[name] ?? text });

/** Wrong servers that take one thing for another: a time, an order, a refund, an address. */
export const mixedUpFaults: readonly Fault[] = [
  ...(['orders.create', 'checkout.create'] as const).map((operation) =>
    comparingTexts(
      operation,
      'future-by-text',
      'ahead',
      operation === 'orders.create' ? 'orders.create.expires-at.form' : 'checkout.create.expires-at.future',
      (ahead) => ahead <= 0,
    ),
  ),
  comparingTexts(
    'checkout.create',
    'limit-by-text',
    'within a day',
    'checkout.create.expires-at.limit',
    (ahead) => ahead > day,
  ),
  {
    id: 'order-expiry-shown-in-its-zone',
    title: 'Shows the expiry of a hosted order in the zone in which its create has written it.',
    breaks: 'orders.view.times',
    caughtBy: 'orders.create.times.form',
    feeds: ['orders.situations.created'],
    make: { merchantApi: showingTheZone() },
  },
  {
    id: 'checkout-metadata-of-another-order',
    title: 'Shows the metadata of the checkout order before as that of an order without metadata.',
    breaks: 'checkout.create.metadata.unchanged',
    caughtBy: 'checkout.create.echo.metadata',
    feeds: ['checkout.create.metadata.unchanged', 'checkout.situations.created'],
    make: { merchantApi: showingOthersMetadata() },
  },
  {
    id: 'checkout-metadata-of-the-platform',
    title: 'Shows metadata of its own of a checkout order whose create gave none.',
    breaks: 'checkout.create.metadata.unchanged',
    caughtBy: 'checkout.create.echo.metadata',
    feeds: ['checkout.create.minimal'],
    make: { merchantApi: onlyFor(isOf('checkout.create'), showing(giving('metadata', '{"channel":"platform"}'))) },
  },
  {
    id: 'extra-data-of-the-platform',
    title: 'Shows extraData of its own of a refund whose create gave none.',
    breaks: 'refunds.record.extra-data',
    caughtBy: 'refunds.create.echo.extra-data',
    feeds: ['refunds.create.minimal'],
    make: { merchantApi: onlyFor(isOf('refunds.create'), showing(giving('extraData', 'by the platform'))) },
  },
  {
    id: 'late-payment-not-refunded',
    title: 'Refunds no order whose payment was confirmed after its expiry.',
    breaks: 'refunds.create.accepted',
    caughtBy: 'refunds.create.late-payment',
    make: { merchantApi: refusingLatePayments() },
  },
  {
    id: 'namesake-refunded',
    title: 'Refunds the hosted order with the merchantOrderId of the checkout order that is to be refunded.',
    breaks: 'refunds.record.references',
    caughtBy: 'refunds.create.same-merchant-order-id',
    make: { merchantApi: refundingTheNamesake() },
  },
  {
    id: 'refunded-where-the-newest-is-paid',
    title: 'Refunds no order whose merchantOrderId a newer and unpaid order of the other product has.',
    breaks: 'refunds.create.accepted',
    caughtBy: 'refunds.create.same-merchant-order-id',
    make: { merchantApi: refundingByTheNewest() },
  },
  {
    id: 'orders-of-one-id-refunded-once',
    title: 'Refunds one of two hosted orders of two merchants that have the same merchantOrderId.',
    breaks: 'refunds.create.accepted',
    caughtBy: 'refunds.create.same-merchant-order-id',
    make: { merchantApi: refundingOneOfNamesakes() },
  },
  {
    id: 'refund-ids-kept-as-numbers',
    title: 'Keeps a merchantRefundOrderId of digits as a number, without zeros before it.',
    breaks: 'refunds.create.accepted',
    caughtBy: 'refunds.create.look-alike-texts',
    make: { merchantApi: numberingRefunds() },
  },
  {
    id: 'further-refund-unreserved',
    title: 'Reserves nothing for a second refund of an order.',
    breaks: 'refunds.create.reserves-funds',
    caughtBy: 'refunds.balance.second-of-order',
    make: reservingOnce,
  },
  {
    id: 'notify-urls-by-refund-id',
    title: "Sends the result of a refund where another merchant's refund with the same merchantRefundOrderId says.",
    breaks: 'webhooks.refund.notify-url',
    caughtBy: 'webhooks.refund.notify-url',
    make: sharingNotifyUrls(),
  },
  {
    id: 'one-of-namesakes-announced',
    title: 'Announces an end once for each merchantOrderId, whichever product it is of.',
    breaks: 'webhooks.order.post',
    caughtBy: 'webhooks.checkout-order.post',
    make: announcingOneOfNamesakes(),
  },
  {
    id: 'each-end-of-refunds-announced-once',
    title: 'Takes a refund for announced that ends as another refund of its order did.',
    breaks: 'webhooks.refund.notify-url',
    caughtBy: 'webhooks.refund.second-of-order',
    make: announcingEachEndOnce(),
  },
  {
    id: 'refund-announced-when-work-begins',
    title: 'Announces the success of a refund when work on it begins.',
    breaks: 'webhooks.refund.after-result',
    caughtBy: 'webhooks.refund.while-processing',
    make: announcingResultsEarly(),
  },
  {
    id: 'refund-announced-when-work-begins-and-failed',
    title: 'Announces the success of a refund when work on it begins, also of one that fails.',
    breaks: 'webhooks.refund.after-result',
    caughtBy: 'webhooks.refund.deliveries.after-change',
    feeds: ['webhooks.situations.refunds'],
    make: announcingResultsEarly(),
  },
  {
    id: 'signature-of-first-attempt-kept',
    title: 'Signs further attempts with the signature of the first, beside their own time.',
    breaks: 'webhooks.signed',
    caughtBy: 'webhooks.retry.signed',
    make: keepingSignatures(),
  },
  ...(
    [
      ['order', (webhook) => !isOfRefund(webhook) && !isOfCheckout(webhook)],
      ['checkout-order', isOfCheckout],
      ['refund', isOfRefund],
    ] as const satisfies readonly [string, Parameters<typeof givingAddressesUp>[0]][]
  ).map(
    ([name, isMeant]): Fault => ({
      id: `${name}-address-given-up`,
      title: `Announces no ${name} any more at an address where ${mostFailures} attempts have failed.`,
      breaks: name === 'refund' ? 'webhooks.refund.notify-url' : 'webhooks.order.post',
      caughtBy: `webhooks.${name}.address-that-failed`,
      make: givingAddressesUp(isMeant),
    }),
  ),
];
