import { authenticationErrorCodes, systemErrorCodes } from '../contract/error-codes.ts';
import { type Answer, type Exchange, field } from './exchange.ts';

/** Statuses of a failed authentication and of too many requests. Neither says anything of what was asked. */
const sayingNothing: readonly number[] = [401, 429];

/** The codes of answers that say nothing of what was asked. */
const codesSayingNothing: readonly string[] = [...authenticationErrorCodes, ...systemErrorCodes];

/**
 * Whether an answer says something of what was asked: it carries that out, or it refuses it for what it is. A failed authentication, a failure of the
 * service, a refusal of too many requests and an answer without a code would have come whatever was asked, and so they show no choice of the target.
 */
export function saysSomething({ status, json }: Pick<Answer, 'status' | 'json'>): boolean {
  const code = field({ json }, 'code');
  if (typeof code !== 'string' || status >= 500 || sayingNothing.includes(status)) return false;
  return !codesSayingNothing.includes(code);
}

/** Exchanges whose answer says something. What an exchange keeps of a long body, once the run has kept much, does not show it any more. */
const telling = new WeakSet<Exchange>();

/** Notes of an exchange, as its answer comes, whether that says something. */
export function noteWhatIsSaid(exchange: Exchange, answer: Pick<Answer, 'status' | 'json'>): void {
  if (saysSomething(answer)) telling.add(exchange);
}

/** Whether the answer of an exchange said something of what was asked. */
export const isTelling = (exchange: Exchange): boolean => telling.has(exchange);
