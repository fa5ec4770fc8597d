import type { RateLimit } from '../domain/merchant.ts';
import type { Clock } from './ports.ts';
import { Refusal } from './refusal.ts';

/** Counts requests of merchants that have a limit, in real time, within this process. */
export interface RateLimiter {
  /** Counts a request; throws a `Refusal` that says when to try again, and counts nothing, when it is one too many. */
  count(merchantId: string, limit: RateLimit | undefined): void;
}

/**
 * A sliding window: at most so many requests in any span of so many seconds.
 *
 * @param subject the requests that it counts, as the refusal names them
 */
export function rateLimiter(clock: Clock, subject: string): RateLimiter {
  const counted = new Map<string, number[]>();
  return {
    count(merchantId, limit) {
      if (!limit) return;
      const now = clock();
      const span = limit.perSeconds * 1000;
      const recent = (counted.get(merchantId) ?? []).filter((at) => at > now - span);
      const [oldest = now] = recent;
      if (recent.length >= limit.requests) {
        const retryAfter = Math.max(1, Math.ceil((oldest + span - now) / 1000));
        throw new Refusal(
          'rate-limit-exceeded',
          `the limit of ${subject} is ${limit.requests} in ${limit.perSeconds} s; try again in ${retryAfter} s`,
          { retryAfter },
        );
      }
      counted.set(merchantId, [...recent, now]);
    },
  };
}
