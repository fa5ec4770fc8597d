import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { RequestTarget } from './request-target.ts';

/** The parts of a request that are signed. */
export interface SignedRequest extends RequestTarget {
  /** The value of X-Timestamp. */
  timestamp: string;
  method: string;
  /** The body's bytes as they were sent. */
  body: Buffer;
}

/** The methods whose body is signed, and whose query is not. */
export const methodsWithBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** The signature string, which is signed: its parts joined by line feeds (requirement `auth.signature.components`). */
export function signatureString({ timestamp, method, path, query, body }: SignedRequest): string {
  const upperCase = method.toUpperCase();
  const hashed = methodsWithBody.has(upperCase) ? body : query;
  const parts = [timestamp, upperCase, path];
  if (hashed !== undefined) parts.push(hash('sha256', hashed, 'base64'));
  return parts.join('\n');
}

/** Base64 of the HMAC-SHA256 of a request's signature string (requirement `auth.signature.algorithm`). */
export function sign(request: SignedRequest, secret: string): string {
  return createHmac('sha256', secret).update(signatureString(request)).digest('base64');
}

/** Whether two texts are equal. The time that this takes does not reveal where they differ, nor how long they are. */
export function equalInConstantTime(left: string, right: string): boolean {
  return timingSafeEqual(hash('sha256', left, 'buffer'), hash('sha256', right, 'buffer'));
}
