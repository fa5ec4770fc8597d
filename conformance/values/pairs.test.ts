import { describe, expect, it } from 'vitest';
import { everyPair } from './pairs.ts';

const counts = [3, 7, 4, 4, 3, 3, 2, 3];

describe('choices with every pair', () => {
  const rows = everyPair(counts);

  it('have every value of a part beside every value of each other one', () => {
    for (const [part, values] of counts.entries()) {
      for (const [other, otherValues] of counts.entries()) {
        const pairs = new Set(rows.map((row) => `${row[part]} ${row[other]}`));
        expect(pairs.size).toBe(part === other ? values : values * otherValues);
      }
    }
  });

  it('are few, and the same each time', () => {
    expect(rows.length).toBeLessThan(45);
    expect(everyPair(counts)).toEqual(rows);
  });

  it('are none where there is one part only', () => {
    expect(everyPair([3])).toEqual([]);
  });
});
