import { isAbove } from '../contract/decimals.ts';
import { parseJson } from '../contract/json.ts';
import { percentDecoded } from '../contract/percent-encoding.ts';
import { Inconclusive } from '../errors/outcomes.ts';
import { field } from './exchange.ts';

/** What a run may do at most; what is absent is not limited. */
export interface Limits {
  /** The hosts that may be contacted: names or IP addresses, without ports. */
  allowHosts?: readonly string[];
  /** How many orders it may make, hosted and checkout orders together. A create that was refused makes none. */
  maxOrders?: number;
  /** How large an order it may ask for: decimal text, whatever the currency. */
  maxAmount?: string;
  /** How many requests it may begin in a second; it waits to keep this one. */
  requestsPerSecond?: number;
}

/** A request would pass a limit, and is not sent; nor is any after it, because the run stops. */
export class LimitReached extends Inconclusive {}

/** What of a request is held against the limits. */
export interface LimitedRequest {
  method: string;
  /** Scheme, host and port of where it goes. */
  origin: string;
  /** Path and query. */
  target: string;
  body?: Uint8Array | undefined;
  /** Id of the check that asks for it. */
  check?: string | undefined;
}

/** Keeps the requests of one run within its limits. */
export interface LimitGuard {
  /** Why the run stops; `undefined` as long as it does not. */
  readonly reached: string | undefined;
  /**
   * Takes a place for a request that is about to be sent. `now` counts milliseconds from any beginning.
   *
   * @returns for how many milliseconds it must wait
   * @throws LimitReached when it must not be sent at all
   */
  admit(request: LimitedRequest, now: number): number;
  /** Gives back what a request took that the target refused. */
  refused(request: LimitedRequest): void;
}

/** A guard at the beginning of a run. */
export function guardLimits({ allowHosts, maxOrders, maxAmount, requestsPerSecond }: Limits): LimitGuard {
  let reached: string | undefined;
  let orders = 0;
  let nextPlace = Number.NEGATIVE_INFINITY;

  /** Which limit a request would pass. */
  function passed(request: LimitedRequest): string | undefined {
    const hostname = hostOf(request.origin);
    if (allowHosts && !allowHosts.some((host) => host.toLowerCase() === hostname)) {
      return `limits.allowHosts does not list ${hostname}; add it there if the run may contact it`;
    }
    if (!makesOrder(request)) return undefined;
    if (maxOrders !== undefined && orders >= maxOrders) {
      return `the run has made as many orders as limits.maxOrders allows, ${maxOrders}; allow more, or run fewer checks`;
    }
    const amount = amountOf(request.body);
    if (maxAmount !== undefined && isAbove(amount, maxAmount)) {
      const { check = 'it' } = request;
      return `${check} wants an order of ${amount}, and limits.maxAmount is ${maxAmount}; allow more, or leave the check out with --check '!${check}'`;
    }
    return undefined;
  }

  return {
    get reached() {
      return reached;
    },
    admit(request, now) {
      reached ??= passed(request);
      if (reached !== undefined) throw new LimitReached(`the run stops: ${reached}`);
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

/** The host of an address as `Limits.allowHosts` names it: in lower case, without port and brackets. */
export function hostOf(address: string): string {
  return new URL(address).hostname.replace(/^\[|\]$/g, '');
}

/** True for whatever a target could take for the creation of an order, however oddly its path is written. */
function makesOrder({ method, target }: LimitedRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const [path = ''] = target.split(/[?#]/);
  return /\/orders\/*$/i.test(percentDecoded(path) ?? path);
}

/** The amount in the body of a create request. `undefined`: the body has none. */
function amountOf(body: Uint8Array = new Uint8Array()): unknown {
  return field({ json: parseJson(Buffer.from(body).toString('utf8')) }, 'orderAmount.value');
}
