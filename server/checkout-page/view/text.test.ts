import { describe, expect, test } from 'vitest';
import { durationText, plainText, timeText } from './text.ts';

describe('plain text', () => {
  test.each([
    ['an ordinary text', 'Two teas & a pot, 7.95 €', 'Two teas & a pot, 7.95 €'],
    ['other scripts and emoji', 'مرحبا · 茶 · 👩‍👩‍👧 · می‌خواهم', 'مرحبا · 茶 · 👩‍👩‍👧 · می‌خواهم'],
    ['marks of direction', 'a\u202egnp.exe\u202c\u2066b\u2069\u200f\u061c', 'agnp.exeb'],
    ['controls and line breaks', 'a\0b\r\n\tc\u2028d\x1b[31m', 'a b c d [31m'],
    ['characters that show nothing', 'pay\u200b\u2060\ufeff\u00ad', 'pay'],
    ['heaps of accents', `e${'\u0301'.repeat(50)}`, `e${'\u0301'.repeat(4)}`],
    ['a lone surrogate', 'a\ud800b', 'ab'],
    ['white space alone', ' \n ', ''],
  ])('of %s', (_, text, expected) => {
    expect(plainText(text, 100)).toBe(expected);
  });

  test('is as long as allowed, in characters, and says where it was cut', () => {
    expect(plainText('x'.repeat(10), 10)).toBe('x'.repeat(10));
    expect(plainText('x'.repeat(11), 10)).toBe(`${'x'.repeat(9)}…`);
    expect(plainText('🎉'.repeat(11), 10)).toBe(`${'🎉'.repeat(9)}…`);
    expect(plainText('x'.repeat(5_000_000), 10)).toBe(`${'x'.repeat(9)}…`);
    expect(plainText(`${'\u200b'.repeat(5_000_000)}x`, 10)).toBe('…');
  });
});

describe('a duration', () => {
  test.each([
    [0, '0 seconds'],
    [-5_000, '0 seconds'],
    [1, '1 second'],
    [59_001, '1 minute'],
    [61_000, '1 minute 1 second'],
    [3_600_000, '1 hour'],
    [3_601_000, '1 hour'],
    [7_380_000, '2 hours 3 minutes'],
    [90_000_000, '1 day 1 hour'],
  ])('of %i ms', (milliseconds, expected) => {
    expect(durationText(milliseconds)).toBe(expected);
  });
});

test('a time is shown in UTC', () => {
  expect(timeText(Date.parse('2026-01-31T23:05:09.999Z'))).toBe('31 Jan 2026, 23:05:09 UTC');
});
