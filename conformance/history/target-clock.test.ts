import { describe, expect, it } from 'vitest';
import { createTargetClock } from './target-clock.ts';

const startedAt = Date.parse('2026-01-01T10:00:00Z');

/** The clock after answers that took ten milliseconds each: when they began, in milliseconds, and how far their `Date` was ahead. */
function clockAfter(answers: readonly (readonly [start: number, ahead: number])[], clockAhead = 0) {
  const clock = createTargetClock({ startedAt, clockAhead });
  for (const [start, ahead] of answers) {
    const date = new Date(startedAt + start + ahead).toUTCString();
    clock.hear({ start, end: start + 10, answer: { status: 200, headers: { date }, body: { text: '' } } });
  }
  return clock;
}

describe('the clock of a target', () => {
  it('is as far ahead as it was at first while no date says otherwise, even if another clock dates the answers', () => {
    expect(clockAfter([]).ahead).toBe(0);
    const { ahead, jumps, range } = clockAfter(
      [
        [0, 0],
        [700, 0],
        [1900, 0],
        [60_000, 0],
      ],
      240_000,
    );
    expect({ ahead, jumps, range }).toEqual({ ahead: 240_000, jumps: 0, range: { least: 240_000, most: 240_000 } });
  });

  it.each([240_000, -240_000])('follows a jump by %i ms, to a second or so', (jump) => {
    const clock = clockAfter([
      [0, 0],
      [500, 0],
      [1000, jump],
      [1500, jump],
    ]);
    expect(clock.jumps).toBe(1);
    expect(Math.abs(clock.ahead - jump)).toBeLessThan(2000);
    expect(Number.isInteger(clock.ahead)).toBe(true);
    expect(clock.range.most - clock.range.least).toBeGreaterThan(238_000);
  });

  it('follows one jump after the other, and back', () => {
    const clock = clockAfter([
      [0, 0],
      [1000, 240_000],
      [2000, -240_000],
      [3000, 0],
    ]);
    expect(clock.jumps).toBe(3);
    expect(Math.abs(clock.ahead)).toBeLessThan(2000);
  });

  it('takes a slow answer for no jump, and a date of another year for no clock', () => {
    const clock = createTargetClock({ startedAt, clockAhead: 0 });
    const hear = (start: number, end: number, date: string) =>
      clock.hear({ start, end, answer: { status: 200, headers: { date }, body: { text: '' } } });
    hear(0, 10, 'Thu, 01 Jan 2026 10:00:00 GMT');
    hear(100, 30_100, 'Thu, 01 Jan 2026 10:00:00 GMT');
    hear(200, 30_200, 'Thu, 01 Jan 2026 10:00:30 GMT');
    hear(31_000, 31_010, 'Thu, 01 Jan 1970 00:00:00 GMT');
    hear(32_000, 32_010, 'yesterday');
    expect(clock.jumps).toBe(0);
    expect(clock.ahead).toBe(0);
  });
});
