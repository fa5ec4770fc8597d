import { Command, Option } from 'commander';
import { allChecks } from '../checks/index.ts';
import { reportFormats } from '../reporters/formats.ts';
import { textProgress } from '../reporters/progress.ts';
import { textSummary } from '../reporters/text.ts';
import { readBaseline } from '../run/baseline.ts';
import { readConfiguration } from '../run/configuration.ts';
import { type ConformanceResult, randomSeed, runConformance, runDefaults } from '../run/run-conformance.ts';
import { version } from '../run/version.ts';
import { printable } from '../text/printable.ts';
import { oneOf, repeated, wholeNumber } from './arguments.ts';
import { commandName } from './command-name.ts';
import { expectWritable, type ReportFile, reportFile, writeReports } from './report-files.ts';
import { selectChecks } from './select-checks.ts';
import { openTarget, type TargetFlags, withTarget } from './target.ts';

const areas = ['auth', 'orders', 'refunds', 'checkout', 'webhooks'] as const;

interface RunFlags extends TargetFlags {
  area?: string[];
  check?: string[];
  report?: ReportFile[];
  baseline?: string;
  concurrency: number;
  seed?: number;
  bail?: boolean;
  strictSkips?: boolean;
  verbose?: boolean;
}

/** `assay run`: judges a target, or the reference server when no target is given. */
export function runCommand(): Command {
  return withTarget(new Command('run'))
    .helpGroup('Judge an implementation:')
    .summary('run the conformance checks against a target')
    .description('Run the conformance checks against a target; without --target, against the reference server itself.')
    .optionsGroup('Which checks:')
    .addOption(new Option('--area <area>', 'only this area; repeatable').choices(areas).argParser(oneOf(areas)))
    .option(
      '--check <glob>',
      'only checks whose id matches, such as "orders.create.*"; "!GLOB" takes away from them, or from all; repeatable',
      repeated,
    )
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
    .option('--concurrency <n>', 'checks at the same time', wholeNumber(1), runDefaults.concurrency)
    .option('--seed <n>', 'repeat the order and the random choices of another run', wholeNumber(0))
    .option('--bail', 'stop at the first failure')
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
or configuration; 3 could not judge, or a limit stopped the run; 70 a fault of assay itself.`;

async function run(flags: RunFlags): Promise<void> {
  const configuration = readConfiguration(flags.config, process.env);
  const checks = selectChecks(allChecks, flags);
  const written = flags.report ?? [];
  expectWritable(written);
  const baselineFile = flags.baseline ?? configuration.baseline;
  const baseline = baselineFile === undefined ? undefined : readBaseline(baselineFile);
  const target = await openTarget(flags, configuration);
  try {
    const seed = flags.seed ?? randomSeed();
    const progress = textProgress(checks.length, process.stderr);
    process.stderr.write(`assay ${version}: ${checks.length} checks against ${target.options.target}\n`);
    const result = await runConformance({
      ...target.options,
      checks,
      seed,
      concurrency: flags.concurrency,
      bail: flags.bail ?? false,
      strictSkips: flags.strictSkips ?? false,
      pins: configuration['open-points'] ?? {},
      baseline,
      configuration: { ...configuration, flags: { ...flags }, command: commandName() },
      onStart: progress.start,
      onResult: progress.show,
    });
    progress.end();
    process.stderr.write(textSummary(result.report, { verbose: flags.verbose ?? false }));
    process.stderr.write(remarks(result));
    process.exitCode = result.exitCode;
    writeReports(written, result.report, result.history());
  } finally {
    await target.close();
  }
}

/** Remarks about the baseline and the limits, a line each. */
function remarks({ baseline, stopped }: ConformanceResult): string {
  const lines = [
    ...baseline.stale.map((entry) => `the baseline is stale: ${entry}`),
    ...baseline.ended.map((entry) => `an entry of the baseline has expired: ${entry}`),
    ...(stopped === undefined ? [] : [`the run was stopped before its end: ${stopped}`]),
  ];
  return lines.map((line) => `assay: ${printable(line)}\n`).join('');
}
