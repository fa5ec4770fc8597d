import { shuffled } from '../../../check/random.ts';

/** The place of a choice among all lists: in which list it stands, and where there. */
type Place = readonly [list: number, choice: number];

const keyOf = (one: Place, other: Place): string =>
  (one[0] < other[0] ? [...one, ...other] : [...other, ...one]).join(' ');

/**
 * Combines circumstances: each combination takes one choice of every list, and any two choices of different lists stand together in one of the
 * combinations at least, so that what goes wrong only where two circumstances meet is met. About as many combinations are needed as the two longest
 * lists have pairs. `random`: gives numbers from 0 up to 1, which decide among choices that are as good. No list may be empty.
 */
export function pairwise<Choice>(lists: readonly (readonly Choice[])[], random: () => number): Choice[][] {
  const unmet = new Map<string, readonly [Place, Place]>();
  const places = lists.flatMap((list, index) => list.map((_, choice): Place => [index, choice]));
  for (const one of places) {
    for (const other of places) if (one[0] < other[0]) unmet.set(keyOf(one, other), [one, other]);
  }
  const combinations: Choice[][] = [];
  for (const [, first] of unmet) {
    const taken = complete(lists, [...first], unmet, random);
    for (const one of taken) for (const other of taken) unmet.delete(keyOf(one, other));
    combinations.push(lists.flatMap((list, index) => chosenFrom(list, index, taken)));
  }
  return combinations;
}

/** Adds to a combination that has begun a choice of each further list: the one that meets most of those that it has not met before. */
function complete(
  lists: readonly (readonly unknown[])[],
  taken: Place[],
  unmet: ReadonlyMap<string, unknown>,
  random: () => number,
): readonly Place[] {
  const isOpen = (index: number) => taken.every(([list]) => list !== index);
  for (const index of shuffled([...lists.keys()].filter(isOpen), random)) {
    let best: Place | undefined;
    let most = -1;
    for (const choice of shuffled([...(lists[index]?.keys() ?? [])], random)) {
      const place: Place = [index, choice];
      const met = taken.filter((each) => unmet.has(keyOf(each, place))).length;
      if (met > most) [best, most] = [place, met];
    }
    if (best) taken.push(best);
  }
  return taken;
}

function chosenFrom<Choice>(list: readonly Choice[], index: number, taken: readonly Place[]): Choice[] {
  const [, choice] = taken.find((place) => place[0] === index) ?? [];
  return choice === undefined ? [] : list.slice(choice, choice + 1);
}
