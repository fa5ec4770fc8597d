import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { standardSignature } from '../../../server/signing/webhook-signature.ts';
import { bodyOf, storing } from '../stand/changes.ts';
import type { Make, Variant } from '../stand/fault.ts';
import { overKeptConnections } from '../stand/kept-connections.ts';
import { acknowledged, eventOf, followingRedirects, sendAs, sending } from '../stand/webhook-changes.ts';

const hour = 3_600_000;

/** A server that sends a webhook again once, after an hour of business time, and then gives up. */
const retryingOnce: Make = {
  parts: storing((records) => ({
    updateDelivery: (delivery) => {
      const last = delivery.attempts.at(-1);
      if (delivery.status !== 'pending' || !last) return records.updateDelivery(delivery);
      if (delivery.attempts.length > 1)
        return records.updateDelivery({ ...delivery, status: 'exhausted', dueAt: null });
      return records.updateDelivery({ ...delivery, dueAt: last.at + hour });
    },
  })),
};

/** A body in another form than the reference server's, and its content type. */
type Rewritten = readonly [body: string, type: string];

/** A server that sends bodies in a form of its own, signed by Standard Webhooks alone. */
export function rewriting(rewrite: (body: string) => Rewritten, times = 1): Make {
  const secrets: string[] = [];
  return {
    parts: storing((records) => ({
      insertApiKey: (key) => {
        secrets.push(key.apiSecret);
        return records.insertApiKey(key);
      },
    })),
    webhooks:
      () =>
      async ({ url, headers, body }, send) => {
        const [written, type] = rewrite(body);
        const [id, seconds] = [headers['webhook-id'] ?? '', headers['webhook-timestamp'] ?? ''];
        const given = headers['webhook-signature']?.split(' ');
        const isKey = (secret: string) => given?.includes(standardSignature(secret, id, seconds, body));
        const signed = {
          'Content-Type': type,
          'webhook-id': id,
          'webhook-timestamp': seconds,
          'webhook-signature': standardSignature(secrets.find(isKey) ?? '', id, seconds, written),
        };
        const webhook = { url, headers: signed, body: written };
        if (times > 1) await delay(60);
        for (let time = 1; time < times; time += 1) await send(webhook);
        return send(webhook);
      },
  };
}

/** A server that sends each webhook as a form, twice and a little late. Also the result of a refund names the order alone. */
const sendingForms = rewriting((body) => {
  const { acquiringOrderId } = bodyOf({ body: Buffer.from(body) }) ?? {};
  const form = new URLSearchParams({ order: String(acquiringOrderId) });
  return [form.toString(), 'application/x-www-form-urlencoded'];
}, 2);

/** A server that sends a webhook that was not acknowledged twice more at once, and then gives up. */
const retryingAtOnce = sending(async (webhook, send) => {
  for (let attempt = 1; attempt < 3; attempt += 1) {
    const result = await send(webhook);
    if ('httpStatus' in result && result.httpStatus === 200) return result;
  }
  await send(webhook);
  return { httpStatus: 200 };
});

/** A server whose webhooks show an order as it is when they are sent, also those of an earlier change that are sent again. */
function sendingCurrentState(): Make {
  const ends = new Map<unknown, unknown>();
  return rewriting((body) => {
    const event = bodyOf({ body: Buffer.from(body) }) ?? {};
    const { acquiringOrderId: id, refundOrderId, status } = event;
    if (refundOrderId !== undefined) return [body, 'application/json'];
    if (status !== 'PROCESSING') ends.set(id, status);
    return [JSON.stringify({ ...event, status: ends.get(id) ?? status }), 'application/json'];
  });
}

/** JSON in which every letter, digit and slash of a text is an escape, in names too. */
const escaped = (body: string): string =>
  body.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, (written) =>
    JSON.stringify(JSON.parse(written)).replace(/(\\(?:u[0-9a-f]{4}|.))|[A-Za-z0-9]|\//g, (unit, kept?: string) => {
      if (kept !== undefined) return kept;
      return unit === '/' ? '\\/' : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    }),
  );

/** A server that asks an address what it takes before it sends an event there, as receivers of CloudEvents are asked. */
const askingFirst = sending(async (webhook, send) => {
  await sendAs('OPTIONS', { ...webhook, headers: { 'webhook-request-origin': 'pay.example' }, body: '' });
  return send(webhook);
});

/** A body with a further object, which has a status of its own that is one of refunds. */
const withRisk = (body: string): string =>
  JSON.stringify({ ...bodyOf({ body: Buffer.from(body) }), risk: { score: 0.1, status: 'PENDING' } });

