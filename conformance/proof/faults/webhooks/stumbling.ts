import { storing } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { acknowledged, eventOf, stumblingOver } from '../../stand/webhook-changes.ts';
import { type Kind, kinds, sendingThese } from './kind.ts';

/** What a server stumbles over in the answer of a receiver, so that it forgets the event, by the check that finds it. */
const stumbles: readonly { check: string; id: string; title: string; over: Parameters<typeof stumblingOver>[1] }[] = [
  { check: 'unread-body', id: 'long-answer', title: 'longer than 64 KiB', over: ({ length }) => length > 65_536 },
  { check: 'unread-body', id: 'broken-answer', title: 'broken off', over: ({ end }) => end === 'early' },
  { check: 'unread-body', id: 'endless-answer', title: 'not at its end in time', over: ({ end }) => end === 'never' },
  {
    check: 'unread-body',
    id: 'compressed-answer',
    title: 'said to be compressed',
    over: ({ headers }) => headers['content-encoding'] !== undefined,
  },
  {
    check: 'retry-after',
    id: 'time-to-retry',
    title: 'given with a Retry-After that is no whole number',
    over: ({ headers }) => headers['retry-after'] !== undefined && !/^[0-9]+$/.test(headers['retry-after']),
  },
  {
    check: 'retry-after',
    id: 'answer-with-a-wait',
    title: 'given with a Retry-After',
    over: ({ headers }) => headers['retry-after'] !== undefined,
  },
];

/** A server that forgets an event of which it has kept a NUL: in the event itself, or with its order. */
function forgettingNul(kind: Kind): Make {
  const orders = new Set<unknown>();
  const hasNul = (text: string) => text.includes('u0000');
  return {
    parts: storing((records) => ({
      insertOrder: (order) => {
        if (hasNul(JSON.stringify(order.request))) orders.add(order.orderId);
        return records.insertOrder(order);
      },
    })),
    ...sendingThese(kind, async (webhook, send) => {
      const isForgotten = hasNul(webhook.body) || orders.has(eventOf(webhook).orderId);
      return isForgotten ? acknowledged : send(webhook);
    }),
  };
}

/** Wrong servers that keep events where there can be no NUL, and forget those with one. */
export const nulWebhookFaults: readonly Fault[] = kinds.map((kind) => ({
  id: `${kind.name}-event-lost-at-nul`,
  title: `Forgets an event of ${kind.noun} that has a NUL.`,
  breaks: kind.announced,
  caughtBy: `webhooks.${kind.name}.odd-texts`,
  make: forgettingNul(kind),
}));

/** Wrong servers that forget an event whose receiver answers with a failure that they cannot read. */
export const stumblingWebhookFaults: readonly Fault[] = kinds.flatMap((kind, index) =>
  // Of the kinds after the first, one for each check.
  stumbles
    .filter((each) => index === 0 || stumbles.find(({ check }) => check === each.check) === each)
    .map(({ check, id, title, over }) => ({
      id: `${kind.name}-event-lost-at-${id}`,
      title: `Forgets an event of ${kind.noun} where the answer to it is ${title}.`,
      breaks: kind.retry,
      caughtBy: `${kind.prefix}.retry.${check}`,
      make: sendingThese(kind, (webhook, send) => stumblingOver(send, over)(webhook)),
    })),
);
