import { isNamedCode, systemErrorCodes } from '../contract/error-codes.ts';
import { successCode } from '../contract/success-code.ts';
import { type Answer, field } from './exchange.ts';

/** The beginning of what is said of an answer that a gateway gave, with its status. */
export const gatewayAnswered = 'a gateway answered in place of the target';

/** The statuses with which a gateway answers when the target behind it does not. */
const gatewayStatuses: readonly number[] = [502, 503, 504];

/** The status with which a machine gives up a request that it waits for. The run sends each of its own at once. */
const requestTimeout = 408;

/** The status with which a proxy asks for credentials. A target never sends it. */
const proxyAuthentication = 407;

/**
 * Says which machine between runner and target has sent an answer. A gateway is recognised by its status and by a body
 * without the contract's `code`, a proxy by its demand for credentials; a request that did not arrive in time was answered by whoever waited for
 * it. `undefined`: the answer is the target's own.
 */
export function answeredByGateway(answer: Pick<Answer, 'status' | 'json'>): string | undefined {
  if (answer.status === proxyAuthentication) return 'the proxy wants credentials (HTTP 407)';
  if (typeof field(answer, 'code') === 'string') return undefined;
  if (answer.status === requestTimeout)
    return 'a request that was sent did not arrive in time, on a busy machine (HTTP 408)';
  if (!gatewayStatuses.includes(answer.status)) return undefined;
  return `${gatewayAnswered}: HTTP ${answer.status} without the contract's envelope`;
}

/** A refusal that may say nothing about the request: a system error, or on operations of orders a code that the contract does not name. */
export function isUnexplained({ status, json }: Pick<Answer, 'status' | 'json'>, area: string | undefined): boolean {
  const code = field({ json }, 'code');
  if (code === successCode || status === 429) return false;
  if (status >= 500) return true;
  if (typeof code !== 'string') return false;
  return systemErrorCodes.includes(code) || (area !== undefined && area !== 'refunds' && !isNamedCode(code));
}

/** How long to wait after a refusal for the moment without a usable `Retry-After`, in milliseconds. */
const defaultWait = 1000;

/**
 * The wait that a `Retry-After` header asks for, in milliseconds. The header counts seconds or names a moment. `now` is the
 * sender's time from its `Date` header, in milliseconds since 1970.
 */
export function retryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return defaultWait;
  if (/^\s*[0-9]+\s*$/.test(header)) return Number(header) * 1000;
  const moment = Date.parse(header);
  return Number.isNaN(moment) ? defaultWait : Math.max(0, moment - now);
}
