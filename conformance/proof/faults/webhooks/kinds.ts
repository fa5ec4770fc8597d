import type { SendResult, WebhookRequest } from '../../../../server/services/delivery/deliver.ts';
import type { JsonObject } from '../../../contract/json.ts';
import type { Credentials } from '../../../drivers/driver.ts';
import { signatureOf } from '../../../wire/signing/signature.ts';
import { bodyOf, isOf, onlyFor } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { followingClocks } from '../../stand/order-changes.ts';
import { acknowledged, eventOf } from '../../stand/webhook-changes.ts';
import { type Kind, kinds, sendingThese } from './kind.ts';

const between = (least: number, most: number) => (result: SendResult) =>
  'httpStatus' in result && result.httpStatus >= least && result.httpStatus <= most;
const isError = (words: RegExp) => (result: SendResult) => 'error' in result && words.test(result.error);

/** What a server takes for an acknowledgement beside HTTP 200, by the check that finds it. */
const takenForReceived: readonly { check: string; id: string; title: string; takes(result: SendResult): boolean }[] = [
  { check: 'status-500', id: 'sent-once', title: 'Sends each event once', takes: () => true },
  {
    check: 'status-500',
    id: 'unknown-status-is-final',
    title: 'Gives up at a status of the 500s that is seldom used',
    takes: (result) => between(501, 501)(result) || between(505, 511)(result),
  },
  { check: 'status-400', id: 'refusal-is-final', title: 'Gives up at a status of the 400s', takes: between(400, 499) },
  { check: 'status-204', id: 'no-content', title: 'Takes HTTP 204 as received', takes: between(204, 204) },
  { check: 'redirect', id: 'redirect', title: 'Takes a redirect as received', takes: between(300, 399) },
  {
    check: 'closed-connection',
    id: 'closed',
    title: 'Takes a closed connection as received',
    takes: isError(/closed without an answer/),
  },
  { check: 'no-answer', id: 'silence', title: 'Gives up when no answer comes', takes: isError(/no answer within/) },
];

/** A server that sends nothing again of which the merchant has heard by a query, whether or not a webhook was acknowledged. */
function silentOnceAsked(kind: Kind, operation: string): Make {
  const asked = new Set<string>();
  const idOf = (data: unknown): string => String(Object(data).refundOrderId ?? Object(data).orderId);
  return {
    ...sendingThese(kind, async (webhook, send) => {
      const event = eventOf(webhook);
      return asked.has(`${idOf(event)} ${event.status}`) ? acknowledged : send(webhook);
    }),
    merchantApi: onlyFor(isOf(operation), async (request, server) => {
      const answer = await server.forward(request);
      const data = bodyOf(answer)?.data;
      asked.add(`${idOf(data)} ${Object(data).status}`);
      return answer;
    }),
  };
}

const silent: readonly Fault[] = kinds.map((kind) => {
  const operation = { order: 'orders.query', 'checkout-order': 'checkout.query', refund: 'refunds.query' }[kind.name];
  return {
    id: `${kind.name}-event-once-asked-for`,
    title: `Sends an event of ${kind.noun} no more once a query has shown what it tells of.`,
    breaks: kind.retry,
    caughtBy: `${kind.prefix}.retry.status-500`,
    make: silentOnceAsked(kind, operation),
  };
});

const neverAgain: readonly Fault[] = kinds.flatMap((kind) =>
  takenForReceived
    // The other faults of hosted orders stand in `webhooks.ts`, where they are those of all kinds.
    .filter(({ check, id }) => kind.name !== 'order' || check === 'status-400' || id === 'unknown-status-is-final')
    .map(({ check, id, title, takes }) => ({
      id: `${kind.name}-event-${id}`,
      title: `${title}, where the event is one of ${kind.noun}.`,
      breaks: kind.retry,
      caughtBy: `${kind.prefix}.retry.${check}`,
      make: sendingThese(kind, async (webhook, send) => {
        const result = await send(webhook);
        return takes(result) ? acknowledged : result;
      }),
    })),
);

/** A server that sends events of one status once and every other one until it is acknowledged. */
const statusSentOnce: readonly Fault[] = kinds.flatMap((kind) =>
  (['SUCCEEDED', 'FAILED', kind.further] as const).map((status) => ({
    id: `${kind.name}-event-${status.toLowerCase()}-sent-once`,
    title: `Sends an event of ${kind.noun} once when it tells of ${status}.`,
    breaks: kind.retry,
    caughtBy: `${kind.prefix}.retry.${status === kind.further ? 'other-causes' : 'status-500'}`,
    make: sendingThese(kind, async (webhook, send) => {
      const result = await send(webhook);
      return eventOf(webhook).status === status ? acknowledged : result;
    }),
  })),
);

