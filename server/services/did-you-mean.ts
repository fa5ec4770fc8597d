import { closest, distance } from 'fastest-levenshtein';

/** The most known words that a message lists. */
const shortList = 16;

/**
 * The end of a message about an unknown word, such as `; did you mean merchants?`. Where no known word is near, it lists all of them if
 * they are few, and is empty if they are many. A word is near if a third of the characters of the longer one differ, or fewer.
 */
export function didYouMean(unknown: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const near = closest(unknown, known);
  if (distance(unknown, near) <= Math.round(Math.max(unknown.length, near.length) / 3))
    return `; did you mean ${near}?`;
  return known.length > shortList ? '' : `; it can be ${known.join(', ')}`;
}
