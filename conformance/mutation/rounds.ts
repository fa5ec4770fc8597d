/** A check as the order of checks needs it: `milliseconds` is how long it takes alone. */
export interface TimedCheck {
  check: string;
  milliseconds: number;
}

/** How many checks the first rounds have. What they do not find, the last round has all other checks for. */
const firstRounds = [8, 40];

/**
 * The checks that judge a mutant, in rounds: first those that found its neighbours most often, then the quick ones. Most mutants
 * are found in the first round, which takes a fraction of a second.
 *
 * @param found how often each check has found a mutant of the same file, by the check's id
 */
export function roundsOf(checks: readonly TimedCheck[], found: ReadonlyMap<string, number>): string[][] {
  const rank = ({ check }: TimedCheck) => found.get(check) ?? 0;
  const ordered = checks
    .toSorted((left, right) => rank(right) - rank(left) || left.milliseconds - right.milliseconds)
    .map(({ check }) => check);
  const rounds: string[][] = [];
  let start = 0;
  for (const size of [...firstRounds, ordered.length]) {
    const round = ordered.slice(start, start + size);
    if (round.length > 0) rounds.push(round);
    start += size;
  }
  return rounds;
}
