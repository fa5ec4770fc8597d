import { createHmac } from 'node:crypto';
import type { RequirementId } from '../../../../generated/catalogue.ts';
import type { SendResult, WebhookRequest } from '../../../../server/services/delivery/deliver.ts';
import { type JsonObject, valueAt } from '../../../contract/json.ts';
import { bodyOf, recordOfEvent, storing } from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import {
  acknowledged,
  eventOf,
  followingRedirects,
  isOfCheckout,
  isOfRefund,
  sendAs,
  sending,
  sendingRefundsTo,
  wording,
} from '../../stand/webhook-changes.ts';

/** A server that never sends the webhooks for which `silent` is true. */
const silentAbout = (silent: (webhook: WebhookRequest) => boolean): Make =>
  sending(async (webhook, send) => (silent(webhook) ? acknowledged : send(webhook)));

/** A server that treats an attempt as acknowledged if `takes` is true of its outcome. */
const acknowledging = (takes: (result: SendResult) => boolean): Make =>
  sending(async (webhook, send) => {
    const result = await send(webhook);
    return takes(result) ? acknowledged : result;
  });

const fault = faultsCaughtBy('');

const hosted = (status: string) => (webhook: WebhookRequest) =>
  !isOfRefund(webhook) && !isOfCheckout(webhook) && eventOf(webhook).status === status;
const checkout = (status: string) => (webhook: WebhookRequest) =>
  isOfCheckout(webhook) && eventOf(webhook).status === status;

const unannounced: readonly Fault[] = [
  fault(
    'paid-order-unannounced',
    'Announces everything but that a hosted order was paid.',
    'webhooks.order.paid',
    'webhooks.order.paid',
    silentAbout(hosted('SUCCEEDED')),
  ),
  fault(
    'failed-order-unannounced',
    'Announces good news of hosted orders only.',
    'webhooks.order.failed',
    'webhooks.order.failed',
    silentAbout(hosted('FAILED')),
  ),
  fault(
    'expired-order-unannounced',
    'Lets hosted orders expire without a word.',
    'webhooks.order.expired',
    'webhooks.order.expired',
    silentAbout(hosted('CLOSED')),
  ),
  fault(
    'cancelled-order-unannounced',
    'Announces closed orders only when they expired.',
    'webhooks.order.cancelled',
    'webhooks.order.cancelled',
    silentAbout((webhook) => {
      const { status, expiresAt, occurredAt } = eventOf(webhook);
      return status === 'CLOSED' && String(occurredAt) < String(expiresAt);
    }),
  ),
  fault(
    'paid-checkout-order-unannounced',
    'Announces hosted orders, and no paid checkout order.',
    'webhooks.order.paid',
    'webhooks.checkout-order.paid',
    silentAbout(checkout('SUCCEEDED')),
  ),
  fault(
    'failed-checkout-order-unannounced',
    'Announces hosted orders, and no failed checkout order.',
    'webhooks.order.failed',
    'webhooks.checkout-order.failed',
    silentAbout(checkout('FAILED')),
  ),
  fault(
    'expired-checkout-order-unannounced',
    'Announces hosted orders, and no expired checkout order.',
    'webhooks.order.expired',
    'webhooks.checkout-order.expired',
    silentAbout(checkout('CLOSED')),
  ),
  fault(
    'processing-unannounced',
    'Announces hosted orders only when they come to an end.',
    'webhooks.order.processing',
    'webhooks.order.processing',
    silentAbout(hosted('PROCESSING')),
  ),
];

/** Sends all events to the address of the first event. Each server has its own first event. */
const toFirstAddress: Make = {
  webhooks: () => {
    let first: string | undefined;
    return (webhook, send) => {
      first ??= webhook.url;
      return send({ ...webhook, url: first });
    };
  },
};

