import { setMaxListeners } from 'node:events';
import { isAbove } from '../contract/decimals.ts';
import { parseJson } from '../contract/json.ts';
import { percentDecoded } from '../contract/percent-encoding.ts';
import { Inconclusive } from '../errors/outcomes.ts';
import { type Allowance, createAllowance } from './allowance.ts';
import { field } from './exchange.ts';

/** The limits of a run. An absent limit does not apply. */
export interface Limits {
  /** The hosts that the run may contact: names or IP addresses, without ports. */
  allowHosts?: readonly string[];
  /** The largest number of orders, hosted and checkout orders together. A refused create request does not count. */
  maxOrders?: number;
  /** The largest amount of an order: decimal text, for every currency. */
  maxAmount?: string;
  /** The largest number of requests in a second. The run waits to keep this limit; it stops at the others. */
  requestsPerSecond?: number;
}

/** How the reason begins for which a request is not sent that would exceed a limit. */
export const runStops = 'the run stops';

/** A request would exceed a limit. It is not sent, and the run stops. */
export class LimitReached extends Inconclusive {}

/** The parts of a request that the limits look at. */
export interface LimitedRequest {
  method: string;
  /** Scheme, host and port of the receiver. */
  origin: string;
  /** Path and query. */
  target: string;
  body?: Uint8Array | undefined;
  /** Id of the check that sends the request. */
  check?: string | undefined;
}

/** Keeps the requests of one run within its limits. */
export interface LimitGuard extends Omit<Allowance, 'webhookExcess'> {
  /** The reason why the run stops. `undefined`: no limit has been reached. */
  readonly reached: string | undefined;
  /** The number of orders or of requests in a second is limited. */
  readonly isThrifty: boolean;
  /** Counts a webhook of so many bytes, and stops the run when the target has sent more than a run can take. */
  tookWebhook(bytes: number): void;
  /** Aborted when `stop` is called. */
  readonly stopping: AbortSignal;
  /** Ends the run at once, for this reason. Nothing is sent from now on. */
  stop(reason: string): void;
  /**
   * Admits a request that is about to be sent. `now` counts milliseconds from any moment.
   *
   * @returns how long the request must wait, in milliseconds
   * @throws LimitReached when the request must not be sent at all
   */
  admit(request: LimitedRequest, now: number): number;
  /** Takes back the order that a request counted for, because the target refused it. */
  refused(request: LimitedRequest): void;
}

/** Makes the guard of a new run. */
export function guardLimits({ allowHosts, maxOrders, maxAmount, requestsPerSecond }: Limits): LimitGuard {
  const stopping = new AbortController();
  // Every pause of every check listens, and Node would take the eleventh for a leak.
  setMaxListeners(0, stopping.signal);
  let reached: string | undefined;
  let orders = 0;
  let nextPlace = Number.NEGATIVE_INFINITY;

  const allowed = allowHosts && new Set(allowHosts.map((host) => host.toLowerCase()));
  /** The origins that the run may contact. Every request asks, and there are few. */
  const allowedOrigins = new Set<string>();

  /** The limit that a request would exceed, in words. */
  function passed(request: LimitedRequest): string | undefined {
    const { origin } = request;
    if (allowed && !allowedOrigins.has(origin)) {
      const hostname = hostOf(origin);
      if (!allowed.has(hostname))
        return `limits.allowHosts does not list ${hostname}; add it there if the run may contact it`;
      allowedOrigins.add(origin);
    }
    if (!makesOrder(request)) return undefined;
    if (maxOrders !== undefined && orders >= maxOrders) {
      return `the run has made as many orders as limits.maxOrders allows, ${maxOrders}; raise the limit, or run fewer checks`;
    }
    const amount = amountOf(request.body);
    if (maxAmount !== undefined && isAbove(amount, maxAmount)) {
      const { check } = request;
      const cure = check === undefined ? '' : `, or leave the check out with --check '!${check}'`;
      return `${check ?? 'the run'} wants an order of ${amount}, and limits.maxAmount is ${maxAmount}; raise the limit${cure}`;
    }
    return undefined;
  }

  const { webhookExcess, ...allowance } = createAllowance();
  const stop = (reason: string) => {
    reached ??= reason;
    stopping.abort();
  };
  return {
    ...allowance,
    isThrifty: maxOrders !== undefined || requestsPerSecond !== undefined,
    tookWebhook(bytes) {
      const excess = webhookExcess(bytes);
      if (excess !== undefined) stop(excess);
    },
    stopping: stopping.signal,
    get reached() {
      return reached;
    },
    stop,
    admit(request, now) {
      reached ??= passed(request);
      if (reached !== undefined) throw new LimitReached(`${runStops}: ${reached}`);
      if (makesOrder(request)) orders += 1;
      if (requestsPerSecond === undefined) return 0;
      const place = Math.max(now, nextPlace);
      nextPlace = place + 1000 / requestsPerSecond;
      return place - now;
    },
    refused(request) {
      if (makesOrder(request)) orders -= 1;
    },
  };
}

/** The host of an address in lower case, without port and without brackets, as `Limits.allowHosts` has it. */
export function hostOf(address: string): string {
  return new URL(address).hostname.replace(/^\[|\]$/g, '');
}

/** True when a target could take the request for the creation of an order, in whatever way its path is written. */
function makesOrder({ method, target }: LimitedRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const [path = ''] = target.split(/[?#]/);
  return /\/orders\/*$/i.test(percentDecoded(path) ?? path);
}

/** The amount in the body of a create request. `undefined`: the body has none. */
function amountOf(body: Uint8Array = new Uint8Array()): unknown {
  return field({ json: parseJson(Buffer.from(body).toString('utf8')) }, 'orderAmount.value');
}
