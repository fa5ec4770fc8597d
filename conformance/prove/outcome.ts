import type { Check } from '../check/check.ts';
import type { Fault } from '../proof/stand/fault.ts';
import type { CheckResult } from '../run/verdict.ts';

/** What became of a wrong server. */
export type Outcome =
  /** The exit code of the gate would not be 0. `unjudged`: no check failed, but a MUST has no verdict. */
  | { kind: 'noticed'; by: string[]; unjudged: boolean }
  /** The gate would stay as it is, for this reason, which goes on after "43 would pass your pipeline: 31". */
  | { kind: 'passes'; reason: string }
  /** It says nothing about the gate, for this reason, which is a sentence about several faults. */
  | { kind: 'left-out'; reason: string };

/** The checks that the gate runs, and what they say of the target itself. */
export interface GateFacts {
  selected: readonly Check[];
  /** The areas that flags select. Absent: all. */
  areas?: readonly string[] | undefined;
  /** The results without any fault, by the ids of the checks. */
  plain: ReadonlyMap<string, CheckResult>;
}

/** True for a failure that the baseline does not cover. */
export const isFailure = ({ verdict, baseline }: CheckResult): boolean => verdict === 'failed' && !baseline;

/** True for a result that ends a run with another exit code than 0. What is skipped says nothing about a fault. */
export const turnsRed = (result: CheckResult): boolean =>
  isFailure(result) || (result.verdict === 'inconclusive' && result.check.level === 'MUST');

/** True for a check that the target's areas, the driver or the configuration keep from running, whatever the server does. */
export function cannotRun(result: CheckResult | undefined): boolean {
  return result?.skip !== undefined && result.skip.kind !== 'not-applicable';
}

/** The checks whose results are worse with the fault than without it, in the way that the exit code shows. */
export function noticing(
  results: readonly CheckResult[],
  { plain }: GateFacts,
  is: (result: CheckResult) => boolean,
): string[] {
  return results.filter((result) => is(result) && !isRed(plain.get(result.check.id))).map(({ check }) => check.id);
}

const isRed = (result: CheckResult | undefined) => result !== undefined && turnsRed(result);

/** What the results on a wrong server mean. `results` lacks the checks that the gate does not run. */
export function outcomeOf(
  { caughtBy }: Pick<Fault, 'caughtBy'>,
  results: readonly CheckResult[],
  { facts, hasShown }: { facts: GateFacts; hasShown: boolean },
): Outcome {
  // What fails although the fault changed nothing fails for another reason.
  const [failed, red] = [isFailure, turnsRed].map((is) => (hasShown ? noticing(results, facts, is) : []));
  if (failed?.length) return { kind: 'noticed', by: failed, unjudged: false };
  if (red?.length) return { kind: 'noticed', by: red, unjudged: true };
  const passes = (reason: string): Outcome => ({ kind: 'passes', reason });
  if (!facts.selected.some(({ id }) => id === caughtBy)) {
    const isOfArea = facts.areas?.some((area) => caughtBy.startsWith(`${area}.`)) ?? true;
    return passes(
      isOfArea ? 'because --check leaves out the checks that see them' : 'because of areas left out by --area',
    );
  }
  const result = results.find(({ check }) => check.id === caughtBy) ?? facts.plain.get(caughtBy);
  if (cannotRun(result)) return passes(`because ${result?.reason}`);
  if (result?.baseline) return passes('by the baseline');
  if (isRed(facts.plain.get(caughtBy))) return passes('because their checks are red without a fault too');
  if (!hasShown) return { kind: 'left-out', reason: 'make no difference in what the checks exchange with this target' };
  if (result?.verdict === 'warned') return passes('because their checks only warn (SHOULD)');
  if (result?.verdict === 'observed') return passes('because their checks only observe (MAY)');
  if (result?.verdict === 'skipped')
    return passes('because what this target permits itself leaves their checks nothing to judge');
  if (result?.verdict === 'inconclusive') return passes('because their checks stay without a verdict (SHOULD)');
  return passes('although their checks ran');
}
