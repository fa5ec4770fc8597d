import type { SignatureMistakeCode } from '../../../generated/catalogue.ts';
import { base64, bytesOf, type Digests, fromBase64, fromHex, hexOf } from './digests.ts';
import {
  explainSignatureBy,
  methodsWithBody,
  type RequestToSign,
  type SignatureSteps,
  timestampForm,
} from './steps.ts';

/** What a mistake takes in place of the right value, where the request itself does not say. */
export interface SignedInstead {
  /** The secret of another merchant. */
  secret?: string | undefined;
  /** The timestamp of another request. */
  timestamp?: string | undefined;
  /** Scheme and host that the request is sent to, such as `https://sandbox.example.com`. */
  origin?: string | undefined;
}

/**
 * The signatures that a mistake makes of a request: several where it is made in several ways, none where it cannot be
 * made or changes nothing. Never the right one.
 */
export type WrongSignatures = (request: RequestToSign, secret: string, other?: SignedInstead) => string[];

/** What a mistake has to start from. */
interface Start {
  readonly request: RequestToSign;
  readonly secret: string;
  readonly steps: SignatureSteps;
  readonly other: SignedInstead;
}

type Bytes = string | Uint8Array;

const firstThree = ({ steps }: Start): string[] => steps.components.slice(0, 3);

/** The query, where it is what is hashed: one or none. */
const signedQuery = ({ request, steps }: Start): string[] => (steps.hashInput === 'query' ? [request.query ?? ''] : []);

/** The body, where it is what is hashed: one or none. */
const signedBody = ({ request, steps }: Start): Uint8Array[] =>
  steps.hashInput === 'body' ? [request.body ?? new Uint8Array()] : [];

/** The path with its query, where there is one, be it empty: one or none. */
const pathWithQuery = ({ path, query }: RequestToSign): string[] => (query === undefined ? [] : [`${path}?${query}`]);

// --- What a query or a body turns into on its way through other code ------------------------------------------------

/** What `make` gives, or nothing where it throws: what cannot be decoded or parsed allows no such mistake. */
function attempt(make: () => string[]): string[] {
  try {
    return make();
  } catch {
    return [];
  }
}

const pathDecoded = (path: string): string[] => attempt(() => [decodeURIComponent(path), decodeURI(path)]);

const queryDecoded = (query: string): string[] =>
  attempt(() => [decodeURIComponent(query), decodeURIComponent(query.replaceAll('+', ' '))]);

function queryReEncoded(query: string): string[] {
  const form = new URLSearchParams(query);
  const pairs = [...form].map((pair) => pair.map(encodeURIComponent).join('='));
  return [form.toString(), form.toString().replaceAll('+', '%20'), pairs.join('&')];
}

function querySorted(query: string): string[] {
  const parameters = query.split('&');
  const name = (parameter: string): string => parameter.split('=', 1)[0] ?? '';
  const byName = parameters.toSorted((a, b) => (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0));
  return [parameters.toSorted().join('&'), byName.join('&')];
}

/** The same JSON value with the keys of every object sorted. */
const keysSorted = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;

const asciiOnly = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The ways in which common JSON libraries write a value. Throws where the body is no JSON text. */
function jsonReSerialised(body: Uint8Array): string[] {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  const value: unknown = JSON.parse(text);
  const compact = JSON.stringify(value);
  // A line end of the output is never inside a string: there it is written as an escape.
  const spaced = JSON.stringify(value, null, 1).replace(/,\n */g, ', ').replace(/\n */g, '');
  const sorted = JSON.stringify(JSON.parse(text, keysSorted));
  const written = [compact, spaced, sorted, JSON.stringify(value, null, 2), JSON.stringify(value, null, 4)];
  return [...written, ...written.map(asciiOnly), compact.replaceAll('/', '\\/')];
}

