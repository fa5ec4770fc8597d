import type { SignatureMistakeCode } from '../../../generated/catalogue-ids.ts';
import { wrongSignatures } from '../../wire/signing/mistakes.ts';
import { signatureOf } from '../../wire/signing/signature.ts';
import { type alsoTaking, bodyOf, isRightlySigned, isSignedWith, merchantIdOf, spoiled } from './changes.ts';
import { type Handler, type ProxyRequest, resigned, signed, splitTarget, toSign } from './proxy.ts';

/** Whether a wrong server takes a request that the reference server refuses, given the merchant of the path. */
export type Takes = Parameters<typeof alsoTaking>[0];

export const timestampOf = ({ headers }: ProxyRequest): string => headers['x-timestamp'] ?? '';
export const signatureIn = ({ headers }: ProxyRequest): string => headers['x-signature'] ?? '';

/** Milliseconds by which a request's timestamp is behind the clock. */
export const ageOf = (request: ProxyRequest): number => Date.now() - Number(timestampOf(request));

/** The signature that a request should have under this secret. */
const rightSignature = (request: ProxyRequest, secret: string) => signatureOf(toSign(request), secret);

/** Takes a request whose header of this name has this value; `undefined`: is absent. */
const withHeader =
  (name: string, value: string | undefined): Takes =>
  ({ headers }) =>
    headers[name] === value;

const isKnownKey: Takes = ({ headers }, _, server) => server.owner(headers['x-api-key'] ?? '') !== undefined;

/** Takes a request that the owner of its key has signed rightly, if its timestamp passes. */
const ofTime =
  (passes: (request: ProxyRequest) => boolean): Takes =>
  (request, _, server) =>
    passes(request) && isRightlySigned(request, server);

/** Takes a signature that is made with one of these mistakes. */
export const withMistake =
  (codes: readonly SignatureMistakeCode[]): Takes =>
  (request, { apiSecret }) =>
    codes.some((code) =>
      wrongSignatures[code](toSign(request), apiSecret, { origin: `http://${request.headers.host}` }).includes(
        signatureIn(request),
      ),
    );

/** A server that wants signatures made with a mistake, and takes the right one only where a request leaves no way to make it. */
export function expectingMistake(code: SignatureMistakeCode): Handler {
  return (request, server) => {
    const owner = server.owner(request.headers['x-api-key'] ?? '');
    if (!owner) return server.forward(spoiled(request));
    const expected = wrongSignatures[code](toSign(request), owner.apiSecret);
    const isTaken = expected.length === 0 ? isRightlySigned(request, server) : expected.includes(signatureIn(request));
    return server.forward(isTaken ? resigned(request, owner) : spoiled(request));
  };
}

