import type { RequirementId } from '../../generated/catalogue-ids.ts';
import { contract } from '../../generated/contract.ts';
import { compareDecimals, isDecimalText } from '../contract/decimals.ts';
import { envelopeFault } from '../contract/envelope-faults/envelope-faults.ts';
import { errorCode } from '../contract/error-codes.ts';
import { faultyPlaces } from '../contract/faulty-places.ts';
import { atPointer } from '../contract/json.ts';
import { namedPart } from '../contract/named-fields.ts';
import { jsonDecoded } from '../contract/readings.ts';
import { isSameValue } from '../contract/same-value.ts';
import { cut, show, showApart } from '../contract/show.ts';
import { successCode } from '../contract/success-code.ts';
import { shortestTellingId } from '../contract/telling-ids.ts';
import { Broken, Inconclusive } from '../errors/outcomes.ts';
import { type Answer, field, redirectIn } from '../wire/exchange.ts';
import { saysSomething } from '../wire/says-something.ts';

/** True when the answer's code is the contract's code of success. */
export function isAccepted(answer: Answer): boolean {
  return field(answer, 'code') === successCode;
}

const invalidParameterCodes = [errorCode('orders', 'INVALID_PARAMETER'), errorCode('checkout', 'INVALID_PARAMETER')];

/** True for a refusal of a parameter: the code of a wrong parameter, or HTTP 400 with a code. */
export function isParameterRefusal(answer: Answer): boolean {
  const code = field(answer, 'code');
  if (typeof code !== 'string' || code === successCode) return false;
  return answer.status === 400 || (answer.status === 200 && invalidParameterCodes.includes(code));
}

/**
 * Counts that something about an answer, or about what a transport has sent, is judged. Every expectation does it; a check that comes to its judgement
 * without one calls it, because a check that has judged nothing does not pass.
 */
export function countJudged({ tally }: Pick<Answer, 'tally'>): void {
  if (tally) tally.judged += 1;
}

/** Fails unless the answer has one of these codes: several, where more than one row of the contract's table fits. */
export function expectCode(answer: Answer, codes: readonly string[], requirement?: RequirementId): void {
  const code = field(answer, 'code');
  expectThat(typeof code === 'string' && codes.includes(code), answer, {
    expected: `code = ${codes.join(' or ')}`,
    actual: `code = ${showText(code)}`,
    ...(requirement && { requirement }),
  });
}

/** Fails unless the value at `path` of the answer's body is `expected`. */
export function expectField(answer: Answer, path: string, expected: unknown, requirement?: RequirementId): void {
  countJudged(answer);
  const seen = valueAt(answer, path);
  if (Object.is(seen, expected)) return;
  const [right, wrong] = showApart(expected, seen);
  throw new Broken(seen === undefined ? lackOf(answer, path) : `${path} has the wrong value`, {
    expected: `${path} = ${right}`,
    actual: seen === undefined ? seenAt(answer, path) : `${path} = ${wrong}`,
    exchange: answer.exchange,
    ...(requirement && { requirement }),
  });
}

/** Why there is nothing at a path of an answer, in words. */
const lackOf = (answer: Answer, path: string): string =>
  path.startsWith('data.') && isRefusal(answer)
    ? `a refusal with code ${show(field(answer, 'code'))}, which shows no ${path}`
    : `${path} is absent`;

/** Fails unless the decimal text at `path` is the same number as the decimal text `expected`; zeros at the end do not count. */
export function expectAmount(answer: Answer, path: string, expected: string, requirement?: RequirementId): void {
  const seen = field(answer, path);
  expectThat(isDecimalText(seen) && compareDecimals(seen, expected) === 0, answer, {
    expected: `${path} = ${expected}`,
    actual: seenAt(answer, path),
    ...(requirement && { requirement }),
  });
}

/** Fails unless `holds`. `expected` and `actual` describe in words the right answer and the one that came. */
export function expectThat(
  holds: boolean,
  answer: Answer,
  { expected, actual, requirement }: { expected: string; actual: string; requirement?: RequirementId },
): void {
  countJudged(answer);
  if (holds) return;
  throw new Broken(actual, { expected, actual, exchange: answer.exchange, ...(requirement && { requirement }) });
}

