import { createHmac } from 'node:crypto';
import type { Choices } from '../../generated/catalogue.ts';
import type { SignedAttempt } from '../services/delivery/deliver.ts';
import { sign } from './request-signature.ts';

type Headers = Record<string, string>;

/**
 * The headers of one attempt (open point `webhook-signature`). Signatures are made over `payload` as it is sent, in UTF-8, one
 * under each secret, separated by spaces.
 *
 * @throws TypeError when `url` is no URL
 */
export const webhookHeaders: Readonly<Record<Choices['webhook-signature'], (attempt: SignedAttempt) => Headers>> = {
  prefixed: (attempt) => ({ ...contentType, ...prefixedScheme(attempt), ...standardWebhooks(attempt) }),
  both: (attempt) => ({ ...contentType, ...requestScheme(attempt), ...standardWebhooks(attempt) }),
  'request-scheme': (attempt) => ({ ...contentType, ...requestScheme(attempt) }),
  'standard-webhooks': (attempt) => ({ ...contentType, ...standardWebhooks(attempt) }),
};

const contentType = { 'Content-Type': 'application/json' };

/** The first line of a signature string of a webhook. The signature string of a request begins with digits. */
const webhookLine = 'webhook';

/** The scheme of the merchant's own requests, with a line before the signature string that no request has. */
function prefixedScheme(attempt: SignedAttempt): Headers {
  const timestamp = String(attempt.now);
  return signedAt(timestamp, `${webhookLine}\n${timestamp}`, attempt);
}

/** The scheme of the merchant's own requests. */
function requestScheme(attempt: SignedAttempt): Headers {
  const timestamp = String(attempt.now);
  return signedAt(timestamp, timestamp, attempt);
}

/** The headers of an attempt whose signature string begins with `start`. */
function signedAt(timestamp: string, start: string, { url, payload, secrets }: SignedAttempt): Headers {
  // The parsed URL's path is what the request line will say; its query is not signed.
  const { pathname: path } = new URL(url);
  const body = Buffer.from(payload);
  const request = { timestamp: start, method: 'POST', path, query: undefined, body };
  return { 'X-Timestamp': timestamp, 'X-Signature': secrets.map((secret) => sign(request, secret)).join(' ') };
}

function standardWebhooks({ payload, eventId, secrets, now }: SignedAttempt): Headers {
  const seconds = String(Math.floor(now / 1000));
  return {
    'webhook-id': eventId,
    'webhook-timestamp': seconds,
    'webhook-signature': secrets.map((secret) => standardSignature(secret, eventId, seconds, payload)).join(' '),
  };
}

/** A signature of Standard Webhooks, version 1. A key that is text counts as its UTF-8 bytes. */
export function standardSignature(key: string | Buffer, id: string, seconds: string, payload: string): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${payload}`).digest('base64')}`;
}
