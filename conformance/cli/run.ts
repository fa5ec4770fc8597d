import { Command, Option } from 'commander';
import { allChecks } from '../checks/index.ts';
import { currentId } from '../checks/replaced-ids.ts';
import { shownDriver } from '../drivers/program-name.ts';
import { Unreachable, UsageError } from '../errors/usage-errors.ts';
import { doctorCommand } from '../reporters/again.ts';
import { reportFormats } from '../reporters/formats.ts';
import { textProgress } from '../reporters/progress.ts';
import { textSummary } from '../reporters/text.ts';
import { awaitTarget } from '../run/await-target.ts';
import { readBaseline } from '../run/baseline.ts';
import { readConfiguration } from '../run/configuration.ts';
import { keepLastRun, readLastRun } from '../run/last-run.ts';
import { type ConformanceResult, randomSeed, runConformance, runDefaults } from '../run/run-conformance.ts';
import { version } from '../run/version.ts';
import { printable, printableLines } from '../text/printable.ts';
import { mostPlaces, placesAtFirst } from '../wire/pace.ts';
import { oneOf, repeated, wholeNumber } from './arguments.ts';
import { commandName } from './command-name.ts';
import { expectWritable, type ReportFile, reportFile, writeReports } from './report-files.ts';
import { selectChecks } from './select-checks.ts';
import { endAfterOutput, stopOnSignal } from './signals.ts';
import { openTarget, type TargetFlags, withTarget } from './target.ts';

const areas = ['auth', 'orders', 'refunds', 'checkout', 'webhooks'] as const;

interface RunFlags extends TargetFlags {
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

/** `assay run`: judges a target, or the reference server when no target is given. */
export function runCommand(): Command {
  return withTarget(new Command('run'))
    .description('Run the conformance checks against a target; without --target, against the reference server itself.')
    .optionsGroup('Which checks:')
    .addOption(new Option('--area <area>', 'only this area; repeatable').choices(areas).argParser(oneOf(areas)))
    .option(
      '--check <glob>',
      'only checks whose id matches, such as "orders.create.*"; "!GLOB" takes away from them, or from all; repeatable',
      repeated,
    )
    .option('--last-failed', 'only checks that failed or stayed without a verdict in the last run of this folder')
    .optionsGroup('Results:')
    .option(
      '--report <format=path>',
      `write a report; repeatable; formats: ${Object.keys(reportFormats).join(', ')}; the path - is stdout`,
      reportFile,
    )
    .option('--baseline <file>', 'file of known failures: a list of { check, reason, until? }')
    .option('--strict-skips', 'exit with 3 when a check was skipped')
    .option('--verbose', 'print every finding and every open point in full')
    .optionsGroup('How:')
    .option(
      '--concurrency <n>',
      `checks at the same time; default: ${placesAtFirst}, and up to ${mostPlaces} while answers are slow to come`,
      wholeNumber(1),
    )
    .option(
      '--seed <n>',
      'repeat the order and the random choices of another run',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .option(
      '--max-duration <s>',
      'seconds after which the run ends with its results so far',
      wholeNumber(1, 2_000_000),
      runDefaults.maxDuration / 1000,
    )
    .option('--bail', 'stop at the first failure')
    .option('--wait <seconds>', 'wait until the target answers', wholeNumber(0))
    .addHelpText('after', afterHelp)
    .action(run);
}

const afterHelp = `
Examples:
  assay run                                                the reference server, to see a run
  assay run --target https://sandbox.example.com           with ASSAY_CONTROL_TOKEN, or a merchant, in the environment
  assay run --target … --area orders --report json=-       hosted orders alone, the report on stdout

Flags override the environment, and the environment overrides the configuration file (assay init writes one).

Exit codes: 0 nothing failed, or only known failures; 1 a check failed, or the baseline is stale; 2 wrong usage
or configuration; 3 could not judge, or a limit stopped the run; 70 a fault of assay itself; 130 and 143 ended by
a signal, with the results so far.`;

async function run(flags: RunFlags): Promise<void> {
  const configuration = readConfiguration(flags.config, process.env);
  const checks = selectChecks(allChecks, { ...flags, only: flags.lastFailed && leftByLastRun() });
  const written = flags.report ?? [];
  expectWritable(written);
  const baselineFile = flags.baseline ?? configuration.baseline;
  const baseline = baselineFile === undefined ? undefined : readBaseline(baselineFile);
  const interruption = stopOnSignal();
  let stopped = false;
  const target = await openTarget(flags, configuration);
  const settings = { ...configuration, flags: shownFlags(flags), command: commandName() };
  try {
    if (flags.wait !== undefined) await awaitTarget({ ...target.options, seed: 0 }, flags.wait);
    const seed = flags.seed ?? randomSeed();
    const progress = textProgress(checks.length, process.stderr);
    process.stderr.write(`assay ${version}: ${checks.length} checks against ${target.options.target}\n`);
    const result = await runConformance({
      ...target.options,
      checks,
      seed,
      concurrency: flags.concurrency,
      stop: interruption.stop,
      maxDuration: flags.maxDuration * 1000,
      bail: flags.bail ?? false,
      strictSkips: flags.strictSkips ?? false,
      pins: configuration['open-points'] ?? {},
      suite: configuration.suite,
      baseline,
      configuration: settings,
      onStart: progress.start,
      onResult: progress.show,
    }).finally(progress.end);
    stopped = result.stopped !== undefined;
    process.stderr.write(textSummary(result.report, { verbose: flags.verbose ?? false }));
    process.stderr.write(remarks(result));
    process.exitCode = interruption.exitCode() ?? result.exitCode;
    writeReports(written, result.report, result.history);
    keepLastRun(result.report);
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    const command = doctorCommand({ target: target.options.target, configuration: settings });
    throw new Unreachable(`${error.message}\nFind the cause with: ${command}`);
  } finally {
    await target.close();
  }
  // Checks that were given up may still wait for something, which must not hold the process.
  if (stopped) await endAfterOutput();
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
