import type { CheckReport } from '../../run/report.ts';
import { askedBy } from '../asked-by.ts';

/**
 * Of several checks the one to look at: a failure of the requirement that most of them break, with the fewest exchanges. One of another
 * area than the cause comes after those of its own, then one that judges what others exchange, and a random sequence, which takes long, last.
 */
export function simplestOf(checks: readonly CheckReport[], area?: string): CheckReport {
  const rank = ({ verdict, baseline }: CheckReport) => (verdict !== 'failed' ? 1 : baseline ? 2 : 0);
  const alike = new Map<string | null, number>();
  for (const { brokenRequirement } of checks) alike.set(brokenRequirement, (alike.get(brokenRequirement) ?? 0) + 1);
  const ranks = new Map(
    checks.map((check) => [
      check,
      [
        rank(check),
        isLong(check),
        Number(area !== undefined && check.area !== area),
        askedBy(check).length,
        -(alike.get(check.brokenRequirement) ?? 0),
        check.exchanges.length,
      ],
    ]),
  );
  const [first] = checks.toSorted((one, other) => compared(ranks.get(one) ?? [], ranks.get(other) ?? []));
  if (!first) throw new Error('a cause has at least one check');
  return first;
}

/** 1 for a check that tries random sequences, else 0. */
const isLong = ({ id }: CheckReport) => Number(id.endsWith('.exploration'));

/** Negative if the first list of numbers comes before the second one, by the first number that differs. */
function compared(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((number, place) => number !== other[place]);
  return (one[index] ?? 0) - (other[index] ?? 0);
}
