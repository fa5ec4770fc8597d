/** Random choices that the same seed repeats. */
export interface Random {
  seed: number;
  /** A whole number from 0 to below `end`. */
  below(end: number): number;
  /** True with this probability, 0 to 1. */
  chance(share: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
}

/**
 * Random choices (mulberry32) from `ASSAY_SEED` if it is set, otherwise from a new seed. Print the seed when a test
 * fails.
 */
export function seededRandom(seed = Number(process.env.ASSAY_SEED ?? Date.now() % 2 ** 31)): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    seed,
    below,
    chance: (share) => next() < share,
    pick: (values) => {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error('there is nothing to pick from');
      return value;
    },
  };
}
