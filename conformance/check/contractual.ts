import { authenticationErrorCodes, systemErrorCodes } from '../contract/error-codes.ts';
import { parseJson } from '../contract/json.ts';
import { matchOperation } from '../contract/operations.ts';
import { type Answer, type Exchange, field } from '../wire/exchange.ts';

/**
 * Whether the contract could have given an answer: JSON with a code, no failure of the service itself, and a status that the
 * contract declares for the operation. Any other answer shows a fault and no choice. `exchanges` are those of the check, and
 * `target` is the address of the target with its path prefix.
 */
export function isContractual(
  answer: Answer,
  exchanges: readonly Pick<Exchange, 'request'>[],
  target: string,
): boolean {
  if (answer.status >= 500 || typeof field(answer, 'code') !== 'string') return false;
  const request = exchanges[answer.exchange - 1]?.request;
  if (!request?.url.startsWith(target)) return true;
  const [path = ''] = request.url.slice(target.length).split('?');
  const match = matchOperation(request.method, path);
  // A request to no operation, such as one with an id that cannot be decoded, has no declared statuses.
  return match === undefined || match.operation.answers.has(answer.status);
}

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

/**
 * Whether the target was asked something and no answer says anything of it. `exchanges` are those of a check, and `target` is the address of the
 * target with its path prefix.
 */
export function isToldNothing(exchanges: readonly Pick<Exchange, 'request' | 'response'>[], target: string): boolean {
  const asked = exchanges.filter(({ request: { method, url } }) => {
    const [path = ''] = url.startsWith(target) ? url.slice(target.length).split('?') : [];
    return matchOperation(method, path) !== undefined;
  });
  const isTelling = ({ response }: Pick<Exchange, 'response'>) =>
    response !== undefined && saysSomething({ status: response.status, json: parseJson(response.body) });
  return asked.length > 0 && !asked.some(isTelling);
}
