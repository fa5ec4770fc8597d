import type { SignatureMistakeCode } from '../../../generated/catalogue.ts';
import {
  bodyTrimmed,
  inOtherOrders,
  jsonReSerialised,
  merchantIdsIn,
  pathDecoded,
  pathShortened,
  pathWithPrefix,
  queryDecoded,
  queryReEncoded,
  querySorted,
  withoutApiPrefix,
} from './altered-content.ts';
import { base64, bytesOf, type Digests, fromBase64, fromHex, hexOf } from './digests.ts';
import {
  explainSignatureBy,
  methodsWithBody,
  type RequestToSign,
  type SignatureSteps,
  timestampForm,
} from './steps.ts';

/** Wrong values that cannot be derived from the request itself. */
export interface SignedInstead {
  /** The secret of another merchant. */
  secret?: string | undefined;
  /** The API key of the merchant, which is the key of HMAC by mistake. */
  apiKey?: string | undefined;
  /** The timestamp of another request. */
  timestamp?: string | undefined;
  /** Scheme and host that the request is sent to, such as `https://sandbox.example.com`. */
  origin?: string | undefined;
}

/**
 * The wrong signatures that a mistake leads to for a request. There are several when the mistake is made in several ways, and
 * none when it cannot be made or changes nothing. The right signature is never among them.
 */
export type WrongSignatures = (request: RequestToSign, secret: string, other?: SignedInstead) => string[];

/** The values that a mistake starts from. */
interface Start {
  readonly request: RequestToSign;
  readonly secret: string;
  readonly steps: SignatureSteps;
  readonly other: SignedInstead;
}

type Bytes = string | Uint8Array;

const firstThree = ({ steps }: Start): string[] => steps.components.slice(0, 3);

/** The query if it is hashed, else none. */
const signedQuery = ({ request, steps }: Start): string[] => (steps.hashInput === 'query' ? [request.query ?? ''] : []);

/** The body if it is hashed, else none. */
const signedBody = ({ request, steps }: Start): Uint8Array[] =>
  steps.hashInput === 'body' ? [request.body ?? new Uint8Array()] : [];

/** The path with its query if the request has one, even an empty one; else none. */
const pathWithQuery = ({ path, query }: RequestToSign): string[] => (query === undefined ? [] : [`${path}?${query}`]);

/**
 * The wrong signatures of each mistake. The digests are passed in, so that the command line and the calculator of the docs
 * site, which has no Node, name the same mistakes.
 */