const misdirected: readonly Fault[] = [
  fault(
    'webhook-by-put',
    'Sends events with PUT.',
    'webhooks.order.post',
    'webhooks.order.post',
    sending((webhook) => sendAs('PUT', webhook)),
  ),
  fault(
    'webhook-by-get',
    'Sends events as GET with a body.',
    'webhooks.order.post',
    'webhooks.order.post',
    sending((webhook) => sendAs('GET', webhook)),
  ),
  fault(
    'webhook-to-first-address',
    "Remembers the first callbackUrl, and sends every order's events there.",
    'webhooks.order.post',
    'webhooks.order.post',
    toFirstAddress,
  ),
  fault(
    'event-without-ids',
    'Sends the status and the time of an event, and not which order it is about.',
    'webhooks.order.identifies',
    'webhooks.order.identifies',
    wording(({ status, occurredAt, eventId }) => ({ status, occurredAt, eventId })),
  ),
  fault(
    'event-with-internal-id',
    'Names the order by a number of its own database.',
    'webhooks.order.identifies',
    'webhooks.order.identifies',
    wording(({ status, eventId }) => ({ status, eventId, orderNumber: 17 })),
  ),
  fault(
    'event-empty',
    'Sends an event without a body.',
    'webhooks.order.identifies',
    'webhooks.order.identifies',
    sending((webhook, send) => send({ ...webhook, body: '' })),
  ),
  fault(
    'webhooks-unsigned',
    'Sends events without a signature.',
    'webhooks.signed',
    'webhooks.signed',
    sending((webhook, send) => send({ ...webhook, headers: { 'Content-Type': 'application/json' } })),
  ),
  fault(
    'webhooks-signed-with-api-key',
    'Signs events with the public key in the place of the secret.',
    'webhooks.signed',
    'webhooks.signed',
    sending((webhook, send) => {
      const headers = Object.entries(webhook.headers).map(([name, value]) => [
        name,
        /signature/i.test(name) ? createHmac('sha256', 'pk-1').update(value).digest('base64') : value,
      ]);
      return send({ ...webhook, headers: Object.fromEntries(headers) });
    }),
  ),
];

const hasStatus = (fits: (status: number) => boolean) => (result: SendResult) =>
  'httpStatus' in result && fits(result.httpStatus);
const hasError = (words: RegExp) => (result: SendResult) => 'error' in result && words.test(result.error);

/** A server that sends further attempts at an event to the address that `elsewhere` gives. */
function retryingAt(applies: (webhook: WebhookRequest) => boolean, elsewhere: (url: string) => string): Make {
  const sent = new Set<string>();
  return sending((webhook, send) => {
    const key = `${webhook.url} ${webhook.body}`;
    const isFurther = sent.has(key);
    sent.add(key);
    return send(isFurther && applies(webhook) ? { ...webhook, url: elsewhere(webhook.url) } : webhook);
  });
}

const notRepeated: readonly Fault[] = [
  {
    ...fault(
      'sent-again-without-query',
      'Leaves out the query of the address when it sends an event again.',
      'webhooks.order.post',
      'webhooks.order.deliveries.query',
      retryingAt(
        (webhook) => !isOfRefund(webhook),
        (url) => url.replace(/\?.*$/, ''),
      ),
    ),
    feeds: ['webhooks.retry.status-500'],
  },
  {
    ...fault(
      'sent-again-to-255-characters',
      'Keeps 255 characters of the address for sending an event again.',
      'webhooks.order.post',
      'webhooks.order.deliveries.query',
      retryingAt(
        (webhook) => !isOfRefund(webhook),
        (url) => url.slice(0, 255),
      ),
    ),
    feeds: ['webhooks.retry.status-500'],
  },
  fault(
    'never-sent-again',
    'Sends each event once, whatever comes back.',
    'webhooks.retry',
    'webhooks.retry.status-500',
    acknowledging(() => true),
  ),
  fault(
    'server-error-acknowledges',
    'Takes any HTTP answer for an acknowledgement.',
    'webhooks.retry',
    'webhooks.retry.status-500',
    acknowledging(hasStatus(() => true)),
  ),
  fault(
    'any-2xx-acknowledges',
    'Takes every status of the 200s for an acknowledgement.',
    'webhooks.retry',
    'webhooks.retry.status-204',
    acknowledging(hasStatus((status) => status < 300)),
  ),
  ...(
    [
      [201, '204'],
      [429, '400'],
      [502, '500'],
      [301, 'redirect'],
      [304, 'redirect'],
    ] as const
  ).map(([status, check]) =>
    fault(
      `answer-${status}-acknowledges`,
      `Sends no event again that was answered with HTTP ${status}.`,
      'webhooks.retry',
      `webhooks.retry.${check === 'redirect' ? '' : 'status-'}${check}`,
      acknowledging(hasStatus((each) => each === status)),
    ),
  ),
  fault(
    'redirect-acknowledges',
    'Takes a redirect for an acknowledgement.',
    'webhooks.retry',
    'webhooks.retry.redirect',
    acknowledging(hasStatus((status) => status < 400)),
  ),
  fault(
    'redirect-followed',
    'Follows redirects, and takes whatever comes back there for an acknowledgement.',
    'webhooks.retry',
    'webhooks.retry.redirect',
    sending((webhook, send) => followingRedirects(send, () => acknowledged)(webhook)),
  ),
  fault(
    'closed-connection-acknowledges',
    'Counts an event as delivered once its bytes are out.',
    'webhooks.retry',
    'webhooks.retry.closed-connection',
    acknowledging(hasError(/closed without an answer/)),
  ),
  fault(
    'timeout-acknowledges',
    'Gives up on a receiver that does not answer in time.',
    'webhooks.retry',
    'webhooks.retry.no-answer',
    acknowledging(hasError(/no answer within/)),
  ),
  fault(
    'refused-connection-gives-up',
    'Gives up on a receiver that cannot be reached.',
    'webhooks.retry',
    'webhooks.retry.refused-connection',
    acknowledging(hasError(/refused|without an answer/)),
  ),
];

