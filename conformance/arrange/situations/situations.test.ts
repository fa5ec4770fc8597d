import { expect, it } from 'vitest';
import { momentsOfTheDay } from './situations.ts';

const minute = 60_000;
const hour = 60 * minute;

it('finds as many moments at any time of the day, each one to 23 hours ahead', () => {
  const midnight = Date.parse('2027-02-28T00:00:00Z');
  const times = Array.from({ length: 24 * 6 }, (_, index) => midnight + index * 10 * minute);
  const ahead = times.map((time) => momentsOfTheDay({ now: () => time }).map((text) => Date.parse(text) - time));
  expect(new Set(ahead.map(({ length }) => length))).toEqual(new Set([7]));
  expect(Math.min(...ahead.flat())).toBeGreaterThan(hour);
  expect(Math.max(...ahead.flat())).toBeLessThan(23 * hour);
});

it('keeps to the times of the day that tell the most where they are far enough ahead', () => {
  expect(momentsOfTheDay({ now: () => Date.parse('2027-02-28T06:15:00Z') })).toEqual([
    '2027-03-01T00:00:00.007Z',
    '2027-03-01T00:30:09.070Z',
    '2027-02-28T11:59:59.900Z',
    '2027-02-28T12:00:05.001Z',
    '2027-02-28T12:59:09.099Z',
    '2027-02-28T13:00:00.010Z',
    '2027-02-28T23:59:59.009Z',
  ]);
});
