import { limits } from '../../../generated/catalogue.ts';
import { base64, bytesOf, type Digests, hexOf } from './digests.ts';

/** What is signed of a request. */
export interface RequestToSign {
  /** What X-Timestamp carries: milliseconds since 1970 as text. */
  timestamp: string;
  /** In any case; it is signed in capitals. */
  method: string;
  /** As it stands in the request line, without the query. */
  path: string;
  /** As sent, without its question mark; empty after a bare one; undefined: there is none. */
  query?: string | undefined;
  /** The bytes that are sent; undefined: none. */
  body?: Uint8Array | undefined;
}

/** Every value on the way from a request to its signature. */
export interface SignatureSteps {
  /** Timestamp, method, path and, unless `hashInput` is `none`, the hash. */
  components: string[];
  /** What the hash is taken of. */
  hashInput: 'body' | 'query' | 'none';
  /** The digest in hexadecimal, which is not signed: for comparison. Absent where there is no hash. */
  sha256Hex?: string;
  /** The digest in Base64: the fourth component. Absent where there is no hash. */
  sha256Base64?: string;
  signatureString: string;
  /** What X-Signature carries. */
  signature: string;
}

/** The methods whose body is signed, and their query is not. */
export const methodsWithBody: readonly string[] = ['POST', 'PUT', 'PATCH'];
/** The methods whose query is signed. */
export const methodsWithoutBody: readonly string[] = ['GET', 'DELETE'];

/** The form of X-Timestamp (`auth.timestamp.form`). */
export const timestampForm = new RegExp(String(limits['auth.timestamp.digits'].value));

/**
 * The bytes that the fourth component is the hash of.
 *
 * - `auth.signature.body`: the body of a POST, PUT or PATCH, as sent; no bytes where there is none (open point
 *   signature-edges).
 * - `auth.signature.query`: the query of anything else, as sent. Nothing is said of a DELETE with a query, and no
 *   operation is one; it is signed like a GET.
 * - `auth.signature.without-body`: nothing where there is no query; a bare `?` is none (open point signature-edges).
 */
function bytesToHash(request: RequestToSign): { hashInput: 'body' | 'query'; bytes: Uint8Array } | null {
  const { method, query, body } = request;
  if (methodsWithBody.includes(method.toUpperCase())) return { hashInput: 'body', bytes: body ?? new Uint8Array() };
  return query ? { hashInput: 'query', bytes: bytesOf(query) } : null;
}

/**
 * Signs a request and shows every value on the way.
 *
 * Keeps `auth.signature.components` (what is joined, by single line feeds), `auth.signature.method` (capitals),
 * `auth.signature.path` (no query), `auth.timestamp.signed` (the text in the header), `auth.signature.hash-form`
 * (Base64 of the digest) and `auth.signature.algorithm` (Base64 of the HMAC-SHA256 under the secret's UTF-8 bytes).
 */
export function explainSignatureBy(digests: Digests, request: RequestToSign, secret: string): SignatureSteps {
  const toHash = bytesToHash(request);
  const firstThree = [request.timestamp, request.method.toUpperCase(), request.path];
  if (toHash === null) return { hashInput: 'none', ...signed(digests, firstThree, secret) };

  const digest = digests.sha256(toHash.bytes);
  const sha256Base64 = base64(digest);
  return {
    hashInput: toHash.hashInput,
    sha256Hex: hexOf(digest),
    sha256Base64,
    ...signed(digests, [...firstThree, sha256Base64], secret),
  };
}

function signed(digests: Digests, components: string[], secret: string) {
  const signatureString = components.join('\n');
  const signature = base64(digests.hmac('sha256', bytesOf(secret), bytesOf(signatureString)));
  return { components, signatureString, signature };
}
