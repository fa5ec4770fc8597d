import { expect, it } from 'vitest';
import { type Marked, tellingMark } from './telling-mark.ts';

const looks = (count: number, isMeant: boolean, ...marks: string[]): Marked[] =>
  Array.from({ length: count }, () => ({ isMeant, marks: new Set(marks) }));

it('is what all of a kind have and most others have not', () => {
  const seen = [...looks(30, true, 'it is red'), ...looks(20, false, 'it is red'), ...looks(70, false, 'it is blue')];
  expect(tellingMark(seen, 10)).toMatchObject({
    times: 30,
    words: 'where it is red: 30 of 50 times; where not: 0 of 70 times',
  });
});

it('is what makes all that have it one of the kind, also where others are for other reasons', () => {
  const seen = [...looks(30, true, 'it is red'), ...looks(30, true, 'it is blue'), ...looks(70, false, 'it is blue')];
  expect(tellingMark(seen, 10)?.words).toBe('where it is red: 30 of 30 times; where not: 30 of 100 times');
});

it('is the one of several that tells best', () => {
  const seen = [
    ...looks(30, true, 'it is red', 'it is round'),
    ...looks(30, false, 'it is round'),
    ...looks(70, false, 'it is blue'),
  ];
  expect(tellingMark(seen, 10)?.words).toMatch(/^where it is red: /);
});

it('is none where nearly all have it, where it goes with nothing, and where few are seen', () => {
  expect(tellingMark([...looks(30, true, 'it is red'), ...looks(60, false, 'it is red')], 10)).toBeUndefined();
  const mixed = [
    ...looks(30, true, 'it is red'),
    ...looks(30, true),
    ...looks(30, false, 'it is red'),
    ...looks(30, false),
  ];
  expect(tellingMark(mixed, 10)).toBeUndefined();
  expect(tellingMark([...looks(9, true, 'it is red'), ...looks(60, false)], 10)).toBeUndefined();
  expect(tellingMark([...looks(30, true, 'it is red'), ...looks(9, false)], 10)).toBeUndefined();
  // A few of many that have it may be so by chance.
  const byChance = [...looks(10, true, 'it is red'), ...looks(80, false, 'it is red'), ...looks(200, false)];
  expect(tellingMark(byChance, 10)).toBeUndefined();
  expect(tellingMark([], 10)).toBeUndefined();
});