const refundResults: readonly Fault[] = [
  fault(
    'refund-result-unannounced',
    'Announces orders only.',
    'webhooks.refund.notify-url',
    'webhooks.refund.notify-url',
    silentAbout(isOfRefund),
  ),
  fault(
    'refund-failures-only',
    'Announces refunds only when they fail.',
    'webhooks.refund.notify-url',
    'webhooks.refund.notify-url',
    silentAbout((webhook) => isOfRefund(webhook) && eventOf(webhook).status === 'SUCCEEDED'),
  ),
  fault(
    'refund-successes-only',
    'Announces refunds only when they succeed.',
    'webhooks.refund.notify-url',
    'webhooks.refund.failed',
    silentAbout((webhook) => isOfRefund(webhook) && eventOf(webhook).status === 'FAILED'),
  ),
  fault(
    'refund-result-by-get',
    'Asks the notifyUrl with GET.',
    'webhooks.refund.notify-url',
    'webhooks.refund.notify-url',
    sending((webhook, send) => (isOfRefund(webhook) ? sendAs('GET', webhook) : send(webhook))),
  ),
  fault(
    'default-address-ignored',
    'Announces refunds only where their request names an address.',
    'webhooks.refund.default-address',
    'webhooks.refund.default-address',
    {
      parts: storing((records) => ({
        insertMerchant: (merchant) => {
          const { defaultNotifyUrl: _ignored, ...settings } = merchant.settings;
          return records.insertMerchant({ ...merchant, settings });
        },
      })),
    },
  ),
  fault(
    'notify-url-ignored',
    "Announces every refund at the merchant's default address.",
    'webhooks.refund.default-address',
    'webhooks.refund.notify-url-instead',
    sendingRefundsTo((delivery, defaultUrl) => [{ ...delivery, url: defaultUrl }]),
  ),
  fault(
    'notified-twice',
    "Announces a refund with an address of its own at the merchant's default address too.",
    'webhooks.refund.default-address',
    'webhooks.refund.notify-url-instead',
    sendingRefundsTo((delivery, defaultUrl) => [
      { ...delivery, deliveryId: `${delivery.deliveryId}-default`, url: defaultUrl },
      delivery,
    ]),
  ),
];

/** True for a webhook of an order that is priced in a currency and has come to one of these statuses. */
const tellsOf =
  (currency: string, ...ends: readonly string[]) =>
  (webhook: WebhookRequest): boolean => {
    const event = eventOf(webhook);
    return valueAt(event, ['orderAmount', 'currency']) === currency && ends.includes(String(event.status));
  };

