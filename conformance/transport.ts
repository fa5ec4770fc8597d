import * as http from 'node:http';
import * as https from 'node:https';
import { Inconclusive } from './check.ts';
import type { Answer, Exchange } from './exchange.ts';

/** A request exactly as it is to be sent: nothing is added but what HTTP itself needs. */
export interface RawRequest {
  method: string;
  /** Scheme, host and port of where it goes. */
  origin: string;
  /** The request line's target: path and query as they are to stand there. */
  target: string;
  headers: Record<string, string | string[]>;
  body?: Uint8Array | undefined;
}

/** Sends requests for one check and keeps what was sent and what came back. */
export interface Transport {
  /** Throws `Inconclusive` when no whole response comes. Redirects are not followed. */
  send(request: RawRequest): Promise<Answer>;
  readonly exchanges: readonly Exchange[];
}

/** Connections that the checks of a run share. */
export interface Connections {
  http: http.Agent;
  https: https.Agent;
  close(): void;
}

/** Opens at most `limit` connections at once to each host. */
export function openConnections(limit: number): Connections {
  const options = { keepAlive: true, maxSockets: limit };
  const agents = { http: new http.Agent(options), https: new https.Agent(options) };
  return {
    ...agents,
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** A transport over node:http(s), which sends request lines, headers and bytes as they are given; fetch rewrites them. */
export function createTransport(options: {
  connections: Connections;
  userAgent: string;
  /** For one exchange, in milliseconds. */
  timeout: number;
}): Transport {
  const exchanges: Exchange[] = [];
  return {
    exchanges,
    async send(request) {
      const { method, origin, target, headers, body } = request;
      const sent = { 'User-Agent': options.userAgent, ...headers };
      const exchange: Exchange = {
        request: { method, url: `${origin}${target}`, headers: flat(sent), body: textOf(body) },
        durationMs: 0,
      };
      const position = exchanges.push(exchange);
      const started = performance.now();
      try {
        const response = await exchangeOnce({ ...request, headers: sent }, options);
        exchange.response = { status: response.status, headers: response.headers, body: response.text };
        return { exchange: position, ...response, json: parseJson(response.text) };
      } catch (error) {
        exchange.error = describe(error);
        throw new Inconclusive(`no answer to ${method} ${target.slice(0, 200)}: ${exchange.error}`);
      } finally {
        exchange.durationMs = Math.round(performance.now() - started);
      }
    },
  };
}

function exchangeOnce(
  { method, origin, target, headers, body }: RawRequest,
  { connections, timeout }: { connections: Connections; timeout: number },
): Promise<Pick<Answer, 'status' | 'headers' | 'text'>> {
  const { protocol, hostname, port } = new URL(origin);
  const secure = protocol === 'https:';
  const length = body === undefined ? {} : { 'Content-Length': String(body.byteLength) };
  return new Promise((resolve, reject) => {
    const request = (secure ? https : http).request({
      agent: secure ? connections.https : connections.http,
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port: port || (secure ? 443 : 80),
      method,
      path: target,
      headers: { ...headers, ...length },
      signal: AbortSignal.timeout(timeout),
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: flat(response.headers), text });
      });
    });
    request.end(body);
  });
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));
}

function textOf(body: Uint8Array | undefined): string {
  return body === undefined ? '' : Buffer.from(body).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'it did not come in time (see --timeout)';
  return 'code' in error && typeof error.code === 'string' ? `${error.code} ${error.message}` : error.message;
}
