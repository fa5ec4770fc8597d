import { setTimeout as delay } from 'node:timers/promises';
import { parseJson } from '../contract/json.ts';
import { jsonExcess } from '../contract/json-size.ts';
import { matchOperation, type OperationMatch } from '../contract/operations.ts';
import { successCode } from '../contract/success-code.ts';
import { Inconclusive } from '../errors/outcomes.ts';
import { endedBeforeAnswer, hasEnded } from '../history/ended-target.ts';
import { beginningOf, type Recorder } from '../history/recorder.ts';
import type { Body, RequestRecord } from '../history/records.ts';
import type { Absence, AbsenceWatch } from './absence.ts';
import { mostWaiting } from './allowance.ts';
import type { Connections, OneConnection } from './connections.ts';
import {
  type Answer,
  closedConnection,
  type Entry,
  type Exchange,
  field,
  joinedHeaders,
  overKeptConnection,
  type Tally,
} from './exchange.ts';
import { answeredByGateway, isUnexplained, retryAfter } from './interruptions.ts';
import type { LimitGuard } from './limits.ts';
import type { OvertakingWatch } from './overtaken.ts';
import type { Pace } from './pace.ts';
import { createPatience, type Patience } from './patience.ts';
import type { RateRefusals } from './rate-refusals.ts';
import type { RateWaits } from './rate-waits.ts';
import { noteWhatIsSaid } from './says-something.ts';
import {
  ConnectionClosed,
  type Headers,
  NoAnswerInTime,
  type Received,
  type RequestLine,
  sendOver,
} from './send-over.ts';
import type { SilenceWatch } from './silence.ts';

/** A request exactly as it is to be sent. Only the headers that HTTP itself needs are added. */
export interface RawRequest extends Omit<RequestLine, 'headers'> {
  /** Scheme, host and port of the receiver. */
  origin: string;
  /** The headers, or a function that makes them at the moment of sending. `waited`: milliseconds for which a limit held the request back. */
  headers: Headers | ((waited: number) => Headers);
  /** What the request is to the merchant API. Absent: it goes to another one, and no history keeps it. */
  call?: MerchantCall;
  /** The connection that it goes over. Absent: any that is free. */
  connection?: OneConnection | undefined;
  /** The check provokes HTTP 429, which is then an answer. Otherwise the transport waits after a 429 and sends again. */
  provokes429?: boolean | undefined;
  /** The answer hands out credentials, so nothing of it but its status is recorded. */
  confidential?: boolean | undefined;
}

/** A request as a call of the merchant API. */
export interface MerchantCall extends Pick<RequestRecord, 'as' | 'authentication'> {
  /** The request line's path without the prefix of the target, and without the query. */
  path: string;
  query?: string | undefined;
}

/** Sends requests for one check and keeps each request with its response. */
export interface Transport {
  /**
   * Sends a request and resolves with the answer. Redirects are not followed. Throws `Inconclusive` when no whole response
   * of the target itself comes, and `LimitReached` when the request would exceed a limit of the run.
   */
  send(request: RawRequest): Promise<Answer>;
  /** A connection for requests that are to come over the same one, each after the answer to the one before. */
  oneConnection(): OneConnection;
  readonly exchanges: readonly Exchange[];
  /** Forgets the exchanges so far, because the next ones show the same again. */
  forget(): void;
  /** Keeps an exchange that was not sent here. Returns its place among the exchanges. */
  record(exchange: Exchange): Entry;
  /** What the check has judged of them so far. */
  readonly tally: Tally;
}

