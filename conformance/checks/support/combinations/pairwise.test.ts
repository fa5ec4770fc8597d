import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../check/random.ts';
import { pairwise } from './pairwise.ts';

const lists = [3, 7, 1, 5, 4].map((length, list) => Array.from({ length }, (_, choice) => `${list}.${choice}`));

describe('pairwise', () => {
  const combinations = pairwise(lists, seededRandom('pairs'));

  it('takes one choice of every list, in their order', () => {
    for (const combination of combinations) {
      expect(combination.map((choice) => choice.split('.')[0])).toEqual(['0', '1', '2', '3', '4']);
    }
  });

  it('lets any two choices of different lists meet', () => {
    const all = lists.flatMap((list, index) =>
      lists.slice(index + 1).flatMap((other) => list.flatMap((one) => other.map((two) => [one, two] as const))),
    );
    const unmet = all.filter(([one, two]) => !combinations.some((each) => each.includes(one) && each.includes(two)));
    expect(unmet).toEqual([]);
  });

  it('needs little more than the two longest lists have pairs', () => {
    expect(combinations.length).toBeGreaterThanOrEqual(35);
    expect(combinations.length).toBeLessThan(50);
  });

  it('combines in the same way for the same random numbers', () => {
    expect(pairwise(lists, seededRandom('pairs'))).toEqual(combinations);
  });

  it('takes each choice of a list that stands alone with nothing: there is no pair', () => {
    expect(pairwise([['a', 'b']], seededRandom('pairs'))).toEqual([]);
  });
});
