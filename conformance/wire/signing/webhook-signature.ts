import { createHmac } from 'node:crypto';
import type { Webhook } from '../mailbox.ts';
import { signatureOf } from './signature.ts';

/** A way to sign webhooks, as the open point webhook-signature names it. */
export type WebhookScheme = 'prefixed' | 'request-scheme' | 'standard-webhooks';

/** The known schemes, for people. */
export const knownSchemes =
  'the scheme of the requests, with or without the line `webhook` first, or that of Standard Webhooks';

type Signed = Pick<Webhook, 'method' | 'paths' | 'query' | 'headers' | 'body' | 'encoded'>;

/** The bytes that a sender may have signed: those of the body, and of that as it came. */
const bodiesOf = ({ body, encoded }: Signed): Buffer[] => [body, ...(encoded ? [encoded] : [])];

/** The schemes by which the signature of a webhook is right for a merchant's API secret. */
export function verifyingSchemes(webhook: Signed, secret: string): WebhookScheme[] {
  return [
    ...(isSignedAsRequest(webhook, secret, 'webhook\n') ? (['prefixed'] as const) : []),
    ...(isSignedAsRequest(webhook, secret, '') ? (['request-scheme'] as const) : []),
    ...(isStandardWebhook(webhook, secret) ? (['standard-webhooks'] as const) : []),
  ];
}

/** The names of headers that may carry a signature. */
export function signatureHeaders({ headers }: Pick<Webhook, 'headers'>): string[] {
  return Object.keys(headers).filter((name) => /sign|hmac|digest|jws|jwt|^authorization$/i.test(name));
}

/** Ways to write the 32 bytes of a signature that are not the usual one, which is Base64, and how to write them in that. */
const encodings = [
  {
    words: 'the signature is written in hexadecimal instead of Base64',
    form: /[0-9a-f]{64}/gi,
    inBase64: (text: string) => Buffer.from(text, 'hex').toString('base64'),
  },
  {
    words: 'the signature is written in the URL-safe form of Base64',
    form: /[A-Za-z0-9_-]{43}(?![A-Za-z0-9+/_-])=?/g,
    inBase64: (text: string) => Buffer.from(text, 'base64url').toString('base64'),
  },
];

/** The mistake in a signature that a scheme does not verify, in words. `undefined`: it is none of the usual ones. */
export function webhookMistake(
  webhook: Signed,
  { apiKey, apiSecret }: { apiKey: string; apiSecret: string },
): string | undefined {
  const carriers = signatureHeaders(webhook);
  const right = verifyingSchemes(webhook, apiSecret);
  const isMadeRight = (changes: Partial<Signed>, secret = apiSecret) =>
    verifyingSchemes({ ...webhook, ...changes }, secret).some((scheme) => !right.includes(scheme));
  const encoding = encodings.find(({ form, inBase64 }) => {
    const rewritten = carriers.map((name) => [name, webhook.headers[name]?.replace(form, inBase64) ?? '']);
    return isMadeRight({ headers: { ...webhook.headers, ...Object.fromEntries(rewritten) } });
  });
  if (encoding) return encoding.words;
  if (isMadeRight({}, apiKey)) return 'it is signed with the API key instead of the API secret';
  const { paths, query } = webhook;
  if (isMadeRight({ paths: paths.map(decodedPath) })) {
    return 'the path of the address is signed decoded, but it belongs there as it stands in the address';
  }
  if (paths.includes('/') && isMadeRight({ paths: [''] })) {
    return 'an empty path is signed, but an address without a path is called at /';
  }
  if (query !== '' && isMadeRight({ paths: paths.map((path) => `${path}${query}`) })) {
    return "the query of the address is signed with its path, but a POST's string to sign has the path alone";
  }
  return undefined;
}

/** A path with its escapes undone, or as it is where one of them is broken. */
function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * True when X-Timestamp and one signature of X-Signature are those of a signed request to the path of the callback address,
 * with `prefix` before its signature string.
 */
function isSignedAsRequest(webhook: Signed, secret: string, prefix: string): boolean {
  const { method, paths, headers } = webhook;
  const timestamp = headers['x-timestamp'];
  if (timestamp === undefined) return false;
  const given = headers['x-signature']?.split(' ') ?? [];
  return bodiesOf(webhook).some((body) =>
    paths.some((path) =>
      given.includes(signatureOf({ timestamp: `${prefix}${timestamp}`, method, path, body }, secret)),
    ),
  );
}

/** True when the three headers of Standard Webhooks fit. The key is the secret's text, or its text read as Base64. */
function isStandardWebhook(webhook: Signed, secret: string): boolean {
  const { headers } = webhook;
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    (name) => headers[name],
  );
  if (id === undefined || timestamp === undefined || signatures === undefined) return false;
  const keys = [Buffer.from(secret), Buffer.from(secret.replace(/^whsec_/, ''), 'base64')];
  const rightOnes = keys.flatMap((key) =>
    bodiesOf(webhook).map((body) =>
      createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64'),
    ),
  );
  return signatures.split(' ').some((each) => rightOnes.some((right) => each === `v1,${right}`));
}
