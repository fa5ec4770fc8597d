import { type Level, openPoints, type RequirementId } from '../../generated/catalogue.ts';
import type { Check } from '../check/check.ts';
import type { Need } from '../check/needs.ts';
import type { Observation, SeenTransition } from '../check/records.ts';
import { Broken, Inconclusive, NeedNotMet, NotApplicable, PermittedChoice } from '../errors/outcomes.ts';
import type { Exchange } from '../wire/exchange.ts';

/** The verdict of a run on one check. */
export type Verdict = 'passed' | 'failed' | 'warned' | 'observed' | 'skipped' | 'inconclusive';

/** Why a check was skipped. */
export type Skip =
  /** The target does not have the area. */
  | { kind: 'area' }
  /** The configuration leaves these needs out of the scope. */
  | { kind: 'left-out'; needs: readonly Need[] }
  /** These needs are not met, and the configuration does not leave them out. None: there is no merchant at all. */
  | { kind: 'missing'; needs: readonly Need[] }
  /** A permitted choice of the target, or what was exchanged, leaves nothing to judge. */
  | { kind: 'not-applicable' };

/**
 * How a failed check passes when it is run once more by itself: as it is, or only where no connection is used for a second request.
 */
export type ByItself = 'passes' | 'passes-on-new-connections';

/** The verdict on one check, with everything that led to it. */
export interface CheckResult {
  check: Check;
  verdict: Verdict;
  /** Why the check was skipped or is inconclusive. */
  reason?: string;
  /** Of an inconclusive check: the error of the runner itself that ended it. */
  fault?: unknown;
  /** Of a skipped check: what kept it from running. */
  skip?: Skip;
  /** The fault in words, with the expected and the actual value. */
  message?: string;
  expected?: string;
  actual?: string;
  /** The requirement that was broken. Of an inconclusive check: the one that the answer breaks at which it stopped. */
  requirement?: RequirementId;
  /** The number of the exchange that shows the fault, counted from 1. */
  exchange?: number;
  /** Of a failed check that was run once more: how it passed then. Absent: it failed again, or was not run. */
  byItself?: ByItself;
  /** Set for a failure that the baseline covers: why it is known, and the last day on which the entry counts. */
  baseline?: { reason: string; until?: string };
  durationMs: number;
  exchanges: readonly Exchange[];
  observations: readonly Observation[];
  transitions: readonly SeenTransition[];
}

/** Open points that a configuration pins to a value, by id. */
export type Pins = Readonly<Record<string, string>>;

type Judgement = Pick<
  CheckResult,
  'verdict' | 'reason' | 'skip' | 'message' | 'expected' | 'actual' | 'requirement' | 'exchange'
>;

/** The verdict on a broken requirement. */
export const whenBroken: Readonly<Record<Level, Verdict>> = {
  MUST: 'failed',
  SHOULD: 'warned',
  MAY: 'observed',
};

/**
 * The verdict on a check that ran to its end (`thrown` is undefined) or threw. Rethrows every other error, which is a fault
 * of the runner itself.
 */
export function judge(
  check: Check,
  error: unknown,
  observations: readonly Observation[],
  pins: Pins,
  without: readonly Need[] = [],
): Judgement {
  const thrown = error instanceof PermittedChoice ? undefined : error;
  if (thrown instanceof NeedNotMet) {
    const kind = without.includes(thrown.need) ? 'left-out' : 'missing';
    return { verdict: 'skipped', reason: thrown.message, skip: { kind, needs: [thrown.need] } };
  }
  if (thrown instanceof NotApplicable) {
    return { verdict: 'skipped', reason: thrown.message, skip: { kind: 'not-applicable' } };
  }
  if (thrown instanceof Inconclusive) {
    const { message, requirement } = thrown;
    return { verdict: 'inconclusive', reason: message, ...(requirement && { requirement }) };
  }
  const pinned = check.openPoint === undefined ? undefined : pins[check.openPoint];
  // The pin alone judges a pinned point, except in a MUST, where the specification itself judges.
  const broken = thrown instanceof Broken;
  if (check.level !== 'MUST' && pinned !== undefined && (thrown === undefined || broken)) {
    // A broken check whose observations show no value of the point does not fit the pin either.
    const { verdict, ...rest } = judgePin(pinned, observations);
    if (verdict !== 'observed' || !broken) return { verdict, ...rest };
    return { verdict: 'failed', ...breakOf(check, thrown) };
  }
  if (broken) return { verdict: whenBroken[check.level], ...breakOf(check, thrown) };
  if (thrown !== undefined) throw thrown;
  if (pinned !== undefined) return judgePin(pinned, observations, check.level === 'MAY' ? 'observed' : 'passed');
  return notPermitted(check, observations) ?? { verdict: check.level === 'MAY' ? 'observed' : 'passed' };
}

