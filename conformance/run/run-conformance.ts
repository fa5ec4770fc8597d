import type { Check } from '../check/check.ts';
import type { SuiteVersion } from '../checks/check-ids.ts';
import { allChecks } from '../checks/index.ts';
import { currentId } from '../checks/replaced-ids.ts';
import { stackOf } from '../errors/message-of.ts';
import { countCutBodies, createRecorder, withoutSecrets as historyWithoutSecrets } from '../history/recorder.ts';
import type { History } from '../history/records.ts';
import { redact } from '../text/redact.ts';
import { applyBaseline, type BaselineEntry } from './baseline.ts';
import { buildReport, type Report, type RunFacts } from './report.ts';
import { runDefaults } from './run-defaults.ts';
import { type RunOptions, runChecks } from './runner.ts';
import { lookAgain } from './second-look.ts';
import { openSession, type SessionOptions, secretsOf } from './session.ts';
import { signsIn } from './signs/signs.ts';
import { slownessOf } from './slowness.ts';
import { asJudgedBy } from './suite-version.ts';
import { type CheckResult, exitCodeOf } from './verdict.ts';
import { version } from './version.ts';

/** The settings of a run: its target, its checks, and how they run. Everything but the target has a default (`runDefaults`). */
export interface ConformanceRun extends Partial<SessionOptions>, Partial<RunOptions> {
  target: string;
  /** The checks to run. Default: every check. */
  checks?: readonly Check[];
  /** The version of the suite that judges. Checks that came later are run and shown as news. Default: this version. */
  suite?: SuiteVersion | undefined;
  /** The known failures. */
  baseline?: readonly BaselineEntry[] | undefined;
  /** Makes the exit code 3 when a check was skipped. */
  strictSkips?: boolean;
  /** How long the run may take, in milliseconds. Then it ends with its results so far. */
  maxDuration?: number;
  /** The settings that the report shows. Secrets in them are redacted. */
  configuration?: Record<string, unknown>;
}

/** The result of a run. */
export interface ConformanceResult {
  report: Report;
  /** What happened in the run, without secrets. */
  history(): History;
  results: CheckResult[];
  exitCode: 0 | 1 | 3 | 70;
  /** Baseline entries that need work, in words: `stale` ones must be removed, `ended` ones have expired. */
  baseline: { stale: string[]; ended: string[] };
  /** Why a limit, `maxDuration` or `stop` ended the run early. `undefined`: nothing did. */
  stopped: string | undefined;
  /** The stacks of the runner's own errors, which made checks inconclusive. */
  faults: string[];
}

/**
 * Runs checks against a target and judges it. A run that is stopped resolves with its results so far.
 *
 * @throws Unreachable when the target or its driver cannot be reached
 * @throws UsageError when the driver cannot be loaded or has no step
 */