/** Fails unless the answer is a success; `what` names the request. */
export function expectAccepted(answer: Answer, what: string, requirement?: RequirementId): void {
  expectThat(isAccepted(answer), answer, {
    expected: `${what}: code = ${show(successCode)}`,
    actual: summary(answer),
    ...(requirement && { requirement }),
  });
}

/** Fails unless the answer is a refusal; `what` names the request. */
export function expectRefused(answer: Answer, what: string, requirement?: RequirementId): void {
  expectThat(!isAccepted(answer), answer, {
    expected: `${what}: refused, a code other than ${show(successCode)}`,
    actual: summary(answer),
    ...(requirement && { requirement }),
  });
}

/**
 * Fails unless the values at these names under `data` mean the same in both answers, without the fields that the target adds to an object.
 * `event` is what happened in between.
 */
export function expectUnchanged(
  before: Answer,
  after: Answer,
  names: readonly string[],
  event: string,
  requirement?: RequirementId,
): void {
  for (const name of names) {
    const [old, present] = [before, after].map((answer) => namedPart(name, field(answer, `data.${name}`)));
    expectThat(isSameValue(old, present), after, {
      expected: `after ${event}: data.${name} = ${show(old)}, as before`,
      actual: `data.${name} = ${show(present)}`,
      ...(requirement && { requirement }),
    });
  }
}

/**
 * Fails when the answer contains one of the `ids` of another merchant's record; `record` is its noun, such as `order`. The ids that the request
 * itself named, `asked`, may stand there: a platform may make its own id of a merchant's.
 */
export function expectNothingOf(
  answer: Answer,
  ids: readonly string[],
  asked: readonly string[],
  record: string,
  requirement?: RequirementId,
): void {
  const text = jsonDecoded(answer.text);
  const named = ids.find((id) => !isMadeOfOne(id, asked) && id.length >= shortestTellingId && text.includes(id));
  expectThat(named === undefined, answer, {
    expected: `nothing of the other merchant's ${record} in the answer`,
    actual: `the answer names ${named}`,
    ...(requirement && { requirement }),
  });
}

const isMadeOfOne = (id: string, asked: readonly string[]) =>
  asked.some((each) => each.includes(id) || (each.length >= shortestTellingId && id.includes(each)));

/** Fails unless the Content-Type of the answer is JSON. */
export function expectJsonType(answer: Answer, requirement?: RequirementId): void {
  const type = answer.headers['content-type'];
  expectThat(/^application\/json(\s*;|$)/i.test(type ?? ''), answer, {
    expected: 'Content-Type = application/json',
    actual: `Content-Type = ${show(type)}`,
    ...(requirement && { requirement }),
  });
}

/** Fails unless an answer has this HTTP status; `what` names the request. */
export function expectStatus(answer: Answer, status: number, what: string, requirement?: RequirementId): void {
  expectThat(answer.status === status, answer, {
    expected: `${what}: HTTP ${status}`,
    actual: `HTTP ${answer.status}`,
    ...(requirement && { requirement }),
  });
}

/**
 * Fails unless the answer's body fits a schema of the contract, given by its name. The requirement reported is the one that
 * the contract names at the place that does not fit.
 */
export function expectSchema(answer: Answer, schema: string): void {
  countJudged(answer);
  const pointer = `/components/schemas/${schema}`;
  const place = faultyPlaces(answer.json, pointer).find(({ path }) => !isFreeNull(answer, path));
  if (!place) return;
  const wantsSuccess = atPointer(contract, `${pointer}/properties/code/const`) === successCode;
  const otherKind = isEnvelope(answer) && isAccepted(answer) !== wantsSuccess;
  throw new Broken(`the answer does not fit ${schema}`, {
    expected: otherKind ? (wantsSuccess ? 'a success' : 'a refusal') : place.expected,
    actual: otherKind || place.path === '' ? summary(answer) : place.actual,
    exchange: answer.exchange,
    ...(place.requirement && { requirement: place.requirement }),
  });
}

/** Fields that are null or absent, as the target likes, where the merchant gave no value. Another check judges a given one. */
const freelyNull = ['extraData'];

