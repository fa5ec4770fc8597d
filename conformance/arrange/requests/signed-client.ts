import createClient from 'openapi-fetch';
import type { paths } from '../../../generated/types.ts';
import type { CheckContext } from '../../check/context.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import { type RequestToSign, signatureOf, timestampForm } from '../../wire/signing/signature.ts';
import type { MerchantCall } from '../../wire/transport.ts';

/** A request to one merchant's operations, from the path on. */
export interface SignedRequest {
  method: string;
  /** The target's path without its prefix and without a query, as it is to stand in the request line. */
  path: string;
  query?: string | undefined;
  body?: Uint8Array | undefined;
  /** Instead of the target's present time, in milliseconds. It keeps its distance to that when the request has to wait. */
  timestamp?: string;
  /** Instead of the right signature. */
  sign?: (request: RequestToSign, secret: string) => string;
  /** Replaces or, with `undefined`, leaves out headers by their exact names. */
  headers?: Record<string, string | string[] | undefined>;
  /** It provokes HTTP 429: that is an answer then, and not waited out. */
  provokes429?: boolean;
}

/** Sends one merchant's requests, rightly signed unless they say otherwise. */
export interface SignedClient {
  readonly merchant: Credentials;
  /** Where the merchant's operations begin, without the target's prefix. */
  readonly basePath: string;
  /** A request that is built by hand, for what the typed client would not send. */
  send(request: SignedRequest): Promise<Answer>;
  /** A POST whose body may be anything. */
  post(path: string, body: unknown): Promise<Answer>;
  /** What `call` asks the typed client for; it is signed byte for byte as it is sent. */
  typed(call: (client: ReturnType<typeof createClient<paths>>) => Promise<unknown>): Promise<Answer>;
}

/** Signs for `merchant` and sends through the check's transport. */
export function signedClient(context: CheckContext, merchant: Credentials): SignedClient {
  const { origin, pathname } = new URL(context.target);
  const prefix = pathname.replace(/\/$/, '');

  function send(request: SignedRequest): Promise<Answer> {
    const { method, query, body, sign = signatureOf, provokes429 } = request;
    const path = `${prefix}${request.path}`;
    const headers = (waited: number) => {
      const timestamp = request.timestamp === undefined ? String(context.now()) : later(request.timestamp, waited);
      return present({
        'X-Api-Key': merchant.apiKey,
        'X-Timestamp': timestamp,
        'X-Signature': sign({ timestamp, method, path, query, body }, merchant.apiSecret),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...request.headers,
      });
    };
    const target = query === undefined ? path : `${path}?${query}`;
    const authentication = isChanged(request) ? 'changed' : 'right';
    const call: MerchantCall = { as: merchant.merchantId, authentication, path: request.path, query };
    return context.transport.send({ method, origin, target, headers, body, provokes429, call });
  }

  return {
    merchant,
    basePath: `/api/v1/merchants/${encodeURIComponent(merchant.merchantId)}`,
    send,
    post: (path, body) => send({ method: 'POST', path, body: Buffer.from(JSON.stringify(body)) }),
    typed: async (call) => {
      let answer: Answer | undefined;
      const client = createClient<paths>({
        baseUrl: origin,
        fetch: async (request: Request) => {
          const { pathname: path, search } = new URL(request.url);
          const body = request.body ? Buffer.from(await request.arrayBuffer()) : undefined;
          answer = await send({ method: request.method, path, query: search.slice(1) || undefined, body });
          return new Response(null);
        },
      });
      await call(client);
      if (!answer) throw new Inconclusive('the typed client sent nothing');
      return answer;
    },
  };
}

/** Whether anything about the authentication of a request is not as the contract wants it. */
function isChanged({ timestamp, sign, headers = {} }: SignedRequest): boolean {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return timestamp !== undefined || sign !== undefined || names.some((name) => name !== 'content-type');
}

/** A timestamp in milliseconds moved on; one of another form is left as it is. */
function later(timestamp: string, milliseconds: number): string {
  return timestampForm.test(timestamp) ? String(Number(timestamp) + Math.round(milliseconds)) : timestamp;
}

function present(headers: Record<string, string | string[] | undefined>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