/** True for a webhook of the expiry of an order that may be paid for more than twelve hours. */
function tellsOfLongLife(webhook: WebhookRequest): boolean {
  const { status, createdAt, expiresAt } = eventOf(webhook);
  const life = Date.parse(String(expiresAt)) - Date.parse(String(createdAt));
  return ['CLOSED', 'FAILED'].includes(String(status)) && life > 12 * 3_600_000;
}

/** True for a webhook of a change that came more than so many days after what it tells of was made. */
function tellsOfLateChange(webhook: WebhookRequest, days = 20): boolean {
  const { createdAt, createdTime, occurredAt } = eventOf(webhook);
  return Date.parse(String(occurredAt)) - Date.parse(String(createdAt ?? createdTime)) > days * 86_400_000;
}

/** A server that does not announce what comes from an exchange weeks after its order was made. */
function silentAboutLateExchanges(): Make {
  const orders = new Set<unknown>();
  return {
    ...silentAbout((webhook) => tellsOfLateChange(webhook) && orders.has(eventOf(webhook).orderId)),
    control: (request, server) => {
      if (String(bodyOf(request)?.paymentMethod).startsWith('EXCHANGE')) orders.add(recordOfEvent('orders', request));
      return server.forward(request);
    },
  };
}

const lateSilent: readonly Fault[] = [
  ...(
    [
      ['SUCCEEDED', 'webhooks.order.paid', () => true],
      ['FAILED', 'webhooks.order.failed', () => true],
      ['CLOSED', 'webhooks.order.cancelled', (event) => String(event.occurredAt) < String(event.expiresAt)],
      ['CLOSED', 'webhooks.order.expired', (event) => String(event.occurredAt) >= String(event.expiresAt)],
    ] as const satisfies readonly [string, RequirementId, (event: JsonObject) => boolean][]
  ).map(([status, breaks, isMeant]) =>
    fault(
      `late-${breaks.replace('webhooks.', '').replace('.', '-')}-unannounced`,
      `Announces nothing that happens to a hosted order weeks after it was made, seen at ${breaks.split('.').at(-1)} ones.`,
      breaks,
      'webhooks.order.weeks-later',
      silentAbout((webhook) => hosted(status)(webhook) && tellsOfLateChange(webhook) && isMeant(eventOf(webhook))),
    ),
  ),
  fault(
    'late-exchange-payment-unannounced',
    'Announces no payment from an exchange that comes weeks after a hosted order was made.',
    'webhooks.order.paid',
    'webhooks.order.weeks-later',
    silentAboutLateExchanges(),
  ),
  fault(
    'old-hosted-order-unannounced',
    'Announces no payment that comes more than a hundred days after a hosted order was made.',
    'webhooks.order.paid',
    'webhooks.order.weeks-later',
    silentAbout((webhook) => hosted('SUCCEEDED')(webhook) && tellsOfLateChange(webhook, 100)),
  ),
  fault(
    'late-refund-unannounced',
    'Announces no result of a refund that comes weeks after it was made.',
    'webhooks.refund.notify-url',
    'webhooks.refund.weeks-later',
    silentAbout((webhook) => isOfRefund(webhook) && tellsOfLateChange(webhook)),
  ),
  {
    ...fault(
      'cancelled-in-usd-unannounced',
      'Does not announce that orders in USD are cancelled.',
      'webhooks.order.cancelled',
      'webhooks.order.deliveries.cancelled',
      silentAbout(tellsOf('USD', 'CLOSED')),
    ),
    feeds: ['orders.combinations'],
  },
];

