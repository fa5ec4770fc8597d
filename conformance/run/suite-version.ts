import type { Level } from '../../generated/catalogue.ts';
import type { Check } from '../check/check.ts';
import { isLater, type SuiteVersion, sinceOf } from '../checks/check-ids.ts';
import { type CheckResult, type Verdict, whenBroken } from './verdict.ts';

/** What a check that is newer than the suite by which a run is judged would say if it counted. */
export interface News {
  level: Level;
  verdict: Verdict;
}

/**
 * The checks as the suite of `version` judges them. A check that this version did not have only observes, whatever its level is
 * now. Without a version, the checks are as they are.
 */
export function asJudgedBy(version: SuiteVersion | undefined, checks: readonly Check[]): Check[] {
  return checks.map((check) => {
    if (version === undefined || !isLater(sinceOf(check.id), version)) return check;
    return { ...check, level: 'MAY', levelNow: check.level };
  });
}

/** What a result is as news; `undefined` for a check that counts. */
export function newsOf({ check, verdict, message }: CheckResult): News | undefined {
  const { levelNow } = check;
  if (levelNow === undefined) return undefined;
  if (verdict !== 'observed') return { level: levelNow, verdict };
  const kept = levelNow === 'MAY' ? 'observed' : 'passed';
  return { level: levelNow, verdict: message === undefined ? kept : whenBroken[levelNow] };
}
