import * as http from 'node:http';
import * as https from 'node:https';
import { isObject } from '../../contract/json.ts';
import type { Credentials } from '../../drivers/driver.ts';
import type { Route } from '../../wire/connections.ts';
import { signatureOf } from '../../wire/signing/signature.ts';

/** A request as the proxy received it. */
export interface ProxyRequest {
  method: string;
  /** Path and query as the request line has them. */
  target: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** The names of the headers as they were sent. */
  headerNames: readonly string[];
  body: Buffer;
  /** The body as far as it came at once with the headers, and as its first piece. */
  arrived?: { withHeaders: Buffer; first: Buffer };
  /** The same object for each request of one connection. */
  connection: object;
}

/** An answer of the proxy, which adds the headers of length and connection itself. */
export interface ProxyAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** Sent in small pieces, without a length. */
  chunked?: boolean;
}

/** The server behind the proxy, with the merchants that the proxy has seen it make. */
export interface ServerBehind {
  forward: Forward;
  /** The same object for each request to one server, and another one for each other server. */
  identity: object;
  /** The credentials of a merchant that is configured, or was made through the control API. */
  merchant(merchantId: string): Credentials | undefined;
  /** The credentials that a key belongs to. */
  owner(apiKey: string): Credentials | undefined;
  merchants(): Iterable<Credentials>;
}

/** Handles one kind of request between runner and server. It may change the request or the answer, or answer itself. */
export type Handler = (request: ProxyRequest, server: ServerBehind) => Promise<ProxyAnswer>;

/** Passes a request on to a server, and resolves with its answer. */
export type Forward = (request: ProxyRequest) => Promise<ProxyAnswer>;

export interface Proxy {
  url: string;
  /** Stops the proxy. Rejects with the first error of a handler, because a broken handler proves nothing about a check. */
  close(): Promise<void>;
}

const unchanged: Handler = (request, server) => server.forward(request);

/** The beginning of every path of the control API. */
export const controlPrefix = '/sandbox/v1';

/** Headers that belong to one connection, and those that node writes anew. */
export const ownHeaders = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host'];

/**
 * Starts a proxy on a free port of loopback in front of `upstream`. Requests of the control API pass through `control`, all
 * others through `merchantApi`. `known` are the merchants by their ids; the proxy adds those that the control API makes.
 */
export async function startProxy(
  upstream: string | Forward,
  {
    merchantApi = unchanged,
    control = unchanged,
    restarts = false,
  }: { merchantApi?: Handler; control?: Handler; restarts?: boolean },
  known: Map<string, Credentials> = new Map(),
): Promise<Proxy> {
  const agent = new http.Agent({ keepAlive: true });
  const errors: unknown[] = [];
  const behind: ServerBehind = {
    identity: {},
    forward: typeof upstream === 'string' ? forwardOver(plainRoute(upstream, agent), { restarts }) : upstream,
    merchant: (merchantId) => known.get(merchantId),
    owner: (apiKey) => [...known.values()].find((each) => each.apiKey === apiKey),
    merchants: () => known.values(),
  };

  async function answer(incoming: http.IncomingMessage): Promise<ProxyAnswer> {
    const chunks: Buffer[] = [];
    const begun = performance.now();
    let withHeaders = 0;
    for await (const chunk of incoming) {
      chunks.push(Buffer.from(chunk));
      if (performance.now() - begun < 150) withHeaders = chunks.length;
    }
    const { method = 'GET', url: target = '/', headers } = incoming;
    const headerNames = incoming.rawHeaders.filter((_, index) => index % 2 === 0);
    const body = Buffer.concat(chunks);
    const arrived = { withHeaders: Buffer.concat(chunks.slice(0, withHeaders)), first: chunks[0] ?? body };
    const connection = incoming.socket;
    const request = { method, target, headers: flat(headers), headerNames, body, arrived, connection };
    if (!target.startsWith(controlPrefix)) return merchantApi(request, behind);
    const answered = await control(request, behind);
    if (request.target === `${controlPrefix}/merchants` && answered.status === 201) {
      const made = credentialsIn(JSON.parse(answered.body.toString('utf8')));
      known.set(made.merchantId, made);
    }
    return answered;
  }

  const server = http.createServer((incoming, response) => {
    answer(incoming).then(
      (answered) => send(response, answered),
      (error: unknown) => {
        if (!(error instanceof Ended)) errors.push(error);
        response.destroy();
      },
    );
  });
  // On a busy machine it would otherwise close connections in which a request waits to be read.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      agent.destroy();
      if (errors.length > 0) throw errors[0];
    },
  };
}