export const bare = ({ headers, ...rest }: WebhookRequest): WebhookRequest => ({
  ...rest,
  headers: { 'Content-Type': headers['Content-Type'] ?? 'application/json' },
});

/** Signs the first body of an event, and sends every repetition with what is known of its subject by then under the signature of the first. */
function signingTheFirstBody(kind: Kind): Make {
  const idOf = ({ refundOrderId, acquiringOrderId }: JsonObject) => refundOrderId ?? acquiringOrderId;
  const newest = new Map<unknown, JsonObject>();
  const sent = new Set<unknown>();
  return sendingThese(kind, (webhook, send) => {
    const event = eventOf(webhook);
    if (sent.has(event.eventId)) {
      const { status } = newest.get(idOf(event)) ?? event;
      return send(status === event.status ? webhook : { ...webhook, body: JSON.stringify({ ...event, status }) });
    }
    sent.add(event.eventId);
    newest.set(idOf(event), event);
    return send(webhook);
  });
}

/** Signs an event in both ways when it is first sent, and in one of them from then on. */
function signingTwiceOnce(kind: Kind): Make {
  const sent = new Set<unknown>();
  const { webhooks } = sendingThese(kind, (webhook, send) => {
    const { eventId } = eventOf(webhook);
    const isFirst = !sent.has(eventId);
    sent.add(eventId);
    const { 'X-Signature': _lost, ...headers } = webhook.headers;
    return send(isFirst ? webhook : { ...webhook, headers });
  });
  const parts: Make['parts'] = (given) => ({ ...given, choices: { ...given.choices, 'webhook-signature': 'both' } });
  return { parts, ...(webhooks && { webhooks }) };
}

/** Signs an event when it is first sent, and leaves the signature out of every repetition. */
function signingOnce(kind: Kind): Make {
  const sent = new Set<unknown>();
  return sendingThese(kind, (webhook, send) => {
    const { eventId } = eventOf(webhook);
    const isFirst = !sent.has(eventId);
    sent.add(eventId);
    return send(isFirst ? webhook : bare(webhook));
  });
}

/** Signs events with the time of the merchant's business, which a test moves, in the place of real time. */
function signingByBusinessTime(kind: Kind): Make {
  const { now, control } = followingClocks();
  const merchants = new Map<string, Credentials>();
  const { webhooks } = sendingThese(kind, (webhook, send) => {
    const [path, method] = [new URL(webhook.url).pathname, 'POST'];
    const body = Buffer.from(webhook.body);
    const signature = (timestamp: unknown, { apiSecret }: Credentials) =>
      signatureOf({ timestamp: `webhook\n${timestamp}`, method, path, body }, apiSecret);
    const { 'X-Timestamp': real, 'X-Signature': signed } = webhook.headers;
    const owner = [...merchants.values()].find((merchant) => signature(real, merchant) === signed);
    if (!owner) return send(webhook);
    const timestamp = String(now(owner.merchantId));
    const headers = { 'X-Timestamp': timestamp, 'X-Signature': signature(timestamp, owner) };
    return send({ ...webhook, headers: { ...webhook.headers, ...headers } });
  });
  return {
    ...(webhooks && { webhooks }),
    control: async (request, server) => {
      const answer = await control(request, server);
      for (const merchant of server.merchants()) merchants.set(merchant.merchantId, merchant);
      return answer;
    },
  };
}