export async function runConformance(run: ConformanceRun): Promise<ConformanceResult> {
  const options = { ...runDefaults, seed: randomSeed(), ...run };
  const { baseline = [], strictSkips, seed, pins, configuration = {} } = options;
  const checks = asJudgedBy(run.suite, run.checks ?? allChecks);
  const startedAt = new Date();
  const ending = endOfRun(options);
  const session = await openSession({ ...options, stop: ending.signal }).catch((error: unknown) => {
    ending.clear();
    throw error;
  });
  try {
    const known = baseline.map((entry) => ({ ...entry, check: currentId(entry.check) }));
    const {
      results: judged,
      stale,
      ended,
    } = applyBaseline(await runChecks(session, checks, options), known, {
      today: startedAt.toISOString().slice(0, 10),
      known: allChecks.map(({ id }) => id),
    });
    const stopped = session.limits.reached;
    const mayAskMore = stopped === undefined && !options.bail && !session.limits.isThrifty;
    // A check that runs once more on the merchants of its first time would find there what it made.
    const looksAgain = mayAskMore && session.driver.provisionMerchant !== undefined;
    const byItself = await lookAgain(looksAgain ? judged : [], { ...options, stop: ending.signal });
    const results = judged.map((result) => {
      const how = byItself.get(result.check.id);
      return how ? { ...result, byItself: how } : result;
    });
    const report = buildReport(results, {
      target: session.target,
      seed,
      startedAt,
      durationMs: Date.now() - startedAt.getTime(),
      complete: checks.length === allChecks.length && results.length === checks.length && stopped === undefined,
      pins,
      suite: run.suite,
      areas: options.areas,
      without: options.without,
      cutBodies: countCutBodies(session.history),
      stopped: stopOf(checks, results, stopped),
      signs: () => signsIn(session.history),
      slowness: slownessOf(session.rateWaits, Date.now() - startedAt.getTime()),
      interrupted: options.stop?.aborted,
      configuration,
      secrets: session.secrets,
    });
    const exitCode = exitCodeOf(results, {
      strictSkips,
      staleBaseline: stale.length > 0,
      stopped: stopped !== undefined,
    });
    const history = () => historyWithoutSecrets(session.history, session.secrets);
    const faults = results.flatMap(({ fault }) => (fault === undefined ? [] : redact(stackOf(fault), session.secrets)));
    return { report, history, results, exitCode, baseline: { stale, ended }, stopped, faults };
  } catch (error) {
    throw withoutSecrets(error, session.secrets);
  } finally {
    ending.clear();
    await session.close();
  }
}

/** What a run that could not begin leaves behind: every check is without a verdict and says why, and nothing was exchanged. */
export function resultOfNoRun(run: ConformanceRun, reason: string): Pick<ConformanceResult, 'report' | 'history'> {
  const options = { ...runDefaults, seed: randomSeed(), ...run };
  const { target, seed, settle, webhookWait, pins } = options;
  const checks = asJudgedBy(run.suite, run.checks ?? allChecks);
  const results = checks.map(
    (check): CheckResult => ({
      ...{ check, verdict: 'inconclusive', reason },
      ...{ durationMs: 0, exchanges: [], observations: [], transitions: [] },
    }),
  );
  const report = buildReport(results, {
    ...{ target, seed, startedAt: new Date(), durationMs: 0, complete: false },
    ...{ pins, suite: run.suite, areas: run.areas, without: run.without },
    ...{ configuration: run.configuration ?? {}, secrets: secretsOf(options) },
  });
  const history = createRecorder({ suite: version, target, seed, clockAhead: 0, settle, webhookWait, pins });
  return { report, history: () => history };
}

/** Why and where a run ended before its last check; `undefined` when it did not. */
function stopOf(
  checks: readonly Check[],
  results: readonly CheckResult[],
  stopped: string | undefined,
): RunFacts['stopped'] {
  const ran = new Set(results.map(({ check }) => check.id));
  const notRun = checks.filter(({ id }) => !ran.has(id));
  if (stopped === undefined && notRun.length === 0) return undefined;
  return { reason: stopped ?? 'a check failed, and --bail ends the run then', notRun };
}

/** A signal that ends the run: when `stop` is aborted, or when `maxDuration` is over. */
function endOfRun({ stop, maxDuration }: { stop?: AbortSignal | undefined; maxDuration: number }) {
  const controller = new AbortController();
  const over = `it has taken the longest time that it may, ${maxDuration / 1000} s (see --max-duration)`;
  const timer = setTimeout(() => controller.abort(over), maxDuration);
  const pass = () => controller.abort(stop?.reason);
  if (stop?.aborted) pass();
  stop?.addEventListener('abort', pass, { once: true });
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}

/** The error without secrets. Its message may repeat text of the target. */
function withoutSecrets(error: unknown, secrets: Iterable<string>): unknown {
  if (!(error instanceof Error)) return redact(error, secrets);
  const { message, stack } = redact({ message: error.message, stack: error.stack ?? '' }, secrets);
  return Object.assign(error, { message, stack });
}

/** A new random seed. */
export function randomSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}
