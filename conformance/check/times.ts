import { instantOf } from '../contract/moments.ts';
import { show } from '../contract/show.ts';
import { type Answer, field } from '../wire/exchange.ts';
import { expectThat, needText } from './expect.ts';

/** How far two forms of the same time may differ, in milliseconds: the target chooses the precision (open point time-forms). */
const precision = 1000;

/** How far a present time may be from ours, in milliseconds: less than the difference between any two zones. */
const present = 10 * 60_000;

/** A time of an answer in milliseconds since 1970; NaN for text that is no time. */
const momentAt = (answer: Answer, path: string): number => instantOf(needText(answer, path));

/** Fails unless the time at `path` is the same moment as `expected`, ISO 8601. */
export function expectSameTime(answer: Answer, path: string, expected: string): void {
  const off = Math.abs(momentAt(answer, path) - Date.parse(expected));
  expectThat(Number.isNaN(off) || off < precision, answer, {
    expected: `${path} = ${expected}`,
    actual: `${path} = ${show(field(answer, path))}`,
  });
}

/** Fails unless the time at `path` is close to `now`, in milliseconds. Local time written as UTC is too far away. */
export function expectPresentTime(answer: Answer, path: string, now: number): void {
  const off = Math.abs(momentAt(answer, path) - now);
  expectThat(Number.isNaN(off) || off < present, answer, {
    expected: `${path} = about ${new Date(now).toISOString()}`,
    actual: `${path} = ${show(field(answer, path))}`,
  });
}

const forms: readonly [RegExp, string][] = [
  [/\.[0-9]{3}Z$/, 'milliseconds'],
  [/\.[0-9]{3}\+00:00$/, 'offset'],
  [/\.[0-9]{6}Z$/, 'microseconds'],
];

/** The value at open point time-forms for the form of a time; `undefined` for a form that the register does not have. */
export function timeFormOf(time: string): string | undefined {
  return forms.find(([form]) => form.test(time))?.[1];
}
