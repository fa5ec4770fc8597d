import { createHmac, hash } from 'node:crypto';
import {
  limits,
  type SignatureMistake,
  type SignatureMistakeCode,
  signatureMistakes,
} from '../../generated/catalogue.ts';
import { methodsWithBody, type SignedRequest, signatureString } from './request-signature.ts';
import { isDecodable } from './request-target.ts';
import { isSmall, reSerialised, trimmed } from './rewritten-body.ts';

/** A request with a wrong signature, and what is sent with it and may have been signed by mistake. */
export interface RefusedRequest extends SignedRequest {
  /** The value of Host. */
  host: string | undefined;
  /** The value of X-Api-Key. */
  apiKey?: string | undefined;
  /** The query as it was sent, even where none is signed. */
  sentQuery: string | undefined;
}

type Bytes = string | Buffer;

/** How a signature is made. A mistake changes a step. */
interface Steps {
  /** The signature string. */
  text: Bytes;
  key: Bytes;
  digest: (text: Bytes, key: Bytes) => Buffer;
  write: (digest: Buffer) => string;
}

/** The facts that mistakes start from. */
interface Start extends RefusedRequest {
  secret: string;
  /** The right signature string, and its parts. */
  text: string;
  parts: readonly string[];
  /** The query if it is hashed, and the body if it is and is small; else nothing. */
  hashedQuery: readonly string[];
  hashedBody: readonly Buffer[];
}

/** The ways in which a mistake is made, each with the steps that it changes. None: the request does not allow the mistake. */
type Mistake = (start: Start) => readonly Partial<Steps>[];

const timestampForm = new RegExp(String(limits['auth.timestamp.digits'].value));

const sha256 = (bytes: Bytes) => hash('sha256', bytes, 'buffer');
const hashOf = (bytes: Bytes) => hash('sha256', bytes, 'base64');
const hmac = (text: Bytes, key: Bytes, algorithm = 'sha256') => createHmac(algorithm, key).update(text).digest();
const base64 = (bytes: Bytes) => Buffer.from(bytes).toString('base64');
const hex = (bytes: Buffer) => bytes.toString('hex');

/** Each of these texts was signed. */
const signing = (texts: readonly Bytes[]) => texts.map((text) => ({ text }));
const withPart = ({ parts }: Start, place: number, values: readonly string[]) =>
  signing(values.map((value) => parts.with(place, value).join('\n')));
/** Each of these texts was the fourth part. */
const withFourth = ({ parts }: Start, values: readonly string[]) =>
  signing(values.map((value) => [...parts.slice(0, 3), value].join('\n')));
const firstThree = ({ parts }: Start) => parts.slice(0, 3).join('\n');
const decoded = (text: string) => (isDecodable(text) ? [decodeURIComponent(text), decodeURI(text)] : []);
/** The hexadecimal form of the hash, if there is a hash. */
const hashHex = ({ parts }: Start) => parts.slice(3).map((part) => hex(Buffer.from(part, 'base64')));
const pathWithQuery = ({ path, sentQuery }: Start) => (sentQuery === undefined ? [] : [`${path}?${sentQuery}`]);

/** The parameters of a query, sorted by their whole text and by their names. */
function sorted(query: string): string[] {
  const nameOf = (parameter: string) => parameter.slice(0, `${parameter}=`.indexOf('='));
  const byName = (one: string, other: string) =>
    nameOf(one) < nameOf(other) ? -1 : Number(nameOf(one) > nameOf(other));
  const parameters = query.split('&');
  return [parameters.toSorted().join('&'), parameters.toSorted(byName).join('&')];
}

/** The parameters of a query as common libraries encode them. */
function encodedAgain(query: string): string[] {
  const parameters = new URLSearchParams(query);
  const asComponents = [...parameters].map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return [`${parameters}`, `${parameters}`.replaceAll('+', '%20'), asComponents.join('&')];
}

