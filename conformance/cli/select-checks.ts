import picomatch from 'picomatch';
import type { Check } from '../check/check.ts';
import { feedingChecks, isFed } from '../checks/feeds.ts';
import { idsOf } from '../checks/replaced-ids.ts';
import { UsageError } from '../errors/usage-errors.ts';
import { didYouMean } from '../text/did-you-mean.ts';

/** What the flags of a run say of the checks that it takes. */
export interface Selection {
  /** With an area come the rules of authentication on its operations. Absent: every area. */
  area?: readonly string[];
  /** Globs over ids. One with a `!` before it takes away from what the others select; without others, from everything. */
  check?: readonly string[];
  /** The ids of the checks that the flags may select. Absent: all. */
  only?: ReadonlySet<string> | undefined;
}

/** A `!` before a glob excludes; `!(` begins a glob of its own, which matches everything else. */
const exclusion = /^!(?!\()/;

/**
 * Of `checks`, those that are selected, in the same order. Rules of invariants send nothing, and some checks ask for what others have made:
 * where nothing else is selected, situations come first, so that they have something to judge. Throws `UsageError` for a glob that matches no check, and where nothing is left.
 */
export function selectChecks(checks: readonly Check[], { area, check = [], only }: Selection): Check[] {
  const [excluded, included] = [true, false].map((excludes) =>
    check
      .filter((pattern) => exclusion.test(pattern) === excludes)
      .map((pattern) => matcherOf(checks, pattern.replace(exclusion, ''))),
  );
  const isExcluded = ({ id }: Check) => excluded?.some((matches) => matches(id)) ?? false;
  const isIncluded = ({ id }: Check) => !included?.length || included.some((matches) => matches(id));
  const selected = checks.filter(
    (each) =>
      (area === undefined || isOf(area, each)) && (only?.has(each.id) ?? true) && isIncluded(each) && !isExcluded(each),
  );
  if (selected.length === 0) {
    throw new UsageError('--area and --check leave no check to run; assay list names them all');
  }
  if (!selected.every(isFed)) return selected;
  const feeding = new Set(selected.flatMap((each) => feedingChecks(checks, each)));
  return [...[...feeding].filter((each) => !isExcluded(each)), ...selected];
}

/** Whether a check asks something of these areas alone. A rule of authentication belongs to the area whose operation it asks. */
function isOf(areas: readonly string[], { area, calls = [] }: Check): boolean {
  return areas.includes(area) || (area === 'auth' && calls.some((called) => areas.includes(called)));
}

/** What a glob, or an id that a check once had, matches. */
function matcherOf(checks: readonly Check[], pattern: string): (id: string) => boolean {
  const glob = picomatch(pattern);
  const matches = (id: string) => idsOf(id).some((each) => glob(each));
  if (checks.some(({ id }) => matches(id))) return matches;
  const near = didYouMean(
    pattern,
    checks.map(({ id }) => id),
  );
  throw new UsageError(`--check ${pattern} matches no check${near || ';'} assay list names them all`);
}