/** Cut by bytes, since a body need not be text. */
function bodyTrimmed(body: Uint8Array): Uint8Array[] {
  const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
  const start = body.findIndex((byte) => !isSpace(byte));
  const end = body.findLastIndex((byte) => !isSpace(byte)) + 1;
  const withoutLastLineEnd = body.at(-1) !== 0x0a ? body : body.subarray(0, body.at(-2) === 0x0d ? -2 : -1);
  return [body.subarray(start < 0 ? body.length : start, end), body.subarray(0, end), withoutLastLineEnd];
}

const apiPrefix = /\/api\/v1(?=\/|$)/;

/**
 * For each mistake, what it makes of a request. It needs nothing but the digests, so that the command line and the
 * calculator of the docs site name the same mistakes.
 */
export function wrongSignaturesBy(digests: Digests): Record<SignatureMistakeCode, WrongSignatures> {
  const hash = (bytes: Bytes): string => base64(digests.sha256(bytesOf(bytes)));
  const hmac = (message: Bytes, key: Bytes, algorithm: 'sha1' | 'sha256' | 'sha512' = 'sha256'): Uint8Array =>
    digests.hmac(algorithm, bytesOf(key), bytesOf(message));

  // Where in the making of a signature the mistake sits.

  /** The right string, and something wrong in what is made of it. */
  const wrongSignature =
    (make: (start: Start) => string[]): WrongSignatures =>
    (request, secret, other = {}) => {
      const steps = explainSignatureBy(digests, request, secret);
      const made = new Set(make({ request, secret, steps, other }));
      return [...made].filter((signature) => signature !== steps.signature);
    };

  /** Another string, signed as it should be. */
  const wrongString = (make: (start: Start) => Bytes[]): WrongSignatures =>
    wrongSignature((start) => make(start).map((text) => base64(hmac(text, start.secret))));

  /** Other components, joined and signed as they should be. */
  const wrongComponents = (make: (start: Start) => string[][]): WrongSignatures =>
    wrongString((start) => make(start).map((components) => components.join('\n')));

  /** Another timestamp, method or path. */
  const wrongComponent = (place: 0 | 1 | 2, make: (start: Start) => string[]): WrongSignatures =>
    wrongComponents((start) => make(start).map((component) => start.steps.components.with(place, component)));

  /** Another fourth component. */
  const wrongFourth = (make: (start: Start) => string[]): WrongSignatures =>
    wrongComponents((start) => make(start).map((component) => [...firstThree(start), component]));

  /** Another way to write the hash, from its hexadecimal text. */
  const wrongHashForm = (make: (hex: string) => string[]): WrongSignatures =>
    wrongFourth(({ steps: { sha256Hex } }) => (sha256Hex === undefined ? [] : make(sha256Hex)));

  /** Another text hashed in place of a query that is signed. */
  const wrongQuery = (make: (query: string) => string[]): WrongSignatures =>
    wrongFourth((start) => signedQuery(start).flatMap(make).map(hash));

  /** Other bytes hashed in place of the body. */
  const wrongBody = (make: (body: Uint8Array) => Bytes[]): WrongSignatures =>
    wrongFourth((start) => signedBody(start).flatMap(make).map(hash));

  return {
    'signature-hex': wrongSignature(({ secret, steps }) => {
      const hex = hexOf(hmac(steps.signatureString, secret));
      return [hex, hex.toUpperCase(), base64(hex)];
    }),
    'signature-base64url': wrongSignature(({ steps: { signature } }) => {
      const urlSafe = signature.replaceAll('+', '-').replaceAll('/', '_');
      return [urlSafe.replaceAll('=', ''), urlSafe, signature.replaceAll('=', '')];
    }),
    'hmac-plain-sha256': wrongSignature(({ steps }) => [hash(steps.signatureString)]),
    'hmac-secret-appended': wrongSignature(({ secret, steps }) => [
      hash(steps.signatureString + secret),
      hash(`${steps.signatureString}\n${secret}`),
    ]),
    'hmac-sha1': wrongSignature(({ secret, steps }) => [base64(hmac(steps.signatureString, secret, 'sha1'))]),
    'hmac-sha512': wrongSignature(({ secret, steps }) => [base64(hmac(steps.signatureString, secret, 'sha512'))]),
    'hmac-swapped': wrongSignature(({ secret, steps }) => [base64(hmac(secret, steps.signatureString))]),
    'secret-base64-decoded': wrongSignature(({ secret, steps }) => {
      const key = fromBase64(secret);
      return key.length === 0 ? [] : [base64(hmac(steps.signatureString, key))];
    }),
    'secret-hex-decoded': wrongSignature(({ secret, steps }) =>
      /^([0-9a-f]{2})+$/i.test(secret) ? [base64(hmac(steps.signatureString, fromHex(secret)))] : [],
    ),
    'secret-of-another-merchant': wrongSignature(({ steps, other }) =>
      other.secret === undefined ? [] : [base64(hmac(steps.signatureString, other.secret))],
    ),

    'timestamp-in-seconds': wrongComponent(0, ({ request: { timestamp } }) =>
      timestampForm.test(timestamp) ? [timestamp.slice(0, -3), String(Number(timestamp) / 1000)] : [],
    ),
    'timestamp-of-another-request': wrongComponent(0, ({ other }) =>
      other.timestamp === undefined ? [] : [other.timestamp],
    ),
    'method-lower-case': wrongComponent(1, ({ request: { method } }) => [method.toLowerCase(), method]),
    'path-full-url': wrongComponents((start) => {
      const { origin } = start.other;
      if (origin === undefined) return [];
      const urls = [start.request.path, ...pathWithQuery(start.request)].map((target) => origin + target);
      return [
        ...urls.map((url) => start.steps.components.with(2, url)),
        ...signedQuery(start).map((query) => firstThree(start).with(2, `${origin}${start.request.path}?${query}`)),
      ];
    }),
    'path-with-query': wrongComponent(2, ({ request }) => pathWithQuery(request)),
    'query-on-path-only': wrongComponents((start) =>
      signedQuery(start).map((query) => firstThree(start).with(2, `${start.request.path}?${query}`)),
    ),
    'path-decoded': wrongComponent(2, ({ request: { path } }) => pathDecoded(path)),
    'path-without-api-prefix': wrongComponent(2, ({ request: { path } }) => [path.replace(apiPrefix, '')]),

    'query-with-question-mark': wrongFourth(({ request }) =>
      request.query === undefined || methodsWithBody.includes(request.method.toUpperCase())
        ? []
        : [hash(`?${request.query}`)],
    ),
    'query-decoded': wrongQuery(queryDecoded),
    'query-re-encoded': wrongQuery(queryReEncoded),
    'query-sorted': wrongQuery(querySorted),
    'query-not-hashed': wrongFourth((start) => signedQuery(start).flatMap((query) => [query, base64(query)])),
    'query-left-out': wrongComponents((start) => signedQuery(start).map(() => firstThree(start))),

    'body-left-out': wrongComponents((start) => signedBody(start).map(() => firstThree(start))),
    'body-not-hashed': wrongString((start) => {
      const before = `${firstThree(start).join('\n')}\n`;
      return signedBody(start).flatMap((body) => [
        Uint8Array.from([...bytesOf(before), ...body]),
        before + base64(body),
      ]);
    }),
    'body-re-serialised': wrongBody((body) => attempt(() => jsonReSerialised(body))),
    'body-trimmed': wrongBody(bodyTrimmed),
    'body-empty-hashed': wrongFourth(({ steps }) => (steps.hashInput === 'none' ? [hash('')] : [])),

    'hash-hex': wrongHashForm((hex) => [hex, hex.toUpperCase()]),
    'hash-hex-in-base64': wrongHashForm((hex) => [base64(hex)]),
    'hash-of-hash-hex': wrongHashForm((hex) => [hash(hex)]),

    'separator-crlf': wrongString(({ steps }) => [steps.components.join('\r\n')]),
    'separator-missing': wrongString(({ steps }) => [steps.components.join('')]),
    'trailing-line-feed': wrongString(({ steps }) => [`${steps.signatureString}\n`]),
  };
}
