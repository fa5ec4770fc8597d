import { seededRandom } from '../check/random.ts';

/** Random choices. The same text gives the same choices in the same order. */
export interface Dice {
  /** A number from 0 up to 1. */
  number(): number;
  /** A whole number from 0 up to `count`, which it never is. */
  below(count: number): number;
  chance(probability: number): boolean;
  /** An entry of a list that is not empty. */
  pick<Value>(values: readonly Value[]): Value;
}

/** Makes the choices that follow from a text. */
export function diceOf(text: string): Dice {
  const number = seededRandom(text);
  const below = (count: number) => Math.floor(number() * count);
  return {
    number,
    below,
    chance: (probability) => number() < probability,
    pick: (values) => {
      const picked = values[below(values.length)];
      if (picked === undefined) throw new Error('there is nothing to pick from');
      return picked;
    },
  };
}
