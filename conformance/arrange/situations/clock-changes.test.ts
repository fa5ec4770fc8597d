import { expect, it } from 'vitest';
import { besideClockChanges, clockChanges } from './clock-changes.ts';

const inIso = (moments: readonly number[]) => moments.map((moment) => new Date(moment).toISOString());

it('names the moments at which clocks are set forward and back in a year', () => {
  // The second Sunday of March and the first one of November at 2 in the morning; the last ones of March and October at 1 in UTC.
  expect(inIso(clockChanges(Date.parse('2026-11-30T14:31:30Z'), 2))).toEqual([
    '2027-03-14T07:00:00.000Z',
    '2027-03-28T01:00:00.000Z',
    '2027-10-31T01:00:00.000Z',
    '2027-11-07T06:00:00.000Z',
  ]);
});

it('names as many at any time, none of which is over', () => {
  for (const now of ['2026-11-30T14:31:30Z', '2027-03-14T07:00:00Z', '2027-03-14T06:59:59Z', '2028-02-29T23:59:59Z']) {
    const changes = clockChanges(Date.parse(now));
    expect(changes, now).toHaveLength(8);
    expect(changes[0], now).toBeGreaterThan(Date.parse(now));
    expect(besideClockChanges(Date.parse(now)), now).toHaveLength(16);
  }
});
