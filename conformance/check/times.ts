import { type Answer, field } from '../wire/exchange.ts';
import { expectThat, needText, show } from './expect.ts';

/** Precision is the implementation's own (open point time-forms): a second may be cut off or rounded up. */
const precision = 1000;

/** How far a time that was just set may be from ours, in milliseconds: less than any zone is from another. */
const present = 10 * 60_000;

/** The moment that a time of an answer means, in milliseconds; NaN for forms of ISO 8601 that JavaScript does not read. */
function momentAt(answer: Answer, path: string): number {
  return Date.parse(needText(answer, path).replace(',', '.'));
}

/** Fails unless the time at `path` is the same moment as `expected`, ISO 8601. */
export function expectSameTime(answer: Answer, path: string, expected: string): void {
  const off = Math.abs(momentAt(answer, path) - Date.parse(expected));
  expectThat(Number.isNaN(off) || off < precision, answer, {
    expected: `${path} = ${expected}`,
    actual: `${path} = ${show(field(answer, path))}`,
  });
}

/** Fails unless the time at `path` is about the present one, `now` in milliseconds: local time that is written as UTC is not. */
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

/** How a time is written, as the register's value at open point time-forms; `undefined` for a form that it does not have. */
export function timeFormOf(time: string): string | undefined {
  return forms.find(([form]) => form.test(time))?.[1];
}