const unsigned: readonly Fault[] = kinds.flatMap((kind) => [
  {
    id: `${kind.name}-events-signed-in-success`,
    title: `Signs the events of ${kind.noun} that have succeeded, and no others.`,
    breaks: 'webhooks.signed',
    caughtBy: `${kind.prefix}.signed`,
    make: sendingThese(kind, (webhook, send) =>
      send(eventOf(webhook).status === 'SUCCEEDED' ? webhook : bare(webhook)),
    ),
  },
  {
    id: `${kind.name}-events-signed-over-the-old-body`,
    title: `Adds a field to the events of ${kind.noun} after it has signed them.`,
    breaks: 'webhooks.signed',
    caughtBy: `${kind.prefix}.signed`,
    make: sendingThese(kind, (webhook, send) =>
      send({ ...webhook, body: JSON.stringify({ ...eventOf(webhook), sentBy: 'worker-1' }) }),
    ),
  },
  {
    id: `${kind.name}-events-signed-once`,
    title: `Signs the events of ${kind.noun} at the first attempt only.`,
    breaks: 'webhooks.signed',
    caughtBy: `${kind.prefix}.retry.signed`,
    make: signingOnce(kind),
  },
  ...(kind.name === 'refund'
    ? []
    : [
        {
          id: `${kind.name}-events-of-the-present-under-the-first-signature`,
          title: `Sends an event of ${kind.noun} again with the present status, under the signature of the body that it had first.`,
          breaks: 'webhooks.signed' as const,
          caughtBy: `${kind.prefix}.retry.signed`,
          make: signingTheFirstBody(kind),
        },
      ]),
  {
    id: `${kind.name}-events-signed-by-business-time`,
    title: `Gives the events of ${kind.noun} the time of the merchant's business as the time of their signature.`,
    breaks: 'webhooks.signed',
    caughtBy: `${kind.prefix}.retry.signed`,
    make: signingByBusinessTime(kind),
  },
  {
    id: `${kind.name}-events-signed-in-two-ways-once`,
    title: `Signs the events of ${kind.noun} in two ways at the first attempt, and in one of them at the others.`,
    breaks: 'webhooks.signed',
    caughtBy: `${kind.prefix}.retry.signed`,
    make: signingTwiceOnce(kind),
  },
]);

/** A webhook as a sender writes it that puts a question mark for each character that Latin-1 does not have. */
const inLatin1 = (webhook: WebhookRequest): WebhookRequest => ({
  ...webhook,
  body: webhook.body.replace(/[\u0100-\u{10ffff}]/gu, '?'),
});

/** A webhook as a receiver reads it whose sender writes Latin-1 where no other letters are in it. */
const inLatin1IfEnough = (webhook: WebhookRequest): WebhookRequest => ({
  ...webhook,
  body: /[\u0100-\u{10ffff}]/u.test(webhook.body) ? webhook.body : webhook.body.replace(/[\u0080-\u00ff]/g, '\ufffd'),
});

/** The reference server's events of hosted orders hold no text of the merchant's own. */
const signedInAnotherEncoding: readonly Fault[] = kinds
  .filter(({ name }) => name !== 'order')
  .flatMap((kind) => [
    {
      id: `${kind.name}-events-signed-in-another-encoding`,
      title: `Signs the events of ${kind.noun} in UTF-8 and sends them in Latin-1, with question marks for other letters.`,
      breaks: 'webhooks.signed',
      caughtBy: `${kind.prefix}.signed`,
      make: sendingThese(kind, (webhook, send) => send(inLatin1(webhook))),
    },
    {
      id: `${kind.name}-events-in-latin-1-if-enough`,
      title: `Signs the events of ${kind.noun} in UTF-8 and sends them in Latin-1 where that has all of their letters.`,
      breaks: 'webhooks.signed',
      caughtBy: `${kind.prefix}.signed`,
      make: sendingThese(kind, (webhook, send) => send(inLatin1IfEnough(webhook))),
    },
  ]);

const typed = (kind: Kind, id: string, title: string, type: string | undefined): Fault => ({
  id: `${kind.name}-events-${id}`,
  title: `${title} ${kind.noun}.`,
  breaks: 'webhooks.content-type',
  caughtBy: `webhooks.${kind.name}.deliveries.content-type`,
  feeds: kind.feeds,
  make: sendingThese(kind, (webhook, send) => {
    const { 'Content-Type': _type, ...headers } = webhook.headers;
    return send({ ...webhook, headers: { ...headers, ...(type !== undefined && { 'Content-Type': type }) } });
  }),
});

const mistyped: readonly Fault[] = kinds.flatMap((kind) => [
  typed(kind, 'as-form', 'Calls the JSON of its events a form, where they are of', 'application/x-www-form-urlencoded'),
  typed(kind, 'untyped', 'Sends no Content-Type with the events of', undefined),
]);

/** Wrong servers whose fault is one of a rule for webhooks of every kind. */
export const webhookKindFaults: readonly Fault[] = [
  ...neverAgain,
  ...silent,
  ...statusSentOnce,
  ...unsigned,
  ...signedInAnotherEncoding,
  ...mistyped,
];