/** Servers that announce the ends of usual orders, and not those of some. */
const someSilent: readonly Fault[] = (
  [
    ['paid-in-usd', 'in USD are paid', 'webhooks.order.paid', 'orders.combinations', tellsOf('USD', 'SUCCEEDED')],
    [
      'paid-by-any-means-in-usd',
      'in USD are paid, by any means',
      'webhooks.order.paid',
      'webhooks.order.every-payment.paid',
      tellsOf('USD', 'SUCCEEDED'),
    ],
    [
      'failed-in-usd',
      'in USD have failed',
      'webhooks.order.failed',
      'webhooks.order.every-payment.failed',
      tellsOf('USD', 'FAILED'),
    ],
    [
      'underpaid-in-usd',
      'in USD were paid too little',
      'webhooks.order.failed',
      'orders.combinations',
      tellsOf('USD', 'FAILED'),
    ],
    [
      'underpaid-in-usdc',
      'in USDC were paid too little',
      'webhooks.order.failed',
      'checkout.combinations',
      tellsOf('USDC', 'FAILED'),
    ],
    [
      'expired-in-usd',
      'in USD have expired',
      'webhooks.order.expired',
      'webhooks.order.deliveries.expired',
      tellsOf('USD', 'CLOSED', 'FAILED'),
    ],
    [
      'long-lived-hosted-expired',
      'have expired that are hosted and may be paid for more than twelve hours',
      'webhooks.order.expired',
      'webhooks.order.deliveries.expired',
      tellsOfLongLife,
    ],
    [
      'long-lived-checkout-expired',
      'have expired that may be paid for more than twelve hours',
      'webhooks.order.expired',
      'webhooks.checkout-order.deliveries.expired',
      tellsOfLongLife,
    ],
    [
      'paid-in-usd-over-solana',
      'in USD are paid over Solana',
      'webhooks.order.paid',
      'webhooks.order.every-payment.paid',
      (webhook: WebhookRequest) =>
        tellsOf('USD', 'SUCCEEDED')(webhook) &&
        /solana/i.test(String(valueAt(eventOf(webhook), ['cryptoPaymentDetail', 'network']))),
    ],
    ['paid-in-usdc', 'in USDC are paid', 'webhooks.order.paid', 'checkout.combinations', tellsOf('USDC', 'SUCCEEDED')],
    [
      'expired-in-usdc',
      'in USDC have expired',
      'webhooks.order.expired',
      'webhooks.checkout-order.deliveries.expired',
      tellsOf('USDC', 'CLOSED', 'FAILED'),
    ],
  ] as const
).map(([name, words, breaks, check, isMeant]) => ({
  ...fault(
    `orders-${name}-unannounced`,
    `Does not announce that orders ${words}.`,
    breaks,
    check,
    silentAbout(isMeant),
  ),
  ...(check.includes('deliveries') && {
    feeds: [check.includes('checkout') ? 'checkout.combinations' : 'orders.combinations'],
  }),
}));

/** Servers that send nothing to addresses of a form that is as right as the usual one. */
const unsent: readonly Fault[] = [
  ...(
    [
      ['checkout-order', isOfCheckout, 'webhooks.order.failed'],
      ['refund', isOfRefund, 'webhooks.refund.notify-url'],
    ] as const
  ).map(([name, isMeant, breaks]) =>
    fault(
      `${name}-plain-address-unsent`,
      `Sends nothing about a ${name.replace('-', ' ')} to addresses of http.`,
      breaks,
      `webhooks.${name}.plain-address`,
      silentAbout((webhook) => isMeant(webhook) && /^http:/i.test(webhook.url)),
    ),
  ),
  ...(
    [
      ['order', 'webhooks.order.cancelled'],
      ['checkout-order', 'webhooks.order.failed'],
      ['refund', 'webhooks.refund.notify-url'],
    ] as const
  ).flatMap(([name, breaks]) => [
    fault(
      `${name}-address-without-path-unsent`,
      `Sends nothing to addresses without a path, seen at a ${name.replace('-', ' ')}.`,
      breaks,
      `webhooks.${name}.address-without-path`,
      silentAbout(({ url }) => /^[a-z]+:\/\/[^/?]+$/i.test(url)),
    ),
    fault(
      `${name}-scheme-in-capitals-unsent`,
      `Sends nothing to addresses whose scheme is in capital letters, seen at a ${name.replace('-', ' ')}.`,
      breaks,
      `webhooks.${name}.scheme-in-capitals`,
      silentAbout(({ url }) => /^[A-Z]+:/.test(url)),
    ),
  ]),
];

/** Wrong servers that do not send webhooks, or send them incorrectly. */
export const webhookFaults: readonly Fault[] = [
  ...unannounced,
  ...misdirected,
  ...notRepeated,
  ...refundResults,
  ...unsent,
  ...lateSilent,
  ...someSilent,
];
