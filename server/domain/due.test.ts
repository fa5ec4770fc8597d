import { expect, test } from 'vitest';
import { isDue } from './due.ts';

test('what is due at a time moves then, and not a millisecond before', () => {
  const order = { dueAt: 1000 };
  expect([999, 1000, 1001].map((now) => isDue(order, now))).toEqual([false, true, true]);
});

test('what has no due time never moves by itself', () => {
  expect(isDue({ dueAt: null }, Number.MAX_SAFE_INTEGER)).toBe(false);
});
