import type { Check } from './check.ts';
import { buildReport, type Report } from './reporters/report.ts';
import { type RunOptions, runChecks } from './runner.ts';
import { openSession, type SessionOptions } from './session.ts';
import { type CheckResult, exitCodeOf } from './verdict.ts';

/** One run: against what, which checks, and how. */
export interface ConformanceRun extends SessionOptions, RunOptions {
  checks: readonly Check[];
  /** Whether `checks` is every check there is. */
  everyCheck: boolean;
  strictSkips: boolean;
  /** What the report says of how the run was set up; secrets in it are redacted. */
  configuration: Record<string, unknown>;
}

/** What a run came to. */
export interface ConformanceResult {
  report: Report;
  results: CheckResult[];
  exitCode: 0 | 1 | 3;
}

/** Runs checks against a target and judges it. Throws `Unreachable` when there is nothing to judge. */
export async function runConformance(run: ConformanceRun): Promise<ConformanceResult> {
  const startedAt = new Date();
  const session = await openSession(run);
  try {
    const results = await runChecks(session, run.checks, run);
    const report = buildReport(results, {
      target: session.target,
      seed: run.seed,
      startedAt,
      durationMs: Date.now() - startedAt.getTime(),
      complete: run.everyCheck && results.length === run.checks.length,
      pins: run.pins,
      configuration: run.configuration,
      secrets: session.secrets,
    });
    return { report, results, exitCode: exitCodeOf(results, run) };
  } finally {
    session.connections.close();
  }
}
