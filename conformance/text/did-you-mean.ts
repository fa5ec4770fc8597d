import { closest, distance } from 'fastest-levenshtein';

/** The most known words that a message lists. */
const shortList = 16;

/** The known word for which `unknown` may be a slip. `undefined`: more than a third of its characters would have to change. */
function nearest(unknown: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const near = closest(unknown, [...known]);
  return distance(unknown, near) <= Math.round(Math.max(unknown.length, near.length) / 3) ? near : undefined;
}

/** The end of a message about an unknown word, such as `; did you mean orders?`. Empty: no known word is near. */
export function didYouMean(unknown: string, known: readonly string[]): string {
  const near = nearest(unknown, known);
  return near === undefined ? '' : `; did you mean ${near}?`;
}

/** Like `didYouMean`. Where no known word is near, it lists all of them if they are few. */
export function didYouMeanOneOf(unknown: string, known: readonly string[]): string {
  const listed = known.length > 0 && known.length <= shortList ? `; it can be ${known.join(', ')}` : '';
  return didYouMean(unknown, known) || listed;
}
