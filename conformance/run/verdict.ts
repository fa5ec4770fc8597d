import type { Level, RequirementId } from '../../generated/catalogue.ts';
import type { Check } from '../check/check.ts';
import type { Observation, SeenTransition } from '../check/records.ts';
import { Broken, Inconclusive, NotApplicable } from '../errors/outcomes.ts';
import type { Exchange } from '../wire/exchange.ts';

/** What a run says of one check. */
export type Verdict = 'passed' | 'failed' | 'warned' | 'observed' | 'skipped' | 'inconclusive';

/** One check's verdict with what led to it. */
export interface CheckResult {
  check: Check;
  verdict: Verdict;
  /** Why it was skipped or is inconclusive. */
  reason?: string;
  /** What is wrong, with what was expected and what was there. */
  message?: string;
  expected?: string;
  actual?: string;
  /** The requirement that was broken. */
  requirement?: RequirementId;
  /** The exchange that shows it, counted from 1. */
  exchange?: number;
  /** Of a failure that the baseline covers: why it is known, and the last day on which it does. */
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
  'verdict' | 'reason' | 'message' | 'expected' | 'actual' | 'requirement' | 'exchange'
>;

const whenBroken: Record<Level, Verdict> = { MUST: 'failed', SHOULD: 'warned', MAY: 'observed' };

/**
 * The verdict on a check that ran to its end (`thrown` undefined) or threw. Rethrows what is no verdict: a fault of the
 * runner itself.
 */
export function judge(check: Check, thrown: unknown, observations: readonly Observation[], pins: Pins): Judgement {
  if (thrown instanceof NotApplicable) return { verdict: 'skipped', reason: thrown.message };
  if (thrown instanceof Inconclusive) return { verdict: 'inconclusive', reason: thrown.message };
  const pinned = check.openPoint === undefined ? undefined : pins[check.openPoint];
  // A pinned point is judged by its pin alone, where the specification itself does not bind.
  const broken = thrown instanceof Broken;
  if (check.level !== 'MUST' && pinned !== undefined && (thrown === undefined || broken)) {
    // What is broken, and shows none of the values, is not as it was pinned either.
    const { verdict, ...rest } = judgePin(pinned, observations);
    if (verdict !== 'observed' || !broken) return { verdict, ...rest };
    return { verdict: 'failed', ...whatIsBroken(check, thrown) };
  }
  if (broken) return { verdict: whenBroken[check.level], ...whatIsBroken(check, thrown) };
  if (thrown !== undefined) throw thrown;
  if (check.level === 'MAY') return { verdict: 'observed' };
  return pinned === undefined ? { verdict: 'passed' } : judgePin(pinned, observations, 'passed');
}

function whatIsBroken({ requirements: [first] }: Check, broken: Broken): Omit<Judgement, 'verdict'> {
  const { message, expected, actual, requirement = first, exchange } = broken;
  return {
    message,
    expected,
    actual,
    ...(requirement && { requirement }),
    ...(exchange !== undefined && { exchange }),
  };
}

/** What is observed at an open point is judged only where the configuration pins it to a value. */
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

/** From worst to best: a requirement's verdict is its worst check's. */
const severity: readonly Verdict[] = ['failed', 'inconclusive', 'warned', 'passed', 'observed', 'skipped'];

/** The worst of several verdicts; `skipped` for none. */
export function worst(verdicts: readonly Verdict[]): Verdict {
  return severity.find((verdict) => verdicts.includes(verdict)) ?? 'skipped';
}

/** What a whole run says. `complete`: every check was selected and none was cut off. */
export function outcomeOf(
  results: readonly CheckResult[],
  complete: boolean,
): 'conformant' | 'non-conformant' | 'incomplete' {
  if (results.some(({ verdict }) => verdict === 'failed')) return 'non-conformant';
  return complete && !hasOpenMust(results) ? 'conformant' : 'incomplete';
}

/** What an exit code depends on beside the results. */
export interface ExitRules {
  /** Skipped checks are not enough. */
  strictSkips: boolean;
  /** The baseline has entries that must go. */
  staleBaseline?: boolean;
  /** A limit stopped the run. */
  stopped?: boolean;
}

/** The exit code that runner-interface promises for these results. */
export function exitCodeOf(
  results: readonly CheckResult[],
  { strictSkips, staleBaseline = false, stopped = false }: ExitRules,
): 0 | 1 | 3 {
  if (staleBaseline || results.some(({ verdict, baseline }) => verdict === 'failed' && !baseline)) return 1;
  const skips = results.filter(({ verdict }) => verdict === 'skipped').length;
  if (stopped || skips === results.length || hasOpenMust(results) || (strictSkips && skips > 0)) return 3;
  return 0;
}

function hasOpenMust(results: readonly CheckResult[]): boolean {
  return results.some(({ check, verdict }) => verdict === 'inconclusive' && check.level === 'MUST');
}
