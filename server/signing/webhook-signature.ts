import { createHmac } from 'node:crypto';
import type { Choices } from '../../generated/catalogue.ts';
import type { SignedAttempt } from '../services/delivery/deliver.ts';
import { sign } from './request-signature.ts';

type Headers = Record<string, string>;

/**
 * The headers of one attempt (open point `webhook-signature`). Signatures are made over `payload` as it is sent, in UTF-8.
 *
 * @throws TypeError when `url` is no URL
 */
export const webhookHeaders: Readonly<Record<Choices['webhook-signature'], (attempt: SignedAttempt) => Headers>> = {
  both: (attempt) => ({ ...contentType, ...requestScheme(attempt), ...standardWebhooks(attempt) }),
  'request-scheme': (attempt) => ({ ...contentType, ...requestScheme(attempt) }),
  'standard-webhooks': (attempt) => ({ ...contentType, ...standardWebhooks(attempt) }),
};

const contentType = { 'Content-Type': 'application/json' };

/** The scheme of the merchant's own requests. */
function requestScheme({ url, payload, secret, now }: SignedAttempt): Headers {
  const timestamp = String(now);
  // The parsed URL's path is what the request line will say; its query is not signed.
  const { pathname: path } = new URL(url);
  const body = Buffer.from(payload);
  return {
    'X-Timestamp': timestamp,
    'X-Signature': sign({ timestamp, method: 'POST', path, query: undefined, body }, secret),
  };
}

function standardWebhooks({ payload, eventId, secret, now }: SignedAttempt): Headers {
  const seconds = String(Math.floor(now / 1000));
  return {
    'webhook-id': eventId,
    'webhook-timestamp': seconds,
    'webhook-signature': standardSignature(secret, eventId, seconds, payload),
  };
}

/** A signature of Standard Webhooks, version 1. A key that is text counts as its UTF-8 bytes. */
export function standardSignature(key: string | Buffer, id: string, seconds: string, payload: string): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${payload}`).digest('base64')}`;
}