export interface TransportOptions {
  connections: Connections;
  limits: LimitGuard;
  /** Every request carries run and check in its User-Agent, so that a team finds them in its logs. */
  runId: string;
  /** The id of the check. Absent: the requests belong to the whole run. */
  check?: string;
  /** How long one exchange may take, in milliseconds. */
  timeout: number;
  /** Where calls of the merchant API are written down. Absent: nowhere. */
  history?: Recorder;
  /** The patience of the whole run. Absent: each answer has the whole time. */
  patience?: Patience;
  /** Watches whether the target answers at all. Absent: nobody does. */
  silence?: SilenceWatch;
  /** Waits for a target that has ended and may come back. Absent: nobody does. */
  absences?: AbsenceWatch | undefined;
  /** Watches what becomes of requests over new connections. Absent: nobody does. */
  overtaking?: OvertakingWatch;
  /**
   * Told of each answer, or that the target has refused a request because it counts too many of the run. Neither a refusal that the request
   * provokes nor one under a limit of the merchant's own is one. Absent: nobody is.
   */
  pace?: Pick<Pace, 'answered' | 'refusedForRate'>;
  /** What refusals for the rate tell. Absent: the target counts all requests together. */
  rateRefusals?: RateRefusals | undefined;
  /** Counts the waits for a target that refuses requests for their rate. Absent: nobody does. */
  rateWaits?: Pick<RateWaits, 'add'> | undefined;
  /** Waits for so many milliseconds while other checks may ask. */
  pause?: (milliseconds: number) => Promise<void>;
}

/** The longest time for which the transport waits because of 429s to one request, in milliseconds. */
const longestWait = 60_000;

/** The same where each merchant has a limit of its own: others are asked meanwhile, and requests of the same merchant may come first once more. */
const longestOwnWait = 3 * longestWait;

/**
 * How often a request is sent again after a 429. Once is too little: other requests share the limit, those of its own check among them, and take the
 * places that have become free. A check that sends two hundred of them at once is let through 20 by 20 where so many are allowed in a second.
 */
const mostRepeats = 20;

