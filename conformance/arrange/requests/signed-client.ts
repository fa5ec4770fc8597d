import createClient from 'openapi-fetch';
import type { paths } from '../../../generated/types.ts';
import type { CheckContext } from '../../check/context.ts';
import { percentEncoded } from '../../contract/percent-encoding.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import { type RequestToSign, signatureOf, timestampForm } from '../../wire/signing/signature.ts';
import type { MerchantCall } from '../../wire/transport.ts';

/** A request to an operation of one merchant. */
export interface SignedRequest {
  method: string;
  /** The path as the request line shows it, without the prefix of the target and without a query. */
  path: string;
  query?: string | undefined;
  body?: Uint8Array | undefined;
  /** In milliseconds; absent: the target's present time. It moves on with that when the request has to wait. */
  timestamp?: string;
  /** Makes the signature; absent: the right one is made. */
  sign?: (request: RequestToSign, secret: string) => string;
  /** Replaces headers by their exact names; `undefined` leaves one out. */
  headers?: Record<string, string | string[] | undefined>;
  /** Writes a header of the request in another way that means the same. */
  written?: (name: string, value: string) => readonly [name: string, value: string];
  /** The request provokes HTTP 429, so that this answer is returned and not waited out. */
  provokes429?: boolean;
}

/** Sends requests of one merchant, rightly signed unless a request says otherwise. */
export interface SignedClient {
  readonly merchant: Credentials;
  /** The path of the merchant, without the prefix of the target. */
  readonly basePath: string;
  /** Sends a request built by hand, which may be one that the typed client would not send. */
  send(request: SignedRequest): Promise<Answer>;
  /** Sends a POST with any body. */
  post(path: string, body: unknown): Promise<Answer>;
  /** Signs and sends the request that `call` makes with the typed client, byte for byte. */
  typed(call: (client: ReturnType<typeof createClient<paths>>) => Promise<unknown>): Promise<Answer>;
}

/** Signs for `merchant` and sends through the check's transport. */
export function signedClient(context: CheckContext, merchant: Credentials): SignedClient {
  const { origin, pathname } = new URL(context.target);
  const prefix = pathname.replace(/\/$/, '');

  function send(request: SignedRequest): Promise<Answer> {
    const { method, query, body, sign = signatureOf, written, provokes429 } = request;
    const path = `${prefix}${request.path}`;
    const headers = (waited: number) => {
      const timestamp = request.timestamp === undefined ? String(context.now()) : later(request.timestamp, waited);
      const right = present({
        'X-Api-Key': merchant.apiKey,
        'X-Timestamp': timestamp,
        'X-Signature': sign({ timestamp, method, path, query, body }, merchant.apiSecret),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...request.headers,
      });
      return written
        ? Object.fromEntries(Object.entries(right).map(([name, value]) => written(name, String(value))))
        : right;
    };
    const target = query === undefined ? path : `${path}?${query}`;
    const authentication = isChanged(request) ? 'changed' : 'right';
    const call: MerchantCall = { as: merchant.merchantId, authentication, path: request.path, query };
    return context.transport.send({ method, origin, target, headers, body, provokes429, call });
  }

  return {
    merchant,
    basePath: `/api/v1/merchants/${percentEncoded(merchant.merchantId)}`,
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
