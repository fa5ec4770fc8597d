import { createHmac } from 'node:crypto';
import { sign } from '../http/signature.ts';
import type { SignedAttempt } from '../services/deliver.ts';

/**
 * The headers of one attempt: the signature by the scheme of the merchant's own requests and the one of Standard Webhooks
 * (open point `webhook-signature`). Both are made over `payload` as it is sent, in UTF-8.
 *
 * @throws TypeError when `url` is no URL
 */
export function webhookHeaders({ url, payload, eventId, secret, now }: SignedAttempt): Record<string, string> {
  const timestamp = String(now);
  const seconds = String(Math.floor(now / 1000));
  // The parsed URL's path is what the request line will say; its query is not signed.
  const { pathname: path } = new URL(url);
  const body = Buffer.from(payload);
  return {
    'Content-Type': 'application/json',
    'X-Timestamp': timestamp,
    'X-Signature': sign({ timestamp, method: 'POST', path, query: undefined, body }, secret),
    'webhook-id': eventId,
    'webhook-timestamp': seconds,
    'webhook-signature': standardSignature(secret, eventId, seconds, payload),
  };
}

/** A signature of Standard Webhooks, version 1. A key that is text counts as its UTF-8 bytes. */
export function standardSignature(key: string | Buffer, id: string, seconds: string, payload: string): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${payload}`).digest('base64')}`;
}
