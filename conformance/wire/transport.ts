import * as http from 'node:http';
import * as https from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { successCode } from '../contract/success-code.ts';
import { Inconclusive } from '../errors/outcomes.ts';
import type { Connections, Route } from './connections.ts';
import { type Answer, type Exchange, field } from './exchange.ts';
import { notTheTargets, retryAfter } from './interruptions.ts';
import type { LimitGuard } from './limits.ts';

type Headers = Record<string, string | string[]>;

/** A request exactly as it is to be sent: nothing is added but what HTTP itself needs. */
export interface RawRequest {
  method: string;
  /** Scheme, host and port of where it goes. */
  origin: string;
  /** The request line's target: path and query as they are to stand there. */
  target: string;
  /** Those that carry the time are made when the request is sent; `waited`: for how many milliseconds it was held back. */
  headers: Headers | ((waited: number) => Headers);
  body?: Uint8Array | undefined;
  /** It provokes HTTP 429: that is an answer then. Otherwise a 429 is waited out, once. */
  provokes429?: boolean | undefined;
}

/** Sends requests for one check and keeps what was sent and what came back. */
export interface Transport {
  /**
   * Throws `Inconclusive` when no whole response of the target itself comes, and `LimitReached` before a limit of the run
   * is passed. Redirects are not followed.
   */
  send(request: RawRequest): Promise<Answer>;
  readonly exchanges: readonly Exchange[];
  /** Forgets the exchanges so far: what follows shows the same again. */
  forget(): void;
  /** Keeps an exchange that came about in another way; its number among them, counted from 1. */
  record(exchange: Exchange): number;
}

export interface TransportOptions {
  connections: Connections;
  limits: LimitGuard;
  /** Names run and check in every request, so that a team finds them in its logs. */
  runId: string;
  /** Absent: what it sends belongs to the whole run. */
  check?: string;
  /** For one exchange, in milliseconds. */
  timeout: number;
}

/** The longest `Retry-After` that is waited out, in milliseconds. */
const longestWait = 60_000;

/** A transport over node:http(s), which sends request lines, headers and bytes as they are given; fetch rewrites them. */
export function createTransport({ connections, limits, runId, check, timeout }: TransportOptions): Transport {
  const exchanges: Exchange[] = [];
  const userAgent = `assay (run ${runId}${check === undefined ? '' : `; check ${check}`})`;

  async function sendOnce(request: RawRequest, asked: number): Promise<Answer> {
    const { method, origin, target, body } = request;
    const wait = limits.admit({ ...request, check }, performance.now());
    if (wait > 0) await delay(wait);
    const waited = performance.now() - asked;
    const headers = typeof request.headers === 'function' ? request.headers(waited) : request.headers;
    const sent = { 'User-Agent': userAgent, ...headers };
    const exchange: Exchange = {
      request: { method, url: `${origin}${target}`, headers: flat(sent), body: textOf(body) },
      durationMs: 0,
    };
    const position = exchanges.push(exchange);
    const started = performance.now();
    try {
      const route = connections.routeTo(origin);
      const response = await exchangeOnce({ method, target, headers: sent, body }, route, timeout);
      exchange.response = { status: response.status, headers: response.headers, body: response.text };
      const answer = { exchange: position, ...response, json: parseJson(response.text) };
      if (isRefusal(answer)) limits.refused(request);
      return answer;
    } catch (error) {
      exchange.error = describe(error);
      throw new Inconclusive(`no answer to ${method} ${target.slice(0, 200)}: ${exchange.error}`);
    } finally {
      exchange.durationMs = Math.round(performance.now() - started);
    }
  }

  return {
    exchanges,
    forget: () => {
      exchanges.length = 0;
    },
    record: (exchange) => exchanges.push(exchange),
    async send(request) {
      const asked = performance.now();
      let answer = await sendOnce(request, asked);
      if (answer.status === 429 && !request.provokes429) {
        await delay(waitAfter(answer));
        answer = await sendOnce(request, asked);
        if (answer.status === 429) {
          throw new Inconclusive('HTTP 429, and again after Retry-After; slow the run with limits.requestsPerSecond');
        }
      }
      const interruption = notTheTargets(answer);
      if (interruption !== undefined) throw new Inconclusive(interruption);
      return answer;
    },
  };
}

/** True when the target says that it did not do what was asked for. */
function isRefusal(answer: Answer): boolean {
  const code = field(answer, 'code');
  return answer.status === 429 || (typeof code === 'string' && code !== successCode);
}

/** For how many milliseconds a 429 asks. Throws `Inconclusive` when that is too long to wait. */
function waitAfter({ headers }: Answer): number {
  const now = Date.parse(headers.date ?? '') || Date.now();
  const wait = retryAfter(headers['retry-after'], now);
  if (wait <= longestWait) return wait;
  throw new Inconclusive(`HTTP 429, to be tried again after ${Math.round(wait / 1000)} s, which is too long to wait`);
}

/** One request and its whole response, over a connection of the route. `timeout` counts from when there is one. */
function exchangeOnce(
  { method, target, headers, body }: Pick<RawRequest, 'method' | 'target' | 'body'> & { headers: Headers },
  { secure, agent, hostname, port, prefix, headers: routeHeaders }: Route,
  timeout: number,
): Promise<Pick<Answer, 'status' | 'headers' | 'text'>> {
  const length = body === undefined ? {} : { 'Content-Length': String(body.byteLength) };
  return new Promise((resolve, reject) => {
    const request = (secure ? https : http).request({
      agent,
      hostname,
      port,
      method,
      path: `${prefix}${target}`,
      headers: { ...routeHeaders, ...headers, ...length },
    });
    let timer: NodeJS.Timeout | undefined;
    const fail = (error: Error) => {
      clearTimeout(timer);
      if (request.reusedSocket) error.message += ' (over a kept connection)';
      reject(error);
    };
    request.on('error', fail);
    request.on('socket', () => {
      timer = setTimeout(() => request.destroy(new Error('it did not come in time (see --timeout)')), timeout);
    });
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('error', fail);
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        clearTimeout(timer);
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
  const refusal = /^Bad response: (\d+)$/.exec(error.message);
  if (refusal) return `the proxy opened no connection to it: HTTP ${refusal[1]}`;
  return 'code' in error && typeof error.code === 'string' ? `${error.code} ${error.message}` : error.message;
}
