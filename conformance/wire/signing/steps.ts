import { limits } from '../../../generated/catalogue.ts';
import { base64, bytesOf, type Digests, hexOf } from './digests.ts';

/** The parts of a request that are signed. */
export interface RequestToSign {
  /** The value of X-Timestamp: milliseconds since 1970 as text. */
  timestamp: string;
  /** In upper or lower case. It is signed in capitals. */
  method: string;
  /** The path of the request line, without the query. */
  path: string;
  /** The query as sent, without its question mark. Empty: a bare question mark. `undefined`: no query. */
  query?: string | undefined;
  /** The bytes of the body as sent. `undefined`: no body. */
  body?: Uint8Array | undefined;
}

/** Every value on the way from a request to its signature. */
export interface SignatureSteps {
  /** Timestamp, method, path and, unless `hashInput` is `none`, the hash. */
  components: string[];
  /** The part of the request that is hashed. */
  hashInput: 'body' | 'query' | 'none';
  /** The digest in hexadecimal, for comparison only. Absent: there is no hash. */
  sha256Hex?: string;
  /** The digest in Base64, which is the fourth component. Absent: there is no hash. */
  sha256Base64?: string;
  signatureString: string;
  /** The value of X-Signature. */
  signature: string;
}

/** The methods whose body is signed and whose query is not. */
export const methodsWithBody: readonly string[] = ['POST', 'PUT', 'PATCH'];
/** The methods whose query is signed. */
export const methodsWithoutBody: readonly string[] = ['GET', 'DELETE'];

/** The form of X-Timestamp (`auth.timestamp.form`). */
export const timestampForm = new RegExp(String(limits['auth.timestamp.digits'].value));

/**
 * The bytes whose hash is the fourth component. `null`: there is no fourth component.
 *
 * - `auth.signature.body`: the body of a POST, PUT or PATCH, as sent. Without a body, no bytes (open point
 *   signature-edges).
 * - `auth.signature.query`: the query of every other method, as sent. The contract does not mention a DELETE with a query,
 *   and no operation has one; it is signed like a GET.
 * - `auth.signature.without-body`: without a query there is no hash. A bare `?` counts as no query (open point
 *   signature-edges).
 */
function bytesToHash(request: RequestToSign): { hashInput: 'body' | 'query'; bytes: Uint8Array } | null {
  const { method, query, body } = request;
  if (methodsWithBody.includes(method.toUpperCase())) return { hashInput: 'body', bytes: body ?? new Uint8Array() };
  return query ? { hashInput: 'query', bytes: bytesOf(query) } : null;
}

/**
 * Signs a request and returns every value on the way.
 *
 * Follows `auth.signature.components` (the components, joined by single line feeds), `auth.signature.method` (capitals),
 * `auth.signature.path` (no query), `auth.timestamp.signed` (the text in the header), `auth.signature.hash-form`
 * (Base64 of the digest) and `auth.signature.algorithm` (Base64 of the HMAC-SHA256 under the secret's UTF-8 bytes).
 */
export function explainSignatureBy(digests: Digests, request: RequestToSign, secret: string): SignatureSteps {
  const hashed = hashOf(digests, request);
  const components = componentsOf(request, hashed?.sha256Base64);
  const signatureString = signatureStringOf(components);
  const signature = signedBy(digests, signatureString, secret);
  if (!hashed) return { hashInput: 'none', components, signatureString, signature };
  const { hashInput, digest, sha256Base64 } = hashed;
  return { hashInput, sha256Hex: hexOf(digest), sha256Base64, components, signatureString, signature };
}

/** The signature alone, which is made for every request of a run. */
export function signatureBy(digests: Digests, request: RequestToSign, secret: string): string {
  const components = componentsOf(request, hashOf(digests, request)?.sha256Base64);
  return signedBy(digests, signatureStringOf(components), secret);
}

/** The hash that is the fourth component. `undefined`: there is none. */
function hashOf(digests: Digests, request: RequestToSign) {
  const toHash = bytesToHash(request);
  if (toHash === null) return undefined;
  const digest = digests.sha256(toHash.bytes);
  return { hashInput: toHash.hashInput, digest, sha256Base64: base64(digest) };
}

function componentsOf({ timestamp, method, path }: RequestToSign, hash: string | undefined): string[] {
  const firstThree = [timestamp, method.toUpperCase(), path];
  return hash === undefined ? firstThree : [...firstThree, hash];
}

const signatureStringOf = (components: readonly string[]): string => components.join('\n');

const signedBy = (digests: Digests, signatureString: string, secret: string): string =>
  base64(digests.hmac('sha256', bytesOf(secret), bytesOf(signatureString)));