/** A transport over node:http(s). It sends request lines, headers and bytes as they are given, which fetch does not. */
export function createTransport({
  connections,
  limits,
  runId,
  check,
  timeout,
  history,
  patience = createPatience(timeout),
  silence,
  absences,
  overtaking,
  pace,
  rateRefusals,
  rateWaits,
  pause = (milliseconds) => delay(milliseconds, undefined, { signal: limits.stopping }),
}: TransportOptions): Transport {
  const exchanges: Exchange[] = [];
  const tally: Tally = { judged: 0 };
  const record = (exchange: Exchange): Entry => ({ exchange: exchanges.push(exchange), tally });
  const userAgent = `assay (run ${runId}${check === undefined ? '' : `; check ${check}`})`;

  /** Sends a request once. */
  async function sendOnce(request: RawRequest, asked: number): Promise<Sent> {
    const { method, origin, target, body, startingLine, inParts } = request;
    await absences?.over(origin);
    const wait = limits.admit({ ...request, check }, performance.now());
    if (wait > 0) await delay(wait, undefined, { signal: limits.stopping });
    const headersNow = () => {
      const waited = performance.now() - asked;
      const headers = typeof request.headers === 'function' ? request.headers(waited) : request.headers;
      return { 'User-Agent': userAgent, ...headers };
    };
    let sent = headersNow();
    const exchange: Exchange = {
      request: { method, url: `${origin}${target}`, headers: joinedHeaders(sent), body: textOf(body) },
      durationMs: 0,
    };
    const entry = record(exchange);
    const called = request.call && matchOperation(method, request.call.path);
    const operation = called?.operation.name ?? origin;
    const longest = patience.timeoutFor(operation);
    let started = performance.now();
    let start = history?.now() ?? 0;
    let over: ReturnType<OvertakingWatch['connected']> | undefined;
    const onConnected = (isNew: boolean) => {
      // A request that waits at the start of a race is held back by the runner itself.
      if (startingLine) return;
      // To move a clock takes longer than other steps of a driver.
      const kind = called?.operation.name ?? `${method} ${target.split('/').at(-1)}`;
      over = overtaking?.connected(kind, isNew);
    };
    const transmit = () => {
      const route = (request.connection ?? connections).routeTo(origin);
      const line = { method, target, headers: sent, body, startingLine, inParts };
      return sendOver(line, route, { timeout: longest, mayRead: limits.mayRead, onConnected });
    };
    /** Sends the request, and again where it came to nobody because the target had ended, and has come back. */
    const transmitOnceThere = async (repeatsLeft = mostRefusals): Promise<Received> => {
      try {
        return await transmit();
      } catch (error) {
        if (!isConnectionRefused(error)) throw error;
        const absence = await absences?.refused(origin);
        // Others wait at the start of a race, which is over by now.
        if (!absence?.isBack || startingLine || repeatsLeft === 0)
          throw absence ? new Ended(hasEnded, absence, error) : error;
        sent = headersNow();
        exchange.request.headers = joinedHeaders(sent);
        started = performance.now();
        start = history?.now() ?? 0;
        return transmitOnceThere(repeatsLeft - 1);
      }
    };
    try {
      const { read, whole, milliseconds, ...response } = await transmitOnceThere();
      absences?.answered(origin);
      over?.(true);
      over = undefined;
      patience.answered(operation, milliseconds);
      if (called) silence?.answered();
      exchange.response = recordedResponse(request, response);
      const excess = whole
        ? jsonExcess(response.text)
        : `it is longer than ${Math.floor(read / 1024)} KiB, and its rest was not read`;
      const json = excess === undefined ? parseJson(response.text) : undefined;
      const answer: Answer = { ...entry, ...response, json };
      noteWhatIsSaid(exchange, answer);
      const refusal = refusalForNow(request, answer, called);
      if (refusal === 'all') pace?.refusedForRate();
      // What is refused has cost the target less than what it does.
      else pace?.answered(`${operation} ${isRefusal(answer) ? 'refused' : 'done'}`, milliseconds);
      if (excess !== undefined) {
        if (!request.confidential) exchange.response.body = beginningOf(response.text);
        throw new Unusable(excess);
      }
      if (isRefusal(answer)) limits.refused(request);
      return { answer, refusal };
    } catch (error) {
      const absence = isBrokenOff(error) ? await absences?.brokenOff(origin) : undefined;
      exchange.error = describe(absence ? new Ended(endedBeforeAnswer, absence, error) : error);
      if (!absence && isBrokenOff(error) && exchange.error.includes(overKeptConnection)) connections.lostKept();
      if (error instanceof NoAnswerInTime) {
        patience.silent(operation);
        if (called) silence?.silent();
        exchange.error +=
          longest < timeout
            ? `; it has left other requests to ${operation} without an answer too, and is waited for shortly`
            : ' (see --timeout)';
      }
      const lack = error instanceof Unusable ? 'no usable answer' : 'no answer';
      throw new Inconclusive(`${lack} to ${method} ${target.slice(0, 200)}: ${exchange.error}`, { isNoChoice: true });
    } finally {
      over?.(false);
      exchange.durationMs = Math.round(performance.now() - started);
      if (history) keepExchange(request.call, called, exchange, { history, start });
    }
  }

  /** Whom an answer refuses for now. `undefined`: nobody, the request was answered. */
  function refusalForNow(request: RawRequest, answer: Answer, called: OperationMatch | undefined): Sent['refusal'] {
    const merchantId = request.call?.as;
    if (!asksToWait(request, answer, called)) {
      const isUndecided = isUnexplained(answer, called?.operation.area);
      if (merchantId !== undefined && !isUndecided) rateRefusals?.letThrough(merchantId);
      return undefined;
    }
    // A target that is being replaced is asked too early, and not too much.
    if (answer.status === unavailable) return 'nobody-there';
    return rateRefusals?.refused(merchantId) ? 'merchant' : 'all';
  }

  /** Writes a call down, and keeps of the exchange no more than the history keeps, so that a run's memory stays bounded. */
  function keepExchange(
    call: MerchantCall | undefined,
    called: OperationMatch | undefined,
    exchange: Exchange,
    { history: into, start }: { history: Recorder; start: number },
  ): void {
    const { request, response } = exchange;
    request.headers = into.keepHeaders(request.headers);
    if (response) response.headers = into.keepHeaders(response.headers);
    const sent = into.keepOwnBody(request.body);
    const answered = response && into.keepBody(response.body);
    if (call) into.add(recordOf(call, called, exchange, { sent, answered, check, start, end: into.now() }));
    request.body = sent.text;
    if (response && answered) response.body = answered.text;
  }

  return {
    exchanges,
    forget: () => {
      exchanges.length = 0;
    },
    record,
    tally,
    oneConnection: () => connections.single(),
    async send(request) {
      const asked = performance.now();
      let { answer, refusal } = await sendOnce(request, asked);
      let waited = 0;
      for (let repeats = 0; refusal; repeats += 1) {
        if (repeats === mostRepeats) {
          throw new Inconclusive(
            `HTTP ${answer.status}, and ${mostRepeats} times again after the wait of Retry-After; slow the run with limits.requestsPerSecond`,
            { isNoChoice: true },
          );
        }
        const left = (refusal === 'merchant' ? longestOwnWait : longestWait) - waited;
        const wait = waitAfter(answer, Math.min(left, longestWait));
        if (!limits.mayWait(wait, performance.now())) {
          throw new Inconclusive(
            `HTTP ${answer.status}: the run has waited for Retry-After as long as it may, ${mostWaiting / 1000} s in which no request was let through; slow the run with limits.requestsPerSecond`,
            { isNoChoice: true },
          );
        }
        waited += wait;
        const start = performance.now();
        if (refusal !== 'nobody-there') rateWaits?.add({ start, end: start + wait });
        // Others would be refused as well where the target counts all requests together.
        await (refusal === 'merchant' ? pause(wait) : delay(wait, undefined, { signal: limits.stopping }));
        ({ answer, refusal } = await sendOnce(request, asked));
        if (!refusal) limits.hasWaitedWell();
      }
      const interruption = answeredByGateway(answer);
      if (interruption !== undefined) throw new Inconclusive(interruption, { isNoChoice: true });
      return answer;
    },
  };
}