/** The open points whose values are all that the contract permits, by id, with those values. */
const exhaustive = new Map(
  openPoints
    .filter((point) => 'exhaustive' in point && point.exhaustive === true)
    .map(({ id, values }) => [id, Object.keys(values)]),
);

/** The warning about an observed behaviour that is none of the permitted ones; `undefined` where there is none. */
function notPermitted(
  { requirements: [requirement] }: Check,
  observations: readonly Observation[],
): Judgement | undefined {
  const strange = observations.find(({ openPoint, value }) => value === null && exhaustive.has(openPoint));
  if (!strange) return undefined;
  const { openPoint, seen } = strange;
  return {
    verdict: 'warned',
    message: `${openPoint} has none of its permitted values`,
    expected: `${openPoint} is one of ${exhaustive.get(openPoint)?.join(', ')}`,
    actual: seen,
    ...(requirement && { requirement }),
  };
}

function breakOf({ requirements: [first] }: Check, broken: Broken): Omit<Judgement, 'verdict'> {
  const { message, expected, actual, requirement = first, exchange } = broken;
  return {
    message,
    expected,
    actual,
    ...(requirement && { requirement }),
    ...(exchange !== undefined && { exchange }),
  };
}

/** The verdict on the observations at an open point that the configuration pins to a value. */
function judgePin(pinned: string, observations: readonly Observation[], otherwise: Verdict = 'observed'): Judgement {
  const told = observations.filter(({ value }) => value !== undefined);
  const different = told.find(({ value, also }) => value !== pinned && !also?.includes(pinned));
  if (!different) return { verdict: told.length > 0 ? 'passed' : otherwise };
  const { openPoint, value, seen } = different;
  return {
    verdict: 'failed',
    message: `${openPoint} is not as the configuration pins it`,
    expected: `${openPoint} = ${pinned}`,
    actual: value === null ? seen : `${openPoint} = ${value} (${seen})`,
  };
}

/** Every verdict, from the one that needs most attention to the one that needs least. */
export const worstFirst: readonly Verdict[] = ['failed', 'inconclusive', 'warned', 'passed', 'observed', 'skipped'];

/** The worst of several verdicts. Without any verdict, `skipped`. */
export function worst(verdicts: readonly Verdict[]): Verdict {
  return worstFirst.find((verdict) => verdicts.includes(verdict)) ?? 'skipped';
}

/** The outcome of a whole run. `complete`: every check was selected and ran to its end. */
export function outcomeOf(
  results: readonly CheckResult[],
  complete: boolean,
): 'conformant' | 'non-conformant' | 'incomplete' {
  if (results.some(({ verdict }) => verdict === 'failed')) return 'non-conformant';
  return complete && !hasOpenMust(results) ? 'conformant' : 'incomplete';
}

/** Conditions of the exit code beside the results. */
export interface ExitRules {
  /** A skipped check makes the exit code 3. */
  strictSkips: boolean;
  /** The baseline has entries that must be removed. */
  staleBaseline?: boolean;
  /** A limit stopped the run before its end. */
  stopped?: boolean;
}

/** The exit code for these results: 0 nothing failed, 1 a failure or a stale baseline, 3 no judgement, 70 a fault of the runner itself. */
export function exitCodeOf(
  results: readonly CheckResult[],
  { strictSkips, staleBaseline = false, stopped = false }: ExitRules,
): 0 | 1 | 3 | 70 {
  if (results.some(({ fault }) => fault !== undefined)) return 70;
  if (staleBaseline || results.some(({ verdict, baseline }) => verdict === 'failed' && !baseline)) return 1;
  const skips = results.filter(({ verdict }) => verdict === 'skipped').length;
  if (stopped || skips === results.length || hasOpenMust(results) || (strictSkips && skips > 0)) return 3;
  return 0;
}

/** True when a MUST of the scope has no verdict. */
function hasOpenMust(results: readonly CheckResult[]): boolean {
  return results.some(
    ({ check, verdict, skip }) => check.level === 'MUST' && (verdict === 'inconclusive' || skip?.kind === 'missing'),
  );
}
