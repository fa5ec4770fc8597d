import type { Check } from '../check/check.ts';
import { allChecks } from '../checks/index.ts';
import { redact } from '../text/redact.ts';
import { applyBaseline, type BaselineEntry } from './baseline.ts';
import { buildReport, type Report } from './report.ts';
import { type RunOptions, runChecks } from './runner.ts';
import { openSession, type SessionOptions } from './session.ts';
import { type CheckResult, exitCodeOf } from './verdict.ts';

/** What a run takes where nothing else is said. Times in milliseconds. */
export const runDefaults = {
  merchants: {},
  concurrency: 8,
  timeout: 10_000,
  settle: 15_000,
  bail: false,
  strictSkips: false,
  pins: {},
} as const satisfies Partial<SessionOptions & RunOptions & { strictSkips: boolean }>;

/** One run: against what, which checks, and how. Everything but the target has a default, see `runDefaults`. */
export interface ConformanceRun extends Partial<SessionOptions>, Partial<RunOptions> {
  target: string;
  /** Default: every check. */
  checks?: readonly Check[];
  /** Failures that are known. */
  baseline?: readonly BaselineEntry[] | undefined;
  /** With it the exit code is 3 where a check was skipped. */
  strictSkips?: boolean;
  /** What the report says of how the run was set up; secrets in it are redacted. */
  configuration?: Record<string, unknown>;
}

/** What a run came to. */
export interface ConformanceResult {
  report: Report;
  results: CheckResult[];
  exitCode: 0 | 1 | 3;
  /** What of the baseline must be looked after, in words: entries that must go, and such as count no more. */
  baseline: { stale: string[]; ended: string[] };
  /** Why a limit stopped the run before its end. */
  stopped: string | undefined;
}

/**
 * Runs checks against a target and judges it.
 *
 * @throws Unreachable when there is nothing to judge
 * @throws UsageError when the driver is none
 */
export async function runConformance(run: ConformanceRun): Promise<ConformanceResult> {
  const options = { ...runDefaults, seed: randomSeed(), ...run };
  const { checks = allChecks, baseline = [], strictSkips, seed, pins, configuration = {} } = options;
  const startedAt = new Date();
  const session = await openSession(options);
  try {
    const { results, stale, ended } = applyBaseline(await runChecks(session, checks, options), baseline, {
      today: startedAt.toISOString().slice(0, 10),
      known: allChecks.map(({ id }) => id),
    });
    const stopped = session.limits.reached;
    const report = buildReport(results, {
      target: session.target,
      seed,
      startedAt,
      durationMs: Date.now() - startedAt.getTime(),
      complete: checks.length === allChecks.length && results.length === checks.length && stopped === undefined,
      pins,
      configuration,
      secrets: session.secrets,
    });
    const exitCode = exitCodeOf(results, {
      strictSkips,
      staleBaseline: stale.length > 0,
      stopped: stopped !== undefined,
    });
    return { report, results, exitCode, baseline: { stale, ended }, stopped };
  } catch (error) {
    throw withoutSecrets(error, session.secrets);
  } finally {
    await session.close();
  }
}

/** An error that may tell of what the target sent, without secrets. */
function withoutSecrets(error: unknown, secrets: Iterable<string>): unknown {
  if (!(error instanceof Error)) return redact(error, secrets);
  const { message, stack } = redact({ message: error.message, stack: error.stack ?? '' }, secrets);
  return Object.assign(error, { message, stack });
}

/** Any seed. */
export function randomSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}