export function wrongSignaturesBy(digests: Digests): Record<SignatureMistakeCode, WrongSignatures> {
  const hash = (bytes: Bytes): string => base64(digests.sha256(bytesOf(bytes)));
  const hmac = (message: Bytes, key: Bytes, algorithm: 'sha1' | 'sha256' | 'sha512' = 'sha256'): Uint8Array =>
    digests.hmac(algorithm, bytesOf(key), bytesOf(message));

  // One function for each place of a mistake.

  /** The signature string is right, and the signature is made of it in a wrong way. */
  const wrongSignature =
    (make: (start: Start) => string[]): WrongSignatures =>
    (request, secret, other = {}) => {
      const steps = explainSignatureBy(digests, request, secret);
      const made = new Set(make({ request, secret, steps, other }));
      return [...made].filter((signature) => signature !== steps.signature);
    };

  /** The signature string is wrong, and is signed in the right way. */
  const wrongString = (make: (start: Start) => Bytes[]): WrongSignatures =>
    wrongSignature((start) => make(start).map((text) => base64(hmac(text, start.secret))));

  /** The components are wrong, and are joined and signed in the right way. */
  const wrongComponents = (make: (start: Start) => string[][]): WrongSignatures =>
    wrongString((start) => make(start).map((components) => components.join('\n')));

  /** The timestamp, the method or the path is wrong. */
  const wrongComponent = (place: 0 | 1 | 2, make: (start: Start) => string[]): WrongSignatures =>
    wrongComponents((start) => make(start).map((component) => start.steps.components.with(place, component)));

  /** The fourth component is wrong. */
  const wrongFourth = (make: (start: Start) => string[]): WrongSignatures =>
    wrongComponents((start) => make(start).map((component) => [...firstThree(start), component]));

  /** The hash is written in a wrong way, made from its hexadecimal text. */
  const wrongHashForm = (make: (hex: string) => string[]): WrongSignatures =>
    wrongFourth(({ steps: { sha256Hex } }) => (sha256Hex === undefined ? [] : make(sha256Hex)));

  /** Another text is hashed in place of a signed query. */
  const wrongQuery = (make: (query: string) => string[]): WrongSignatures =>
    wrongFourth((start) => signedQuery(start).flatMap(make).map(hash));

  /** Other bytes are hashed in place of the body. */
  const wrongBody = (make: (body: Uint8Array) => Bytes[]): WrongSignatures =>
    wrongFourth((start) => signedBody(start).flatMap(make).map(hash));

  return {
    'signature-hex': wrongSignature(({ secret, steps }) => {
      const hex = hexOf(hmac(steps.signatureString, secret));
      return [hex, hex.toUpperCase(), base64(hex)];
    }),
    'signature-without-padding': wrongSignature(({ steps: { signature } }) => [signature.replaceAll('=', '')]),
    'signature-base64url': wrongSignature(({ steps: { signature } }) => {
      const urlSafe = signature.replaceAll('+', '-').replaceAll('/', '_');
      return [urlSafe.replaceAll('=', ''), urlSafe];
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
    'secret-white-space': wrongSignature(({ secret, steps }) =>
      [`${secret}\n`, `${secret}\r\n`, `${secret} `, ` ${secret}`, secret.trim()].map((key) =>
        base64(hmac(steps.signatureString, key)),
      ),
    ),
    'secret-replaced': wrongSignature(({ request, secret, steps, other }) =>
      [...(other.apiKey === undefined ? [] : [other.apiKey]), ...merchantIdsIn(request.path), '']
        .filter((key) => key !== secret)
        .map((key) => base64(hmac(steps.signatureString, key))),
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
    'path-trailing-slash': wrongComponent(2, ({ request: { path } }) => [
      path.endsWith('/') ? path.slice(0, -1) : `${path}/`,
    ]),
    'path-without-api-prefix': wrongComponent(2, ({ request: { path } }) => [withoutApiPrefix(path)]),

    'path-shortened': wrongComponent(2, ({ request: { path } }) => pathShortened(path)),
    'path-with-prefix': wrongComponent(2, ({ request: { path } }) => pathWithPrefix(path)),

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
    'body-re-serialised': wrongBody(jsonReSerialised),
    'body-trimmed': wrongBody(bodyTrimmed),
    'body-empty-hashed': wrongFourth(({ steps }) => (steps.hashInput === 'none' ? [hash('')] : [])),

    'hash-hex': wrongHashForm((hex) => [hex, hex.toUpperCase()]),
    'hash-hex-in-base64': wrongHashForm((hex) => [base64(hex)]),
    'hash-of-hash-hex': wrongHashForm((hex) => [hash(hex)]),

    'components-reordered': wrongComponents(({ steps: { components } }) => inOtherOrders(components)),
    'separator-crlf': wrongString(({ steps }) => [steps.components.join('\r\n')]),
    'separator-missing': wrongString(({ steps }) => [steps.components.join('')]),
    'separator-escaped': wrongString(({ steps }) => [steps.components.join('\\n')]),
    'separator-other': wrongString(({ steps }) =>
      [...'|,;:.& \r'].map((separator) => steps.components.join(separator)),
    ),
    'trailing-line-feed': wrongString(({ steps }) => [`${steps.signatureString}\n`]),
  };
}
