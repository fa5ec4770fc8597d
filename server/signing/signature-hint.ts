import { createHash, createHmac } from 'node:crypto';
import { type SignedRequest, sign, signatureString } from './request-signature.ts';

/**
 * Explains why a signature is wrong; `presented` is that signature. `undefined`: this request is not explained.
 */
export type ExplainSignature = (request: SignedRequest, secret: string, presented: string) => string | undefined;

/** The bytes of a body up to which mistakes are sought, and the depth of JSON up to which it is written again for that. */
const [largestGuessed, deepestRewritten] = [16 * 1024, 32];

/** A text of JSON, whose brackets mean nothing. */
const jsonText = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/** A usual mistake in making a signature, and the part of the signature string that it concerns. */
interface Guess {
  part: string;
  mistake: string;
  /** The signatures that the mistake leads to for a request. */
  signatures(request: SignedRequest, secret: string): string[];
}

const base64 = (text: string, secret: string) => createHmac('sha256', secret).update(text).digest('base64');
const hashHex = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

/** The guess that another form of the request was signed correctly. */
function otherRequest(
  part: string,
  mistake: string,
  change: (request: SignedRequest) => Partial<SignedRequest>[],
): Guess {
  const signatures = (request: SignedRequest, secret: string) =>
    change(request).map((changes) => sign({ ...request, ...changes }, secret));
  return { part, mistake, signatures };
}

/** The guess that another signature string was signed. */
function otherText(part: string, mistake: string, change: (text: string, request: SignedRequest) => string[]): Guess {
  const signatures = (request: SignedRequest, secret: string) =>
    change(signatureString(request), request).map((text) => base64(text, secret));
  return { part, mistake, signatures };
}

const replaceLast = (text: string, last: string) => [...text.split('\n').slice(0, 3), last].join('\n');

const guesses: readonly Guess[] = [
  {
    part: 'signature',
    mistake: 'it was written in hexadecimal instead of Base64',
    signatures: (request, secret) => [Buffer.from(sign(request, secret), 'base64').toString('hex')],
  },
  otherText('separator', 'the parts were joined with something else than one line feed', (text) => [
    text.replaceAll('\n', '\r\n'),
    text.replaceAll('\n', ''),
    text.replaceAll('\n', '\\n'),
    `${text}\n`,
  ]),
  otherRequest('timestamp', 'it was signed in seconds instead of milliseconds', ({ timestamp }) => [
    { timestamp: timestamp.slice(0, -3) },
  ]),
  otherText('method', 'it was signed in lower case', (text, { method }) => [
    text.replace(method, method.toLowerCase()),
  ]),
  otherRequest('path', 'it was signed with its query, decoded, or without /api/v1', ({ path, query }) => [
    { path: `${path}?${query ?? ''}` },
    { path: path.replace(/^\/api\/v1/, '') },
    ...(path.includes('%') ? [{ path: decoded(path) }] : []),
  ]),
  otherText('hash', 'it was left out, or written in hexadecimal', (text, { body, query }) => [
    text.split('\n').slice(0, 3).join('\n'),
    replaceLast(text, hashHex(query ?? body)),
    replaceLast(text, createHash('sha256').update('').digest('base64')),
  ]),
  otherRequest('query', 'it was hashed with its question mark, decoded or re-ordered', ({ query }) =>
    query === undefined
      ? []
      : [{ query: `?${query}` }, { query: decoded(query) }, { query: query.split('&').sort().join('&') }],
  ),
  otherRequest('body', 'it was serialised again between hashing and sending, or trimmed', ({ body }) =>
    rewritten(body),
  ),
];

/**
 * Explains a wrong signature to people who try out a sandbox: names the part that differs if a usual mistake explains it,
 * and shows the signature string that the server makes. It shows neither the secret nor the right signature.
 */
export function signatureHint(request: SignedRequest, secret: string, presented: string): string {
  // Each guess hashes the body again.
  const isSmall = request.body.length <= largestGuessed;
  const guess = isSmall ? guesses.find(({ signatures }) => signatures(request, secret).includes(presented)) : undefined;
  const differs = guess ? `The ${guess.part} differs: ${guess.mistake}. ` : '';
  const hashed = request.query === undefined ? `${request.body.length} bytes of body` : 'the query as sent';
  const parts = signatureString(request)
    .split('\n')
    .map((part) => JSON.stringify(part));
  const fourth = parts.length > 3 ? `; the last is Base64(SHA256(${hashed}))` : '';
  return `${differs}The server joins these parts by line feeds and signs them: ${parts.join(', ')}${fourth}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The forms in which a small and shallow body may have been written before. Indenting deep JSON makes it very much larger. */
function rewritten(body: Buffer): { body: Buffer }[] {
  const text = body.toString('utf8');
  if (depthOf(text) > deepestRewritten) return [];
  const forms = [text.trim()];
  try {
    const value: unknown = JSON.parse(text);
    forms.push(JSON.stringify(value), JSON.stringify(value, null, 2), JSON.stringify(value, null, 4));
  } catch {
    // A body that is not JSON was not serialised again.
  }
  return forms.filter((form) => form !== text).map((form) => ({ body: Buffer.from(form) }));
}

/** How deep the arrays and objects of a JSON text are nested. */
function depthOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const [bracket] of text.replace(jsonText, '').matchAll(/[[{}\]]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
