import { expect, it } from 'vitest';
import { createRateWaits, type RateWait } from './rate-waits.ts';

it('waits that overlap count once, and each refused request counts', () => {
  const told: RateWait[] = [];
  const waits = createRateWaits((wait) => told.push(wait));
  waits.add({ start: 1000, end: 2000 });
  waits.add({ start: 1500, end: 2500 });
  waits.add({ start: 1600, end: 1700 });
  waits.add({ start: 9000, end: 9300 });
  expect(waits).toMatchObject({ refused: 4, waited: 1500 + 300, until: 9300 });
  expect(told).toHaveLength(4);
});
