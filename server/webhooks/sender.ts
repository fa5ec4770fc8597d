import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';
import { type Send, sendTimeout, type WebhookRequest } from '../services/delivery/deliver.ts';
import { createGuard, ForbiddenAddressError, type Guard, isLoopbackHost } from './address-guard.ts';

/** How much of an answer's body is read, in bytes. Its content does not matter. */
const maxAnswerBody = 64 * 1024;

/**
 * Sends webhooks over HTTP and HTTPS, each on a connection of its own. Redirects are not followed. In production mode they
 * go to the public internet only; in sandbox mode anywhere, and the certificate of a loopback receiver is not verified.
 *
 * @param options `timeout`: milliseconds for connection and answer together; `guard`: decides where they may go
 */
export function createSender(
  mode: 'sandbox' | 'production',
  { timeout = sendTimeout, guard = createGuard(mode) }: { timeout?: number; guard?: Guard } = {},
): Send {
  return async (request) => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeout);
    try {
      const problem = guard.addressProblem(request.url);
      if (problem !== undefined) return { error: problem };
      const unverified = mode === 'sandbox' && isLoopbackHost(request.url);
      const options = { lookup: guard.lookup, rejectUnauthorized: !unverified, signal: deadline.signal };
      const response = await post(request, options);
      await drain(response);
      return { httpStatus: response.statusCode ?? 0 };
    } catch (error) {
      return { error: deadline.signal.aborted ? `no answer within ${timeout / 1000} s` : reasonOf(error) };
    } finally {
      clearTimeout(timer);
    }
  };
}

let secureContext: SecureContext | undefined;

/** The certificates that receivers are held against. All connections share them, because reading them takes longer than a delivery. */
function sharedContext(): SecureContext {
  secureContext ??= createSecureContext();
  return secureContext;
}

/** Resolves once the answer's status and headers are there. */
function post(
  { url, headers, body }: WebhookRequest,
  options: RequestOptions & { rejectUnauthorized: boolean },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const complete: RequestOptions & { rejectUnauthorized: boolean } = {
      ...options,
      method: 'POST',
      // A receiver may close a kept connection just as it is used again, and the attempt would be lost.
      agent: false,
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
    };
    const outgoing: ClientRequest = url.toLowerCase().startsWith('https:')
      ? httpsRequest(url, Object.assign(complete, { secureContext: sharedContext() }))
      : httpRequest(url, complete);
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
    // After an error or an answer this changes nothing. Without either, the receiver hung up or changed the protocol.
    outgoing.once('close', () => reject(new NoAnswerError()));
    outgoing.end(body);
  });
}

/** Lets the receiver write its answer to the end, within a bound. The status is already known, so failures here do not matter. */
async function drain(response: IncomingMessage): Promise<void> {
  let read = 0;
  try {
    for await (const chunk of response) {
      read += chunk.length;
      if (read > maxAnswerBody) break;
    }
  } catch {
    // Cut short by the receiver or by the deadline.
  }
}

class NoAnswerError extends Error {}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed without an answer',
  EPIPE: 'the connection was closed without an answer',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'the connection was not made in time',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is not trusted',
  ERR_INVALID_URL: 'the address is not a URL',
  ERR_INVALID_PROTOCOL: 'the address is neither HTTP nor HTTPS',
};

/** A short text by the error's code, never its message, which may hold more than people should read. */
function reasonOf(error: unknown): string {
  if (error instanceof ForbiddenAddressError) return error.message;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === undefined)
    return error instanceof NoAnswerError ? 'the connection was closed without an answer' : 'the request failed';
  const reason = reasons[code] ?? (code.startsWith('HPE_') ? 'the answer is not HTTP' : 'the request failed');
  return `${reason} (${code})`;
}