/** An answer, and whom it refuses for now, so that the request is to be sent again later: `merchant` alone, or all requests. */
interface Sent {
  answer: Answer;
  refusal: 'merchant' | 'all' | 'nobody-there' | undefined;
}

/** An answer came that the run cannot work with. */
class Unusable extends Error {}

/** How often a request is sent again that was refused a connection. */
const mostRefusals = 3;

/** No answer came because the target has ended. */
class Ended extends Error {
  constructor(how: string, { milliseconds, isBack }: Absence, error: unknown) {
    const seconds = milliseconds < 950 ? 'less than a second' : `${Math.round(milliseconds / 1000)} s`;
    const waited = milliseconds === 0 ? 'is not waited for any more' : `did not come back in ${seconds}`;
    super(`${how}, and ${isBack ? `came back after ${seconds}` : waited}: ${describe(error)}`);
  }
}

/** How node names the errors of connections that were closed while an answer was awaited. */
const codesOfBreaks: readonly unknown[] = ['ECONNRESET', 'EPIPE', 'ECONNABORTED'];

const codeOfError = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

const isConnectionRefused = (error: unknown): boolean => codeOfError(error) === 'ECONNREFUSED';

/** Whether the other side closed the connection in place of an answer, or in the middle of one. */
const isBrokenOff = (error: unknown): boolean =>
  error instanceof ConnectionClosed || codesOfBreaks.includes(codeOfError(error));

/** What reports show in place of an answer that hands out credentials. */
const unrecorded = '[not recorded, because the answer hands out credentials]';