/** For each rule that no mistake of the catalogue breaks, the requests that a server takes which does not keep it. */
export const takesByRule: Readonly<Record<string, Takes>> = {
  unsigned: ({ headers }) => ['x-api-key', 'x-timestamp', 'x-signature'].every((name) => headers[name] === undefined),
  'key-missing': (request, { apiSecret }) =>
    request.headers['x-api-key'] === undefined && isSignedWith(request, apiSecret),
  'key-empty': (request, { apiSecret }) => request.headers['x-api-key'] === '' && isSignedWith(request, apiSecret),
  'timestamp-missing': withHeader('x-timestamp', undefined),
  'timestamp-empty': withHeader('x-timestamp', ''),
  'signature-missing': withHeader('x-signature', undefined),
  'signature-empty': withHeader('x-signature', ''),
  'unknown-key': (request, merchant, server) =>
    !isKnownKey(request, merchant, server) && isSignedWith(request, merchant.apiSecret),
  'unknown-key-guessed': (request, merchant, server) =>
    !isKnownKey(request, merchant, server) && isSignedWith(request, ''),
  'guessed-secret': (request, { apiKey }) => isSignedWith(request, apiKey),
  'other-merchant': (request, _, server) => isRightlySigned(request, server),
  'other-secret': (request, _, server) =>
    [...server.merchants()].some(({ apiSecret }) => isSignedWith(request, apiSecret)),
  'other-key': (request, merchant, server) =>
    isKnownKey(request, merchant, server) && isSignedWith(request, merchant.apiSecret),
  'wrong-signature': (request) => signatureIn(request).length === 44,
  'signature-cut': (request, { apiSecret }) =>
    signatureIn(request).length >= 20 && rightSignature(request, apiSecret).startsWith(signatureIn(request)),
  'signature-appended': (request, { apiSecret }) => signatureIn(request).startsWith(rightSignature(request, apiSecret)),
  'signature-case': (request, { apiSecret }) =>
    signatureIn(request).toLowerCase() === rightSignature(request, apiSecret).toLowerCase(),
  'long-body': ({ body }) => body.length > 0xffff,
  'another-query': (request, { apiSecret }) => {
    const kept = splitTarget(request.target).query?.split('&').slice(0, -1).join('&');
    return isSignedWith(request, apiSecret, { query: kept || undefined });
  },
  'another-body': (request, { apiSecret }) =>
    isSignedWith(request, apiSecret, { body: Buffer.from(request.body.toString('utf8').trimEnd()) }),
  'too-old': ofTime((request) => ageOf(request) > 0),
  'too-early': ofTime((request) => ageOf(request) < 0),
  'timestamp-seconds': ofTime((request) => /^[0-9]{10}$/.test(timestampOf(request))),
  'timestamp-form': ofTime((request) => !/^([0-9]{10}|[0-9]{13})$/.test(timestampOf(request))),
};

/** A server that acts for the merchant of the key where there is none in the path. */
export const actingForTheKey: Handler = (request, server) => {
  const owner = server.owner(request.headers['x-api-key'] ?? '');
  if (!owner || server.merchant(merchantIdOf(request)) || !isRightlySigned(request, server))
    return server.forward(request);
  const target = request.target.replace(/(?<=\/merchants\/)[^/?]+/, encodeURIComponent(owner.merchantId));
  return server.forward(signed({ ...request, target }, owner));
};

/** A server that verifies signatures over other parts than those of the request. */
export const verifyingOver =
  (change: (parts: ReturnType<typeof toSign>) => ReturnType<typeof toSign>): Handler =>
  (request, server) => {
    const merchant = server.merchant(merchantIdOf(request));
    const parts = toSign(request);
    const verified = change(parts);
    if (!merchant || (verified.path === parts.path && verified.query === parts.query)) return server.forward(request);
    const verifies = isSignedWith(request, merchant.apiSecret, verified);
    return server.forward(verifies ? signed(request, merchant) : spoiled(request));
  };

const hasEscape = (text = '') => /%[0-9A-F]{2}/i.test(text);

/** For each form of a right request, the requests whose signature a server finds wrong which does not know the form. */
export const findsWrongByForm: Readonly<Record<string, (request: ProxyRequest) => boolean>> = {
  signed: () => true,
  'inside-past': (request) => ageOf(request) > 60_000,
  'inside-future': (request) => ageOf(request) < -60_000,
  'path-as-sent': ({ target }) => hasEscape(splitTarget(target).path),
  'query-as-sent': ({ target }) => {
    const { query = '' } = splitTarget(target);
    return query !== query.split('&').toSorted().join('&');
  },
  'body-as-sent': (request) => {
    const body = bodyOf(request);
    return body !== undefined && JSON.stringify(body) !== request.body.toString('utf8');
  },
  'body-escaped': ({ body }) => body.includes('\\u00'),
  headers: ({ headerNames }) => !headerNames.includes('X-Signature'),
  'content-type': ({ headers }) => /charset/i.test(headers['content-type'] ?? ''),
  'further-headers': ({ headerNames }) => headerNames.length > 20,
  'content-type-without-body': ({ headers }) => headers['content-type'] !== undefined,
};
