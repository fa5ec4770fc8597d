import type { OutgoingHttpHeaders } from 'node:http';
import type { AppParts } from '../../app.ts';
import type { OrderCreateRequest } from '../../domain/order.ts';
import { type RunningServer, startServer } from '../../main.ts';
import type { ServerOptions } from '../../options.ts';
import type { Clock, Storage } from '../../services/ports.ts';
import { controlOf, type OrderView, orderOf } from './contract.ts';
import { type Answer, send } from './http.ts';
import { type Credentials, signedHeaders } from './signing.ts';

/** A running server, and what is inside it. */
export interface TestServer extends RunningServer {
  storage: Storage;
  clock: Clock;
  /** What it reported as gone wrong inside. */
  logged: string[];
}

/** The control token of every server started here. */
export const controlToken = 'a control token for tests';

/** Starts a server on a free port; in memory, in sandbox mode and by the real clock unless told otherwise. */
export async function startTestServer(
  options: Partial<ServerOptions> & { clock?: Clock; replace?: (parts: AppParts) => AppParts } = {},
): Promise<TestServer> {
  const { clock, replace = (parts: AppParts) => parts, ...own } = options;
  const used: AppParts[] = [];
  const logged: string[] = [];
  const server = await startServer(
    {
      host: '127.0.0.1',
      port: 0,
      database: ':memory:',
      mode: 'sandbox',
      implementation: 'assay/test',
      controlToken,
      // On a busy machine the server would otherwise close connections in which a request waits to be read.
      keepAliveTimeout: 0,
      ...own,
    },
    (parts) => {
      const log = (message: string, error: unknown) => logged.push(`${message}: ${error}`);
      const replaced = replace({ ...parts, clock: clock ?? parts.clock, log });
      used.push(replaced);
      return replaced;
    },
  );
  const [parts] = used;
  if (!parts) throw new Error('the server was put together without its parts');
  return { ...server, storage: parts.storage, clock: parts.clock, logged };
}

/** A clock that stands still until it is set. */
export function stoppedClock(start = Date.parse('2026-01-01T00:00:00.000Z')) {
  let now = start;
  return {
    read: () => now,
    set: (milliseconds: number) => {
      now = milliseconds;
    },
    advance: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

/** Sends a request to the control API, by default with its token. A body that is no text is sent as JSON. */
export function control(
  { url }: RunningServer,
  method: string,
  path: string,
  body?: unknown,
  headers: OutgoingHttpHeaders = { Authorization: `Bearer ${controlToken}` },
): Promise<Answer> {
  const bytes = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return send(url, {
    method,
    target: `/sandbox/v1${path}`,
    headers: { ...(bytes === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(bytes === undefined ? {} : { body: bytes }),
  });
}

/** Makes a merchant by the control API. */
export async function newMerchant(server: RunningServer, settings: unknown = {}): Promise<Credentials> {
  return controlOf(await control(server, 'POST', '/merchants', settings), 201, 'MerchantCredentials');
}

/** Lets something happen to an order by the control API. */
export function orderEvent(
  server: RunningServer,
  order: Pick<OrderView, 'merchantId' | 'orderId'>,
  event: unknown,
): Promise<Answer> {
  return control(server, 'POST', `/merchants/${order.merchantId}/orders/${order.orderId}/events`, event);
}

/** Moves a merchant's clock by the control API; returns its new time. */
export async function advance(server: RunningServer, merchantId: string, advanceSeconds: number): Promise<string> {
  return controlOf(
    await control(server, 'POST', `/merchants/${merchantId}/clock`, { advanceSeconds }),
    200,
    'ClockReading',
  ).now;
}

/** Changes how many USDT one USD costs, decimal text. The rate is a setting of the merchant, which no operation changes. */
export async function changeRate({ storage }: TestServer, merchantId: string, usdRate: string): Promise<void> {
  await storage.transaction(async (records) => {
    const merchant = await records.lockMerchant(merchantId);
    if (!merchant) throw new Error(`there is no merchant ${merchantId}`);
    await records.updateMerchant({ ...merchant, settings: { ...merchant.settings, usdRate } });
  });
}

/** How a request differs from a right one. */
export interface Variation {
  /** Headers instead of the right ones; `undefined` leaves one out. They are not signed anew. */
  headers?: Record<string, string | string[] | undefined>;
  /** Credentials to sign with instead of the merchant's own. */
  as?: Credentials;
  timestamp?: string;
}

/** A merchant that sends signed requests. */
export function merchantClient(server: TestServer, credentials: Credentials) {
  const ordersPath = `/api/v1/merchants/${credentials.merchantId}/orders`;

  /** Signs and sends any request. */
  function request(method: string, target: string, body?: string | Buffer, variation: Variation = {}): Promise<Answer> {
    const { as = credentials, timestamp = String(server.clock()), headers = {} } = variation;
    const right = {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...signedHeaders(as, { method, target, body, timestamp }),
    };
    const sent = Object.entries({ ...right, ...headers }).filter(([, value]) => value !== undefined);
    return send(server.url, {
      method,
      target,
      headers: Object.fromEntries(sent),
      ...(body === undefined ? {} : { body }),
    });
  }

  return {
    ...credentials,
    ordersPath,
    request,
    /** Posts a body to create an order; text and bytes as they are, anything else as JSON. */
    post(body: unknown, variation?: Variation): Promise<Answer> {
      const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
      return request('POST', ordersPath, bytes, variation);
    },
    get: (id: string, variation?: Variation) => request('GET', `${ordersPath}/${id}`, undefined, variation),
    /** A request for a new order that is right: 10 USDT, open for an hour. */
    body: (changes: Partial<OrderCreateRequest> = {}) => orderBody(server.clock, changes),
    /** Creates an order; fails unless it is accepted. */
    async create(changes: Partial<OrderCreateRequest> = {}): Promise<OrderView> {
      return orderOf(await this.post(this.body(changes)));
    },
    /** The order as it stands; fails unless it is found. */
    async query(id: string): Promise<OrderView> {
      return orderOf(await this.get(id));
    },
  };
}

/** What `merchantClient` makes. */
export type MerchantClient = ReturnType<typeof merchantClient>;

let orders = 0;

function orderBody(clock: Clock, changes: Partial<OrderCreateRequest>): OrderCreateRequest {
  return {
    merchantOrderId: newOrderId(),
    orderAmount: { value: '10', currency: 'USDT' },
    expiresAt: new Date(clock() + 3_600_000).toISOString(),
    returnUrl: 'https://shop.example/return',
    ...changes,
  };
}

/** A merchantOrderId that was not used before. */
export function newOrderId(): string {
  orders += 1;
  return `order-${String(orders).padStart(12, '0')}`;
}
