import type { RequirementId } from '../../../../generated/catalogue.ts';
import type { JsonObject } from '../../../contract/json.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { acknowledged, eventOf, isOfRefund, sending } from '../../stand/webhook-changes.ts';
import { isTaken, type Kind, kinds, sendingThese } from './kind.ts';

/** A server that drops every other event of one key while an event waits for its next attempt. */
function keepingTheWaiting(keyOf: (event: JsonObject) => unknown): Make {
  const waiting = new Map<unknown, unknown>();
  return sending(async (webhook, send) => {
    const event = eventOf(webhook);
    const key = keyOf(event);
    if (waiting.has(key) && waiting.get(key) !== event.eventId) return acknowledged;
    const result = await send(webhook);
    if (isTaken(result)) waiting.delete(key);
    else waiting.set(key, event.eventId);
    return result;
  });
}

/** A server that drops new events of a kind for an address once so many attempts have failed there. */
function givingUpAddresses(kind: Kind, most: number): Make {
  const failed = new Map<string, number>();
  const known = new Set<unknown>();
  return sendingThese(kind, async (webhook, send) => {
    const { eventId } = eventOf(webhook);
    const failures = () => failed.get(webhook.url) ?? 0;
    if (failures() >= most && !known.has(eventId)) return acknowledged;
    known.add(eventId);
    const result = await send(webhook);
    if (!isTaken(result)) failed.set(webhook.url, failures() + 1);
    return result;
  });
}

const givenUp: readonly Fault[] = kinds.map((kind) => ({
  id: `${kind.name}-events-dropped-after-twenty-failures`,
  title: `Sends no new event of ${kind.noun} to an address once twenty attempts have failed there.`,
  breaks: kind.name === 'refund' ? 'webhooks.refund.notify-url' : 'webhooks.order.post',
  caughtBy: `webhooks.${kind.name}.address-that-failed`,
  make: givingUpAddresses(kind, 20),
}));

/** A server that drops new events of a kind of a merchant once one of them was sent so often in vain that it is given up. */
function givingUpMerchants(kind: Kind, most: number): Make {
  const attempts = new Map<unknown, number>();
  const shut = new Set<unknown>();
  return sendingThese(kind, async (webhook, send) => {
    const { eventId, merchantId } = eventOf(webhook);
    if (shut.has(merchantId) && !attempts.has(eventId)) return acknowledged;
    const result = await send(webhook);
    const count = (attempts.get(eventId) ?? 0) + 1;
    attempts.set(eventId, count);
    if (!isTaken(result) && count >= most) shut.add(merchantId);
    return result;
  });
}

const merchantsGivenUp: readonly Fault[] = kinds.map((kind) => ({
  id: `${kind.name}-events-dropped-after-one-was-given-up`,
  title: `Sends no new event of ${kind.noun} of a merchant once it has given one up.`,
  breaks: kind.announced,
  caughtBy: `webhooks.${kind.name}.after-given-up`,
  make: givingUpMerchants(kind, 8),
}));

/** A server that sends no new event of another kind, of any merchant, once one of a kind was sent so often in vain that it is given up. */
function silencingOthers(kind: Kind, other: Kind, most: number): Make {
  const attempts = new Map<unknown, number>();
  const known = new Set<unknown>();
  let isShut = false;
  return sending(async (webhook, send) => {
    const { eventId } = eventOf(webhook);
    if (other.has(webhook)) {
      if (isShut && !known.has(eventId)) return acknowledged;
      known.add(eventId);
    }
    const result = await send(webhook);
    if (!kind.has(webhook) || isTaken(result)) return result;
    const count = (attempts.get(eventId) ?? 0) + 1;
    attempts.set(eventId, count);
    isShut ||= count >= most;
    return result;
  });
}

const othersSilenced: readonly Fault[] = kinds.flatMap((kind, index) => {
  const other = kinds[(index + 2) % kinds.length];
  if (!other) return [];
  return [
    {
      id: `${other.name}-events-dropped-after-one-of-a-${kind.name}-was-given-up`,
      title: `Sends no new event of ${other.noun} once it has given up one of ${kind.noun}.`,
      breaks: other.announced,
      caughtBy: `webhooks.${kind.name}.after-given-up`,
      make: silencingOthers(kind, other, 8),
    },
  ];
});

/** A server that counts the attempts at the events of one order together, and sends each event of it once when there were too many. */
function countingTogether(kind: Kind, most: number): Make {
  const attempts = new Map<unknown, number>();
  const sent = new Set<unknown>();
  return sendingThese(kind, async (webhook, send) => {
    const { eventId, orderId } = eventOf(webhook);
    const count = attempts.get(orderId) ?? 0;
    if (count >= most && sent.has(eventId)) return acknowledged;
    sent.add(eventId);
    attempts.set(orderId, count + 1);
    return send(webhook);
  });
}