/** What a proxy or a wrong base address often puts before a path. */
const usualPrefixes = [
  ...['/gateway', '/gw', '/proxy', '/api', '/v1', '/api/v1', '/openapi', '/open-api'],
  ...['/sandbox', '/merchant', '/pay', '/payment', '/payments', '/'],
];

/** The path without one segment or several at its beginning, and without its first slash. */
function shortened(path: string): string[] {
  const slashes = [...path.matchAll(/\//g)].map(({ index }) => index).slice(1);
  return [...slashes.map((index) => path.slice(index)), path.slice(1)];
}

/** All orders of these values. The first one is their own. */
const ordersOf = (values: readonly string[]): string[][] =>
  values.length === 0
    ? [[]]
    : values.flatMap((first, place) => ordersOf(values.toSpliced(place, 1)).map((others) => [first, ...others]));

const mistakes: Readonly<Record<SignatureMistakeCode, Mistake>> = {
  'signature-hex': () => [
    { write: hex },
    { write: (digest) => hex(digest).toUpperCase() },
    { write: (digest) => base64(hex(digest)) },
  ],
  'signature-without-padding': () => [{ write: (digest) => base64(digest).replaceAll('=', '') }],
  'signature-base64url': () => [
    { write: (digest) => digest.toString('base64url') },
    { write: (digest) => base64(digest).replaceAll('+', '-').replaceAll('/', '_') },
  ],
  'hmac-plain-sha256': () => [{ digest: sha256 }],
  'hmac-secret-appended': ({ text, secret }) =>
    signing([text + secret, `${text}\n${secret}`]).map((step) => ({ ...step, digest: sha256 })),
  'hmac-sha1': () => [{ digest: (text, key) => hmac(text, key, 'sha1') }],
  'hmac-sha512': () => [{ digest: (text, key) => hmac(text, key, 'sha512') }],
  'hmac-swapped': ({ text, secret }) => [{ text: secret, key: text }],
  'secret-base64-decoded': ({ secret }) => [{ key: Buffer.from(secret, 'base64') }],
  'secret-hex-decoded': ({ secret }) => (/^([0-9a-f]{2})+$/i.test(secret) ? [{ key: Buffer.from(secret, 'hex') }] : []),
  'secret-white-space': ({ secret }) =>
    [`${secret}\n`, `${secret}\r\n`, `${secret} `, ` ${secret}`, secret.trim()].map((key) => ({ key })),
  'secret-replaced': ({ apiKey, path }) =>
    [...(apiKey === undefined ? [] : [apiKey]), ...(/\/merchants\/([^/]+)/.exec(path)?.slice(1) ?? []), ''].map(
      (key) => ({
        key,
      }),
    ),
  // The server takes no other merchant's secret for the sake of a message.
  'secret-of-another-merchant': () => [],
  'timestamp-in-seconds': (start) =>
    timestampForm.test(start.timestamp)
      ? withPart(start, 0, [start.timestamp.slice(0, -3), String(Number(start.timestamp) / 1000)])
      : [],
  // The server does not know the other timestamp.
  'timestamp-of-another-request': () => [],
  'method-lower-case': (start) => withPart(start, 1, [start.method.toLowerCase()]),
  'path-full-url': (start) =>
    ['https://', 'http://']
      .map((scheme) => scheme + (start.host ?? ''))
      .flatMap((origin) => [
        ...withPart(
          start,
          2,
          [start.path, ...pathWithQuery(start)].map((target) => origin + target),
        ),
        ...signing(
          start.hashedQuery.map((query) => `${start.timestamp}\n${start.method}\n${origin}${start.path}?${query}`),
        ),
      ]),
  'path-with-query': (start) => withPart(start, 2, pathWithQuery(start)),
  'query-on-path-only': (start) => signing(start.hashedQuery.map((query) => `${firstThree(start)}?${query}`)),
  'path-decoded': (start) => withPart(start, 2, decoded(start.path)),
  'path-trailing-slash': (start) =>
    withPart(start, 2, [start.path.endsWith('/') ? start.path.slice(0, -1) : `${start.path}/`]),
  'path-without-api-prefix': (start) => withPart(start, 2, [start.path.replace(/\/api\/v1(?=\/|$)/, '')]),
  'path-shortened': (start) => withPart(start, 2, shortened(start.path)),
  'path-with-prefix': (start) =>
    withPart(
      start,
      2,
      usualPrefixes.map((prefix) => prefix + start.path),
    ),
  'query-with-question-mark': (start) =>
    methodsWithBody.has(start.method) || start.sentQuery === undefined
      ? []
      : withFourth(start, [hashOf(`?${start.sentQuery}`)]),
  'query-decoded': (start) =>
    withFourth(
      start,
      start.hashedQuery.flatMap((query) => [...decoded(query), ...decoded(query.replaceAll('+', ' '))]).map(hashOf),
    ),
  'query-re-encoded': (start) => withFourth(start, start.hashedQuery.flatMap(encodedAgain).map(hashOf)),
  'query-sorted': (start) => withFourth(start, start.hashedQuery.flatMap(sorted).map(hashOf)),
  'query-not-hashed': (start) =>
    withFourth(
      start,
      start.hashedQuery.flatMap((query) => [query, base64(query)]),
    ),
  'query-left-out': (start) => signing(start.hashedQuery.map(() => firstThree(start))),
  'body-left-out': (start) => (methodsWithBody.has(start.method) ? signing([firstThree(start)]) : []),
  'body-not-hashed': (start) =>
    start.hashedBody.flatMap((body) =>
      signing([Buffer.concat([Buffer.from(`${firstThree(start)}\n`), body]), `${firstThree(start)}\n${base64(body)}`]),
    ),
  'body-re-serialised': (start) => withFourth(start, start.hashedBody.flatMap(reSerialised).map(hashOf)),
  'body-trimmed': (start) => withFourth(start, start.hashedBody.flatMap(trimmed).map(hashOf)),
  'body-empty-hashed': (start) => (start.parts.length === 3 ? withFourth(start, [hashOf('')]) : []),
  'hash-hex': (start) =>
    withFourth(
      start,
      hashHex(start).flatMap((digits) => [digits, digits.toUpperCase()]),
    ),
  'hash-hex-in-base64': (start) => withFourth(start, hashHex(start).map(base64)),
  'hash-of-hash-hex': (start) => withFourth(start, hashHex(start).map(hashOf)),
  'components-reordered': ({ parts }) =>
    signing(
      ordersOf(parts)
        .slice(1)
        .map((order) => order.join('\n')),
    ),
  'separator-crlf': ({ parts }) => signing([parts.join('\r\n')]),
  'separator-missing': ({ parts }) => signing([parts.join('')]),
  'separator-escaped': ({ parts }) => signing([parts.join('\\n')]),
  'separator-other': ({ parts }) =>
    signing(['|', ',', ';', ':', '.', '&', ' ', '\r'].map((separator) => parts.join(separator))),
  'trailing-line-feed': ({ text }) => signing([`${text}\n`]),
};

/**
 * Finds the single mistake of the catalogue that leads to a wrong signature; the first where several do. The work has a
 * bound: mistakes with a body are sought in small bodies only.
 */
export function mistakeIn(request: RefusedRequest, secret: string, presented: string): SignatureMistake | undefined {
  const { method, query, body } = request;
  const text = signatureString(request);
  const hasBody = methodsWithBody.has(method);
  const start: Start = {
    ...request,
    secret,
    text,
    parts: text.split('\n'),
    hashedQuery: hasBody || query === undefined ? [] : [query],
    hashedBody: hasBody && isSmall(body) ? [body] : [],
  };
  const right: Steps = { text, key: secret, digest: hmac, write: base64 };
  const leadsTo = (changes: Partial<Steps>) => {
    const { text, key, digest, write } = { ...right, ...changes };
    return write(digest(text, key)) === presented;
  };
  return signatureMistakes.find(({ code }) => mistakes[code](start).some(leadsTo));
}
