import type { RequirementId } from '../../generated/catalogue.ts';
import { compareDecimals, isDecimalText } from '../contract/decimals.ts';
import { schemaFaults } from '../contract/schema.ts';
import { successCode } from '../contract/success-code.ts';
import { Broken, Inconclusive } from '../errors/outcomes.ts';
import { type Answer, field } from '../wire/exchange.ts';

/** True when an answer says that what was asked for was done. */
export function isAccepted(answer: Answer): boolean {
  return field(answer, 'code') === successCode;
}

/** Fails unless the value at `path` of the answer's body is `expected`. */
export function expectField(answer: Answer, path: string, expected: unknown, requirement?: RequirementId): void {
  const actual = field(answer, path);
  if (Object.is(actual, expected)) return;
  throw new Broken(`${path} is not what it must be`, {
    expected: `${path} = ${show(expected)}`,
    actual: `${path} = ${show(actual)}`,
    exchange: answer.exchange,
    ...(requirement && { requirement }),
  });
}

/** Fails unless the value at `path` is `expected` as a number, whatever the zeros at its end; both are decimal text. */
export function expectAmount(answer: Answer, path: string, expected: string, requirement?: RequirementId): void {
  const seen = field(answer, path);
  expectThat(isDecimalText(seen) && compareDecimals(seen, expected) === 0, answer, {
    expected: `${path} = ${expected}`,
    actual: `${path} = ${show(seen)}`,
    ...(requirement && { requirement }),
  });
}

/** Fails unless `holds`; `expected` and `actual` say in words what should be and what is. */
export function expectThat(
  holds: boolean,
  answer: Answer,
  { expected, actual, requirement }: { expected: string; actual: string; requirement?: RequirementId },
): void {
  if (holds) return;
  throw new Broken(actual, { expected, actual, exchange: answer.exchange, ...(requirement && { requirement }) });
}

/** Fails unless the answer says that what was asked for was done. */
export function expectAccepted(answer: Answer, what: string, requirement?: RequirementId): void {
  expectThat(isAccepted(answer), answer, {
    expected: `${what}: code = ${show(successCode)}`,
    actual: summary(answer),
    ...(requirement && { requirement }),
  });
}

/** Fails when the answer says that what was asked for was done. */
export function expectRefused(answer: Answer, what: string, requirement?: RequirementId): void {
  expectThat(!isAccepted(answer), answer, {
    expected: `${what}: refused, a code other than ${show(successCode)}`,
    actual: summary(answer),
    ...(requirement && { requirement }),
  });
}

/** Fails unless the answer's body fits the schema at a pointer of the contract; names the requirement that the contract names there. */
export function expectSchema(answer: Answer, schema: string): void {
  const pointer = `/components/schemas/${schema}`;
  const [fault] = schemaFaults(answer.json, pointer);
  if (!fault) return;
  throw new Broken(`the answer does not fit ${schema}`, {
    expected: `${fault.path || 'body'} ${fault.expected}`,
    actual: fault.path ? `${fault.path} = ${show(field(answer, fault.path))}` : summary(answer),
    exchange: answer.exchange,
    ...(fault.requirement && { requirement: fault.requirement }),
  });
}

/** For a step before the judgement: throws `Inconclusive` unless what was asked for was done. */
export function needAccepted(answer: Answer, what: string): void {
  if (!isAccepted(answer)) throw new Inconclusive(`${what} was refused: ${summary(answer)}`);
}

/** The text at `path`, for a step before the judgement: throws `Inconclusive` when there is none. */
export function needText(answer: Answer, path: string): string {
  const value = field(answer, path);
  if (typeof value !== 'string') throw new Inconclusive(`${path} is ${show(value)} where text was needed to go on`);
  return value;
}

/** An answer in a few words. */
export function summary(answer: Answer): string {
  const [code, message] = [field(answer, 'code'), field(answer, 'message')];
  if (code === undefined) return `HTTP ${answer.status} with ${cut(answer.text, 120) || 'an empty body'}`;
  return `HTTP ${answer.status}, code = ${show(code)}, message = ${show(message)}`;
}

/** A value as a report shows it: text as it is, everything else as JSON. */
export function show(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
  return cut(text, 300);
}

/** Text with what is left out marked, so that half a secret is found there. */
export function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
}