const countedTogether: readonly Fault[] = kinds.slice(0, 2).map((kind) => ({
  id: `${kind.name}-attempts-counted-together`,
  title: `Counts the attempts at all events of one of ${kind.noun} together, and sends none again after the last.`,
  breaks: kind.retry,
  caughtBy: `${kind.prefix}.retry.own-given-up`,
  make: countingTogether(kind, 8),
}));

/** A server that gives up every event that waits at an address once one of them was sent so often in vain. */
function givingUpTogether(kind: Kind, most: number): Make {
  const attempts = new Map<unknown, number>();
  const urls = new Map<unknown, string>();
  const lost = new Set<unknown>();
  return sendingThese(kind, async (webhook, send) => {
    const { eventId } = eventOf(webhook);
    if (lost.has(eventId)) return acknowledged;
    urls.set(eventId, webhook.url);
    const result = await send(webhook);
    const count = (attempts.get(eventId) ?? 0) + 1;
    attempts.set(eventId, count);
    if (isTaken(result) || count < most) return result;
    for (const [each, url] of urls) if (url === webhook.url) lost.add(each);
    return result;
  });
}

const givenUpTogether: readonly Fault[] = kinds.map((kind) => ({
  id: `${kind.name}-events-given-up-with-another`,
  title: `Gives up every event of ${kind.noun} that waits at an address once it has given up one of them.`,
  breaks: kind.retry,
  caughtBy: `${kind.prefix}.retry.beside-given-up`,
  make: givingUpTogether(kind, 8),
}));

/** A server that keeps one next attempt for an order and its refunds together: a failed attempt at the event of a refund takes that of its order. */
function besideItsOrder(): Make {
  const overtaken = new Set<unknown>();
  const idOf = ({ acquiringOrderId, orderId }: JsonObject) => acquiringOrderId ?? orderId;
  return sending(async (webhook, send) => {
    const event = eventOf(webhook);
    if (!isOfRefund(webhook)) return overtaken.has(idOf(event)) ? acknowledged : send(webhook);
    const result = await send(webhook);
    if (!isTaken(result)) overtaken.add(idOf(event));
    return result;
  });
}

const orderOvertaken: Fault = {
  id: 'order-event-given-up-for-that-of-its-refund',
  title: 'Gives up the event of a paid order that waits for its next attempt once one of its refund waits too.',
  breaks: 'webhooks.retry',
  caughtBy: 'webhooks.refund.retry.beside-its-order',
  make: besideItsOrder(),
};

/** A server that drops an event which waits for its next attempt as soon as there is another one of its key. */
function keepingTheNewest(keyOf: (event: JsonObject) => unknown): Make {
  const events = new Map<unknown, unknown[]>();
  return sending(async (webhook, send) => {
    const event = eventOf(webhook);
    const key = keyOf(event);
    const known = events.get(key) ?? [];
    events.set(key, known);
    if (!known.includes(event.eventId)) known.push(event.eventId);
    return known.at(-1) === event.eventId ? send(webhook) : acknowledged;
  });
}

/** What a server keeps one event of, in words and as a key. */
const keptForEach: readonly {
  id: string;
  words: string;
  kinds: readonly Kind['name'][];
  keyOf(event: JsonObject): unknown;
}[] = [
  { id: 'order', words: 'order', kinds: ['order', 'refund'], keyOf: ({ acquiringOrderId }) => acquiringOrderId },
  {
    id: 'merchant',
    words: 'merchant',
    kinds: ['order', 'checkout-order'],
    keyOf: ({ merchantId }) => merchantId ?? 'refunds',
  },
];

const supersededEvents: readonly Fault[] = keptForEach.flatMap(({ id, words, kinds: names, keyOf }) =>
  kinds
    .filter(({ name }) => names.includes(name))
    .flatMap((kind) => {
      const found = (how: string, title: string, breaks: RequirementId, make: Make): Fault => ({
        id: `${kind.name}-${how}-event-of-${id}`,
        title: `${title} ${words}; seen with ${kind.noun}.`,
        breaks,
        caughtBy: `${kind.prefix}.retry.newer-event`,
        make,
      });
      return [
        found(
          'waiting',
          'Drops a new event while another one waits for its next attempt, of the same',
          kind.name === 'refund' ? 'webhooks.refund.notify-url' : 'webhooks.order.paid',
          keepingTheWaiting(keyOf),
        ),
        found(
          'newest',
          'Gives up an event that waits for its next attempt once there is another one of the same',
          'webhooks.retry',
          keepingTheNewest(keyOf),
        ),
      ];
    }),
);

/** Wrong servers that drop events, or give them up, for the sake of others or because of them. */
export const givenUpWebhookFaults: readonly Fault[] = [
  ...supersededEvents,
  ...givenUp,
  ...merchantsGivenUp,
  ...othersSilenced,
  ...countedTogether,
  ...givenUpTogether,
  orderOvertaken,
];