/** A response as the exchange shows it. */
function recordedResponse(
  { confidential }: RawRequest,
  { status, headers, text }: Omit<Received, 'read' | 'whole' | 'milliseconds'>,
) {
  return confidential ? { status, headers: {}, body: unrecorded } : { status, headers, body: text };
}

/** A call as a history keeps it. An answer of a gateway is none of the target's. */
function recordOf(
  { as, authentication, path, query }: MerchantCall,
  called: OperationMatch | undefined,
  { request, response, error }: Exchange,
  kept: { sent: Body; answered: Body | undefined; check: string | undefined; start: number; end: number },
): RequestRecord {
  const { sent, answered, check, start, end } = kept;
  const { method, headers } = request;
  const record: RequestRecord = { kind: 'request', start, end, as, authentication, method, path, headers };
  if (check !== undefined) record.check = check;
  if (called) {
    record.operation = called.operation.name;
    record.parameters = called.parameters;
  }
  if (query !== undefined) record.query = query;
  if (sent.text !== '') record.body = sent;
  const failure = error ?? interruptionIn(response);
  if (failure !== undefined) record.error = failure;
  else if (response && answered) {
    record.answer = { status: response.status, headers: response.headers, body: answered };
  }
  return record;
}

function interruptionIn(response: Exchange['response']): string | undefined {
  if (!response) return undefined;
  const { status, body } = response;
  // Most answers have this status, which nothing but the target gives.
  return answeredByGateway({ status, json: status === 200 ? undefined : parseJson(body) });
}

/** True when the answer says that the target did not carry out the request. */
function isRefusal(answer: Answer): boolean {
  const code = field(answer, 'code');
  return answer.status === 429 || (typeof code === 'string' && code !== successCode);
}

/** The status with which a gateway answers while the target behind it is replaced, and says when to ask again. */
const unavailable = 503;

/**
 * True when an answer refuses the request for now: HTTP 429, or with `Retry-After` a refusal that says nothing about the request or a gateway's
 * word that nobody is there.
 */
function asksToWait(
  { call, provokes429 }: RawRequest,
  { status, headers, json }: Pick<Answer, 'status' | 'headers' | 'json'>,
  called: OperationMatch | undefined,
): boolean {
  const saysWhen = headers['retry-after'] !== undefined;
  const hasCode = typeof field({ json }, 'code') === 'string';
  if (status === unavailable && saysWhen && !hasCode) return true;
  if (provokes429) return false;
  if (status === 429) return true;
  if (!saysWhen || !hasCode) return false;
  return call !== undefined && isUnexplained({ status, json }, called?.operation.area);
}

/** How long to wait before a request is sent again, in milliseconds. Throws `Inconclusive` when that is longer than `most`. */
function waitAfter({ status, headers }: Answer, most: number): number {
  const now = Date.parse(headers.date ?? '') || Date.now();
  const wait = retryAfter(headers['retry-after'], now);
  if (wait <= most) return wait;
  throw new Inconclusive(
    `HTTP ${status}: the target asks to try again after ${Math.round(wait / 1000)} s, which is too long to wait`,
    { isNoChoice: true },
  );
}

function textOf(body: Uint8Array | undefined): string {
  return body === undefined ? '' : Buffer.from(body).toString('utf8');
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const refusal = /^Bad response: (\d+)$/.exec(error.message);
  if (refusal) return `the proxy opened no connection to it: HTTP ${refusal[1]}`;
  if (!('code' in error) || typeof error.code !== 'string') return error.message;
  const words = inWords[error.code];
  // OpenSSL ends its messages with a line feed.
  const message = error.message.trim();
  return words === undefined ? `${error.code} ${message}` : `${words} (${error.code} ${message})`;
}

/** What the usual errors of a connection mean. */
const inWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing takes connections there',
  ECONNRESET: closedConnection,
  EPROTO: 'what answers there speaks no TLS that is understood here',
};