function isFreeNull(answer: Answer, path: string): boolean {
  return freelyNull.includes(path.split('.').at(-1) ?? '') && field(answer, path) === null;
}

/** True for a body with a code, as successes and refusals have it. */
const isEnvelope = (answer: Answer) => typeof field(answer, 'code') === 'string';

const isRefusal = (answer: Answer) => isEnvelope(answer) && !isAccepted(answer);

/** The status of the order or refund that an answer shows. `undefined` for a refusal, though that of a hosted order has FAILED in its data. */
export const statusOf = (answer: Answer): unknown => (isRefusal(answer) ? undefined : field(answer, 'data.status'));

const valueAt = (answer: Answer, path: string) => (path === 'data.status' ? statusOf(answer) : field(answer, path));

/** A value of an answer in words. A refusal is named in place of data that it has not. */
export function seenAt(answer: Answer, path: string): string {
  const value = valueAt(answer, path);
  if (value === undefined && path.startsWith('data.') && isRefusal(answer)) return summary(answer);
  return value === undefined ? `${path} is absent` : `${path} = ${showText(value)}`;
}

/** A value where text should be, as a finding shows it. A number or a truth value reads like the text, and is told from it. */
const showText = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'boolean' ? `${show(value)}, which is no text` : show(value);

/** Throws `Inconclusive` unless the answer is a success: for requests before the one that is judged. */
export function needAccepted(answer: Answer, what: string): void {
  if (isAccepted(answer)) return;
  throw new Inconclusive(`${what} was not accepted: ${summary(answer)}`, { isNoChoice: !saysSomething(answer) });
}

/**
 * Whether the target carries out what it may refuse as well. Throws `Inconclusive` where the answer says nothing of what was asked, such as one that
 * finds a right signature wrong: that is no choice of the target.
 */
export function isTaken(answer: Answer, what: string): boolean {
  if (!saysSomething(answer)) needAccepted(answer, what);
  return isAccepted(answer);
}

/**
 * Throws `Inconclusive` when the answer's body does not fit a schema of the contract, given by its name: for requests before the one that is
 * judged. The reason names the operation in the words of `what`, and the first place that does not fit.
 */
export function needSchema(answer: Answer, schema: string, what: string): void {
  const [place] = faultyPlaces(answer.json, `/components/schemas/${schema}`);
  if (!place) return;
  const { expected, actual, requirement } = place;
  throw new Inconclusive(`the answer to ${what} breaks the contract: ${actual}; expected: ${expected}`, {
    requirement,
    isNoChoice: true,
  });
}

/** The text at `path`. Throws `Inconclusive` when there is none: for requests before the one that is judged. */
export function needText(answer: Answer, path: string): string {
  const value = field(answer, path);
  if (typeof value === 'string') return value;
  throw new Inconclusive(`text was needed at ${path} to go on: ${seenAt(answer, path)}`, {
    isNoChoice: isAccepted(answer) || !saysSomething(answer),
  });
}

/** An answer in a few words. */
export function summary(answer: Answer): string {
  const [code, message, details] = ['code', 'message', 'details'].map((name) => field(answer, name));
  const unreadable = typeof code === 'string' ? undefined : envelopeFault(answer);
  if (unreadable) return `HTTP ${answer.status} and an answer that ${unreadable.words}`;
  if (code === undefined) {
    const redirect = redirectIn(answer);
    return `HTTP ${answer.status} with ${cut(redirect ?? answer.text, 120) || 'an empty body'}`;
  }
  if (isAccepted(answer)) return `a success, code = ${show(code)} (HTTP ${answer.status})${idsIn(answer)}`;
  const words = message === undefined ? 'no message' : show(message);
  const more = details === undefined || details === '' ? '' : `; details: ${show(details)}`;
  return `a refusal with code ${show(code)} (HTTP ${answer.status}): ${words}${more}`;
}

/** The merchant's own id of what an answer shows, as the end of a summary: it may be another one than was asked for. Empty: it shows none. */
function idsIn(answer: Answer): string {
  for (const name of ['merchantRefundOrderId', 'merchantOrderId']) {
    const id = field(answer, `data.${name}`);
    if (typeof id === 'string') return ` with ${name} = ${cut(show(id), 120)}`;
  }
  return '';
}
