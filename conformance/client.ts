import createClient from 'openapi-fetch';
import type { components, paths } from '../generated/types.ts';
import { Inconclusive } from './check.ts';
import type { CheckContext } from './context.ts';
import type { Credentials } from './drivers/driver.ts';
import type { Answer } from './exchange.ts';
import { type RequestToSign, signatureOf } from './signing/signature.ts';

export type OrderCreateRequest = components['schemas']['OrderCreateRequest'];

/** A request to one merchant's operations, from the path on, that the typed client would not send. */
export interface SignedRequest {
  method: string;
  /** The target's path without its prefix and without a query, as it is to stand in the request line. */
  path: string;
  query?: string;
  body?: Uint8Array | undefined;
  /** Instead of the target's present time, in milliseconds. */
  timestamp?: string;
  /** Instead of the right signature. */
  sign?: (request: RequestToSign, secret: string) => string;
  /** Replaces or, with `undefined`, leaves out headers by their exact names. */
  headers?: Record<string, string | string[] | undefined>;
}

/** The hosted order operations of a target, as one merchant calls them. */
export interface OrdersClient {
  /** A request of the right shape, through the typed client. */
  create(request: OrderCreateRequest): Promise<Answer>;
  query(merchantOrderId: string): Promise<Answer>;
  /** A create whose body may be anything. */
  createAnything(body: unknown): Promise<Answer>;
  /** A request that is built by hand, for what must be wrong. */
  send(request: SignedRequest): Promise<Answer>;
  readonly createPath: string;
  queryPath(merchantOrderId: string): string;
}

/** Signs for `merchant` and sends through the check's transport. */
export function ordersClient(context: CheckContext, merchant: Credentials): OrdersClient {
  const { origin, pathname } = new URL(context.target);
  const prefix = pathname.replace(/\/$/, '');
  const createPath = `/api/v1/merchants/${encodeURIComponent(merchant.merchantId)}/orders`;
  const queryPath = (merchantOrderId: string) => `${createPath}/${encodeURIComponent(merchantOrderId)}`;

  function send(request: SignedRequest): Promise<Answer> {
    const { method, query, body, timestamp = String(context.now()), sign = signatureOf } = request;
    const path = `${prefix}${request.path}`;
    const headers = {
      'X-Api-Key': merchant.apiKey,
      'X-Timestamp': timestamp,
      'X-Signature': sign({ timestamp, method, path, query, body }, merchant.apiSecret),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...request.headers,
    };
    const target = query === undefined ? path : `${path}?${query}`;
    return context.transport.send({ method, origin, target, headers: present(headers), body });
  }

  /** The typed client, over the same transport: what it makes is signed byte for byte as it is sent. */
  async function typed(call: (client: ReturnType<typeof createClient<paths>>) => Promise<unknown>): Promise<Answer> {
    let answer: Answer | undefined;
    const client = createClient<paths>({
      baseUrl: origin,
      fetch: async (request: Request) => {
        const { pathname: path } = new URL(request.url);
        const body = request.body ? Buffer.from(await request.arrayBuffer()) : undefined;
        answer = await send({ method: request.method, path, body });
        return new Response(null);
      },
    });
    await call(client);
    if (!answer) throw new Inconclusive('the typed client sent nothing');
    return answer;
  }

  return {
    createPath,
    queryPath,
    send,
    create: (body) =>
      typed((client) =>
        client.POST('/api/v1/merchants/{merchantId}/orders', {
          params: { path: { merchantId: merchant.merchantId } },
          body,
        }),
      ),
    query: (merchantOrderId) =>
      typed((client) =>
        client.GET('/api/v1/merchants/{merchantId}/orders/{merchantOrderId}', {
          params: { path: { merchantId: merchant.merchantId, merchantOrderId } },
        }),
      ),
    createAnything: (body) => send({ method: 'POST', path: createPath, body: Buffer.from(JSON.stringify(body)) }),
  };
}

function present(headers: Record<string, string | string[] | undefined>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
