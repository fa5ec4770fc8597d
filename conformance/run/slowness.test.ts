import { expect, it } from 'vitest';
import { slownessOf } from './slowness.ts';

it('a run that waited for a rate limit says how much, and what to do', () => {
  expect(slownessOf({ refused: 412, waited: 95_400 }, 160_000)).toBe(
    'the target refused 412 requests for their rate, and in 95 of 160 s requests waited to be sent again; give the test merchants a higher limit, or keep the run below it with limits.requestsPerSecond',
  );
});

it('a short wait, and a small part of a long run, are not told', () => {
  expect(slownessOf({ refused: 9, waited: 4000 }, 5000)).toBeUndefined();
  expect(slownessOf({ refused: 9, waited: 9000 }, 100_000)).toBeUndefined();
  expect(slownessOf({ refused: 0, waited: 0 }, 0)).toBeUndefined();
});
