import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import type { CheckContext } from '../../check/context.ts';
import { countJudged, expectAccepted, isAccepted, summary } from '../../check/expect.ts';
import { authenticationErrorCodes, errorCode, isNamedCode, systemErrorCodes } from '../../contract/error-codes.ts';
import { ownValue } from '../../contract/json.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';

/**
 * What the answer to a request says of its authentication.
 *
 * - `accepted`: a success.
 * - `let-through`: a refusal for something that is looked at once the request is known to be its merchant's, such as an order that there is not.
 * - `failed`: the service failed, or takes no such request now. Nothing is said of authentication.
 * - `foreign`: no answer of the contract, such as a page. Nothing is said of authentication either.
 * - `refused`: any other refusal, which may be one of authentication.
 */
export type Passage = 'accepted' | 'let-through' | 'failed' | 'foreign' | 'refused';

/** The codes that may stand for a failed authentication too: some servers have one code for each HTTP status. */
const ambiguousCodes: readonly string[] = [
  ...authenticationErrorCodes,
  ...(['orders', 'checkout', 'refunds'] as const).map((area) => errorCode(area, 'INVALID_PARAMETER')),
  // The merchant is named by the path and by the key, and what it may use belongs to it.
  errorCode('checkout', 'INVALID_MERCHANT'),
  errorCode('checkout', 'API_PERMISSION_DISABLED'),
];

/** HTTP statuses by which a service takes no request for now, or none of this length. */
const takingNone: readonly number[] = [413, 429];

/** What an answer says of the authentication of its request. */
export function passageOf(answer: Answer): Passage {
  if (isAccepted(answer)) return 'accepted';
  const { status } = answer;
  const code = field(answer, 'code');
  const hasFailed = status >= 500 || takingNone.includes(status);
  if (hasFailed || (typeof code === 'string' && systemErrorCodes.includes(code))) return 'failed';
  // Whatever stands in the body, these statuses speak of authentication.
  if (status === 401 || status === 403) return 'refused';
  if (typeof code !== 'string') return 'foreign';
  return isNamedCode(code) && !ambiguousCodes.includes(code) ? 'let-through' : 'refused';
}

/** Whether an answer says nothing of the authentication of its request. */
export const saysNothing = (answer: Answer): boolean => ['failed', 'foreign'].includes(passageOf(answer));

/** Throws `Inconclusive` when the answer to a request says nothing of its authentication; `what` names the request. */
export function needToldOf(answer: Answer, what: string): void {
  if (saysNothing(answer)) throw toldNothing(answer, what);
}

const toldNothing = (answer: Answer, what: string) =>
  new Inconclusive(`the answer to ${what} says nothing of its authentication: ${summary(answer)}`);

/**
 * Fails unless the authentication lets a right request through, whatever is said of it afterwards. Throws `Inconclusive` when the answer says
 * nothing of that; `what` names the request.
 */
export function expectLetThrough(
  context: CheckContext,
  answer: Answer,
  what: string,
  requirement?: RequirementId,
): void {
  needToldOf(answer, what);
  needOwnAnswer(context, answer, what);
  if (passageOf(answer) === 'let-through') countJudged(answer);
  else expectAccepted(answer, what, requirement);
}

/**
 * Throws `Inconclusive` when the service failed at a wrong request, or gave it no answer of the contract, unless it still accepts a right one:
 * only then is it the mistake that it answers so. `other` sends the right one; absent: there is none that can be sent again.
 */
export async function needFailureOfMistake(
  answer: Answer,
  what: string,
  other: (() => Promise<Answer>) | undefined,
): Promise<void> {
  if (!saysNothing(answer)) return;
  const isOfMistake = !takingNone.includes(answer.status) && other !== undefined && isAccepted(await other());
  if (!isOfMistake) throw toldNothing(answer, what);
}

/** Throws `Inconclusive` when an answer was given to another request before. */
export function needOwnAnswer(context: CheckContext, answer: Answer, what: string): void {
  // What is accepted accuses nobody, and whether something keeps answers is looked for in all that was exchanged.
  if (!isAccepted(answer) && isKept(context, answer))
    throw new Inconclusive(`the answer to ${what} ${keptWords}: ${summary(answer)}`);
}

const keptWords = 'was given to an earlier request already, with the same request id: something keeps answers';

/** That an answer was given to an earlier request already, as the end of what was found. Empty: it was not. */
export const keptInWords = (context: CheckContext, answer: Answer): string =>
  isKept(context, answer) ? `; the answer ${keptWords}` : '';

/** By what an answer can be told from every other. `undefined`: by nothing. */
const traceOf = ({ headers, json }: Pick<Answer, 'headers' | 'json'>): unknown =>
  ownValue(json, 'requestId') ?? headers['x-request-id'];

/**
 * Whether the answer is the one that an earlier request to the same address had, as a cache gives it. A target whose answers all have the same
 * request id, or none, shows nothing by it.
 */
function isKept({ history, transport }: CheckContext, answer: Answer): boolean {
  const trace = traceOf(answer);
  const sent = transport.exchanges[answer.exchange - 1]?.request;
  if (trace === undefined || !sent) return false;
  let times = 0;
  let hasOther = false;
  for (const record of history.records) {
    if (record.kind !== 'request' || record.answer === undefined) continue;
    const { headers, body } = record.answer;
    const isSame = body.text.includes(String(trace)) || headers['x-request-id'] === trace;
    hasOther ||= !isSame;
    const address = `${record.path}${record.query === undefined ? '' : `?${record.query}`}`;
    if (isSame && body.text === answer.text && record.method === sent.method && sent.url.endsWith(address)) times += 1;
  }
  return times > 1 && hasOther;
}