/** The server behind the proxy has ended before it answered. The proxy's client gets no answer either. */
export class Ended extends Error {}

function plainRoute(upstream: string, agent: http.Agent): Route {
  const { hostname, port } = new URL(upstream);
  return { secure: false, agent, hostname, port, prefix: '', headers: {} };
}

/**
 * Passes requests on over a route. Rejects when an answer has more than `longest` bytes, and with `Ended` when the server ends that
 * `restarts`.
 */
export function forwardOver(
  route: Route,
  { longest = Number.POSITIVE_INFINITY, restarts = false }: { longest?: number; restarts?: boolean } = {},
): Forward {
  const { secure, agent, hostname, port, prefix } = route;
  const lost = (error: Error) => (restarts ? new Ended(error.message) : error);
  const forward: Forward = (passedOn) => {
    const { method, target, headers, body } = passedOn;
    const length = body.length > 0 || method !== 'GET' ? { 'content-length': String(body.length) } : {};
    const passed = { ...without(headers, ownHeaders), ...length, ...route.headers };
    const path = `${prefix}${target}`;
    return new Promise((resolve, reject) => {
      const request = (secure ? https : http).request({ agent, hostname, port, method, path, headers: passed });
      // The server may close an idle connection at the moment when it is used again; it has not read the request then.
      request.on('error', (error: NodeJS.ErrnoException) => {
        if (!restarts && request.reusedSocket && error.code === 'ECONNRESET') {
          forward(passedOn).then(resolve, reject);
        } else reject(lost(error));
      });
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        let read = 0;
        response.on('error', (error) => reject(lost(error)));
        response.on('data', (chunk: Buffer) => {
          read += chunk.length;
          chunks.push(chunk);
          if (read > longest) request.destroy(new Error(`the answer to ${method} has more than ${longest} bytes`));
        });
        response.on('end', () => {
          const answered = without(flat(response.headers), ownHeaders);
          resolve({ status: response.statusCode ?? 0, headers: answered, body: Buffer.concat(chunks) });
        });
      });
      request.end(body);
    });
  };
  return forward;
}

function send(response: http.ServerResponse, { status, headers, body, chunked = false }: ProxyAnswer): void {
  response.sendDate = false;
  if (!chunked) {
    response.writeHead(status, { ...headers, 'content-length': String(body.length) }).end(body);
    return;
  }
  response.writeHead(status, headers);
  for (let start = 0; start < body.length; start += 100) response.write(body.subarray(start, start + 100));
  response.end();
}

/** The request signed now under these credentials, whatever headers it had. */
export function signed(request: ProxyRequest, { apiKey, apiSecret }: Credentials, now = Date.now()): ProxyRequest {
  const timestamp = String(now);
  const signature = signatureOf({ ...toSign(request), timestamp }, apiSecret);
  const headers = { ...request.headers, 'x-api-key': apiKey, 'x-timestamp': timestamp, 'x-signature': signature };
  return { ...request, headers };
}

/** The request with the right signature under the key and the timestamp that it has. */
export function resigned(request: ProxyRequest, { apiSecret }: Credentials): ProxyRequest {
  return { ...request, headers: { ...request.headers, 'x-signature': signatureOf(toSign(request), apiSecret) } };
}

/** The parts of a request that its signature covers. */
export function toSign({ method, target, headers, body }: ProxyRequest) {
  const { path, query } = splitTarget(target);
  return { timestamp: headers['x-timestamp'] ?? '', method, path, query, body: body.length > 0 ? body : undefined };
}

/** Path and query of a request target; the query without its mark, `undefined` where there is no mark. */
export function splitTarget(target: string): { path: string; query: string | undefined } {
  const [path = '', ...query] = target.split('?');
  return { path, query: query.length > 0 ? query.join('?') : undefined };
}

/** The credentials in an answer of the control API. Throws when it has none. */
export function credentialsIn(answer: unknown): Credentials {
  const [merchantId, apiKey, apiSecret] = ['merchantId', 'apiKey', 'apiSecret'].map((name): unknown =>
    isObject(answer) ? answer[name] : undefined,
  );
  if (typeof merchantId !== 'string' || typeof apiKey !== 'string' || typeof apiSecret !== 'string')
    throw new Error('the control API made no merchant');
  return { merchantId, apiKey, apiSecret };
}

/** Headers with one text for each name. */
export function flat(headers: http.IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));
}

/** The headers without those of these names. */
export function without(headers: Record<string, string>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}
