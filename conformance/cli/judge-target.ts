import { allChecks } from '../checks/index.ts';
import { currentId } from '../checks/replaced-ids.ts';
import { counted } from '../contract/counted.ts';
import { shownDriver } from '../drivers/program-name.ts';
import { Unreachable, UsageError } from '../errors/usage-errors.ts';
import { doctorCommand } from '../reporters/again.ts';
import { textProgress } from '../reporters/progress.ts';
import { textSummary } from '../reporters/text.ts';
import { awaitTarget } from '../run/await-target.ts';
import { readBaseline } from '../run/baseline.ts';
import type { Configuration } from '../run/configuration.ts';
import { keepLastRun, readLastRun } from '../run/last-run.ts';
import { type ConformanceResult, randomSeed, resultOfNoRun, runConformance } from '../run/run-conformance.ts';
import { version } from '../run/version.ts';
import { printable, printableLines } from '../text/printable.ts';
import { commandName } from './command-name.ts';
import { expectWritable, type ReportFile, writeReports } from './report-files.ts';
import { selectChecks } from './select-checks.ts';
import { stopOnSignal } from './signals.ts';
import type { OpenTarget, TargetFlags } from './target.ts';

/** The flags of `assay run`. */
export interface RunFlags extends TargetFlags {
  area?: string[];
  check?: string[];
  lastFailed?: true;
  report?: ReportFile[];
  baseline?: string;
  concurrency?: number;
  seed?: number;
  wait?: number;
  maxDuration: number;
  bail?: boolean;
  strictSkips?: boolean;
  verbose?: boolean;
}

/**
 * Judges a target that is being opened as flags and configuration say, prints and writes what they ask for, and sets the exit code. Resolves with
 * whether the run was stopped before its end. Throws `UsageError` and `Unreachable`.
 */
export async function judgeTarget(
  opening: Promise<OpenTarget>,
  flags: RunFlags,
  configuration: Configuration,
): Promise<{ stopped: boolean }> {
  const checks = selectChecks(allChecks, { ...flags, only: flags.lastFailed && leftByLastRun() });
  const written = flags.report ?? [];
  expectWritable(written);
  const baselineFile = flags.baseline ?? configuration.baseline;
  const baseline = baselineFile === undefined ? undefined : readBaseline(baselineFile);
  const interruption = stopOnSignal();
  const target = await opening;
  const settings = { ...configuration, flags: shownFlags(flags), command: commandName() };
  const run = {
    ...target.options,
    checks,
    seed: flags.seed ?? randomSeed(),
    concurrency: flags.concurrency,
    stop: interruption.stop,
    maxDuration: flags.maxDuration * 1000,
    bail: flags.bail ?? false,
    strictSkips: flags.strictSkips ?? false,
    pins: configuration['open-points'] ?? {},
    suite: configuration.suite,
    baseline,
    configuration: settings,
  };
  try {
    if (flags.wait !== undefined) await awaitTarget({ ...target.options, seed: 0 }, flags.wait);
    const progress = textProgress(checks.length, process.stderr);
    process.stderr.write(`assay ${version}: ${counted(checks.length, 'check')} against ${target.title}\n`);
    const shown = { onStart: progress.start, onResult: progress.show, onRateWait: progress.holdBack };
    const result = await runConformance({ ...run, ...shown }).finally(progress.end);
    process.stderr.write(textSummary(result.report, { verbose: flags.verbose ?? false }));
    process.stderr.write(remarks(result));
    process.exitCode = interruption.exitCode() ?? result.exitCode;
    keepLastRun(result.report);
    writeReports(written, result.report, result.history);
    return { stopped: result.stopped !== undefined };
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    // A report of an earlier run must not be taken for this one's.
    const { report, history } = resultOfNoRun(run, error.message);
    const command = doctorCommand({ target: target.options.target, configuration: settings });
    writeReports(written, report, history);
    throw new Unreachable(`${error.message}\nFind the cause with: ${command}`);
  }
}

/** The flags as the report shows them. */
function shownFlags(flags: RunFlags): RunFlags {
  return { ...flags, ...(flags.driver !== undefined && { driver: shownDriver(flags.driver) }) };
}

/** Remarks about the baseline, the limits and the runner's own errors, a line each. */
function remarks({ baseline, stopped, faults }: ConformanceResult): string {
  const lines = [
    ...baseline.stale.map((entry) => `the baseline is stale: ${entry}`),
    ...baseline.ended.map((entry) => `an entry of the baseline has expired: ${entry}`),
    ...(stopped === undefined ? [] : [`the run was stopped before its end: ${stopped}`]),
  ];
  const own = faults
    .slice(0, 3)
    .map((stack) => `assay: a fault of assay itself, not of the target:\n${printableLines(stack)}\n`);
  return [...lines.map((line) => `assay: ${printable(line)}\n`), ...own].join('');
}

/** The ids of the checks that failed or stayed without a verdict in the last run of this folder. Throws `UsageError` when there are none. */
function leftByLastRun(): Set<string> {
  const last = readLastRun();
  if (!last) throw new UsageError('--last-failed: no run was kept in this folder; run once without it');
  const left = last.checks.filter(({ verdict }) => ['failed', 'warned', 'inconclusive'].includes(verdict));
  if (left.length === 0)
    throw new UsageError(
      '--last-failed: nothing failed in the last run of this folder, and no check stayed without a verdict',
    );
  return new Set(left.map(({ id }) => currentId(id)));
}
