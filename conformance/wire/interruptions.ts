import { type Answer, field } from './exchange.ts';

/** What a gateway answers when the target behind it does not. */
const gatewayStatuses: readonly number[] = [502, 503, 504];

/** Asked of a proxy, not of a target. */
const proxyAuthentication = 407;

/**
 * Says so when an answer is not the target's own: one of a gateway's statuses without a body that has the contract's `code`,
 * or a proxy's demand for credentials. `undefined` for what the target is to be judged by.
 */
export function notTheTargets(answer: Pick<Answer, 'status' | 'json'>): string | undefined {
  if (answer.status === proxyAuthentication) return 'the proxy wants credentials (HTTP 407)';
  if (!gatewayStatuses.includes(answer.status) || typeof field(answer, 'code') === 'string') return undefined;
  return `a gateway answered in place of the target: HTTP ${answer.status} without the contract's envelope`;
}

/** How long to wait where a 429 does not say. */
const defaultWait = 1000;

/**
 * How many milliseconds a `Retry-After` header asks for: it counts seconds or names a moment. `now` is the sender's time, as
 * its `Date` header has it.
 */
export function retryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return defaultWait;
  if (/^\s*[0-9]+\s*$/.test(header)) return Number(header) * 1000;
  const moment = Date.parse(header);
  return Number.isNaN(moment) ? defaultWait : Math.max(0, moment - now);
}
