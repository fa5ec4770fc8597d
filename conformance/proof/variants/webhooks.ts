import { setTimeout as delay } from 'node:timers/promises';
import { standardSignature } from '../../../server/signing/webhook-signature.ts';
import { bodyOf, storing } from '../stand/changes.ts';
import type { Make, Variant } from '../stand/fault.ts';
import { followingRedirects, sending } from '../stand/webhook-changes.ts';

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

/** A server that sends each webhook as a form, signed by Standard Webhooks alone. */
const sendingForms: NonNullable<Make['parts']> = (parts) => {
  const secrets: string[] = [];
  const { storage } = storing((records) => ({
    insertApiKey: (key) => {
      secrets.push(key.apiSecret);
      return records.insertApiKey(key);
    },
  }))(parts);
  return {
    ...parts,
    storage,
    send: async ({ url, headers, body }) => {
      const { acquiringOrderId, merchantRefundOrderId } = bodyOf({ body: Buffer.from(body) }) ?? {};
      const form = new URLSearchParams({ reference: String(merchantRefundOrderId ?? acquiringOrderId) }).toString();
      const [id, seconds] = [headers['webhook-id'] ?? '', headers['webhook-timestamp'] ?? ''];
      const given = headers['webhook-signature']?.split(' ');
      const isKey = (secret: string) => given?.includes(standardSignature(secret, id, seconds, body));
      const signed = {
        'Content-Type': 'application/x-www-form-urlencoded',
        'webhook-id': id,
        'webhook-timestamp': seconds,
        'webhook-signature': standardSignature(secrets.find(isKey) ?? '', id, seconds, form),
      };
      await delay(60);
      await parts.send({ url, headers: signed, body: form });
      return parts.send({ url, headers: signed, body: form });
    },
  };
};

/** Conforming servers that use what the contract leaves free about webhooks. */
export const webhookVariants: readonly Variant[] = [
  {
    id: 'webhooks-otherwise',
    title: 'Sends webhooks as form data that names no status, signed by Standard Webhooks, twice, and a little late.',
    make: { parts: sendingForms },
  },
  {
    id: 'webhooks-redirects-followed',
    title: 'Follows redirects when it sends webhooks; HTTP 200 there acknowledges.',
    make: sending((webhook, send) => followingRedirects(send)(webhook)),
  },
  {
    id: 'webhooks-one-retry',
    title: 'Sends a webhook that was not acknowledged once more, after an hour of business time, and then gives up.',
    make: retryingOnce,
  },
  {
    id: 'webhooks-repeated',
    title: 'Sends every webhook that was answered with HTTP 200 once more.',
    make: sending(async (webhook, send) => {
      const result = await send(webhook);
      if ('httpStatus' in result && result.httpStatus === 200) await send(webhook);
      return result;
    }),
  },
];
