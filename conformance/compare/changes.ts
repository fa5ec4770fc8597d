import { currentId } from '../checks/replaced-ids.ts';
import type { CheckReport, Report } from '../run/report.ts';
import type { Verdict } from '../run/verdict.ts';

/**
 * How a check's verdict differs between two runs. `worse`: it says less well of the target, or says nothing any more. `new` and
 * `gone`: only one of the runs has the check, so nothing got worse by it.
 */
export type Kind = 'worse' | 'better' | 'new' | 'gone';

/** A check whose verdict differs between two runs. */
export interface Change {
  id: string;
  title: string;
  level: CheckReport['level'];
  /** The requirement that the check found broken, or the first one that it judges. */
  requirement: string;
  kind: Kind;
  before?: Verdict;
  after?: Verdict;
  /** The expected and the actual value of the later finding; absent: it found nothing. */
  expected?: string;
  actual?: string;
}

/** How well a verdict speaks of a target. `observed` and `passed` are alike: a point that is pinned or not makes nothing worse. */
const rank: Readonly<Record<Verdict, number>> = {
  failed: 0,
  warned: 1,
  inconclusive: 2,
  skipped: 3,
  observed: 4,
  passed: 4,
};

/** The checks whose verdicts differ between two runs, in the order of the later one; those that are gone stand last. */
export function changesBetween(before: Report, after: Report): Change[] {
  const earlier = byId(before);
  const later = byId(after);
  const changed = [...later].flatMap(([id, check]): Change[] => {
    const old = earlier.get(id);
    if (old && rank[old.verdict] === rank[check.verdict]) return [];
    const kind = !old ? 'new' : rank[check.verdict] < rank[old.verdict] ? 'worse' : 'better';
    return [
      { ...shown(id, check), kind, after: check.verdict, ...(old && { before: old.verdict }), ...finding(check) },
    ];
  });
  const gone = [...earlier]
    .filter(([id]) => !later.has(id))
    .map(([id, check]): Change => ({ ...shown(id, check), kind: 'gone', before: check.verdict }));
  return [...changed, ...gone];
}

/** The checks of a report by the ids that they have now. */
function byId({ checks }: Report): Map<string, CheckReport> {
  return new Map(checks.map((check) => [currentId(check.id), check]));
}

function shown(id: string, { title, level, requirements, brokenRequirement }: CheckReport) {
  return { id, title, level, requirement: brokenRequirement ?? requirements[0] ?? id };
}

function finding({ expected, actual }: CheckReport): Pick<Change, 'expected' | 'actual'> {
  return { ...(expected !== null && { expected }), ...(actual !== null && { actual }) };
}

/** Changes by their requirements, in the order in which the requirements come first. */
export function byRequirement(changes: readonly Change[]): { requirement: string; changes: Change[] }[] {
  const ids = [...new Set(changes.map(({ requirement }) => requirement))];
  return ids.map((id) => ({ requirement: id, changes: changes.filter(({ requirement }) => requirement === id) }));
}
