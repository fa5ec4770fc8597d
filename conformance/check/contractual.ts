import { matchOperation } from '../contract/operations.ts';
import { type Answer, type Exchange, field } from '../wire/exchange.ts';
import { isTelling } from '../wire/says-something.ts';

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

/**
 * Whether the target was asked something and no answer says anything of it. `exchanges` are those of a check, and `target` is the address of the
 * target with its path prefix.
 */
export function isToldNothing(exchanges: readonly Exchange[], target: string): boolean {
  const asked = exchanges.filter(({ request: { method, url } }) => {
    const [path = ''] = url.startsWith(target) ? url.slice(target.length).split('?') : [];
    return matchOperation(method, path) !== undefined;
  });
  return asked.length > 0 && !asked.some(isTelling);
}