/** A server that sends one webhook after the other: as long as one waits for its answer, the others wait too. */
function sendingInTurn(): Make {
  let last: Promise<unknown> = Promise.resolve();
  return sending((webhook, send) => {
    const sent = last.then(() => send(webhook));
    last = sent;
    return sent;
  });
}

/** A server that compresses the body of a webhook once it has signed it. */
const compressing = sending((webhook) =>
  sendAs('POST', {
    ...webhook,
    headers: { ...webhook.headers, 'Content-Encoding': 'gzip' },
    body: gzipSync(webhook.body),
  }),
);

/** How often an event is sent before a sender goes on to the next one of the same order or refund. */
const mostAttempts = 4;

/** A server that sends no later event of an order or a refund before the earlier one was taken, or was sent often enough. */
function sendingInOrder(): Make {
  const open = new Map<unknown, { body: string; attempts: number }>();
  return sending(async (webhook, send) => {
    const { acquiringOrderId, refundOrderId } = eventOf(webhook);
    const id = refundOrderId ?? acquiringOrderId;
    const first = open.get(id) ?? { body: webhook.body, attempts: 0 };
    if (first.body !== webhook.body) return { error: 'it waits for the event before it' };
    first.attempts += 1;
    open.set(id, first);
    const result = await send(webhook);
    const isTaken = 'httpStatus' in result && result.httpStatus === 200;
    if (isTaken || first.attempts === mostAttempts) open.delete(id);
    return first.attempts === mostAttempts ? acknowledged : result;
  });
}

/** Conforming servers that use what the contract leaves free about webhooks. */
export const webhookVariants: readonly Variant[] = [
  {
    id: 'webhooks-otherwise',
    title:
      'Sends webhooks as form data that names the order and no status, signed by Standard Webhooks, twice, and a little late.',
    area: 'webhooks',
    make: sendingForms,
  },
  {
    id: 'webhooks-escaped',
    title:
      'Sends webhooks in which every letter, digit and slash of a text is written as a JSON escape, with the status of something else beside their own.',
    area: 'webhooks',
    make: rewriting((body) => [escaped(withRisk(body)), 'application/json']),
  },
  {
    id: 'webhooks-retried-at-once',
    title: 'Sends a webhook that was not acknowledged twice more at once, and then gives up.',
    area: 'webhooks',
    make: retryingAtOnce,
  },
  {
    id: 'webhooks-of-current-state',
    title: 'Sends a webhook again with the status that the order has by then.',
    area: 'webhooks',
    make: sendingCurrentState(),
  },
  {
    id: 'webhooks-addresses-asked-first',
    title: 'Sends an OPTIONS request to an address before each webhook that it posts there.',
    area: 'webhooks',
    make: askingFirst,
  },
  {
    id: 'webhooks-redirects-followed',
    title: 'Follows redirects when it sends webhooks; HTTP 200 there acknowledges.',
    area: 'webhooks',
    make: sending((webhook, send) => followingRedirects(send)(webhook)),
  },
  {
    id: 'webhooks-late',
    title:
      'Sends every webhook four seconds after its event, and the one of a payment that was seen two seconds later still.',
    make: sending(async (webhook, send) => {
      await delay(eventOf(webhook).status === 'PROCESSING' ? 6000 : 4000);
      return send(webhook);
    }),
  },
  {
    id: 'webhooks-over-kept-connections',
    title: 'Sends webhooks over connections that it keeps, and breaks the new ones off that it turns out not to need.',
    area: 'webhooks',
    make: { webhooks: overKeptConnections },
  },
  {
    id: 'webhooks-in-turn',
    title: 'Sends one webhook after the other, so that one without an answer holds up the others.',
    make: sendingInTurn(),
  },
  {
    id: 'webhooks-compressed',
    title: 'Compresses the bodies of webhooks after it has signed them.',
    area: 'webhooks',
    make: compressing,
  },
  {
    id: 'webhooks-in-order',
    title: 'Sends no later event of an order or a refund before the earlier one was taken, or was sent four times.',
    area: 'webhooks',
    make: sendingInOrder(),
  },
  {
    id: 'webhooks-one-retry',
    title: 'Sends a webhook that was not acknowledged once more, after an hour of business time, and then gives up.',
    area: 'webhooks',
    make: retryingOnce,
  },
  {
    id: 'webhooks-repeated',
    title: 'Sends every webhook that was answered with HTTP 200 once more.',
    area: 'webhooks',
    make: sending(async (webhook, send) => {
      const result = await send(webhook);
      if ('httpStatus' in result && result.httpStatus === 200) await send(webhook);
      return result;
    }),
  },
];
