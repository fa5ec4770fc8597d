import { Command, Option } from 'commander';
import { UsageError } from '../errors/usage-errors.ts';
import { reportFormats } from '../reporters/formats.ts';
import { type Configuration, readConfiguration } from '../run/configuration.ts';
import { exitCodeLines, exitCodes } from '../run/exit-codes.ts';
import { runDefaults } from '../run/run-defaults.ts';
import { scopeAreas } from '../run/scope.ts';
import { mostPlaces, placesAtFirst } from '../wire/pace.ts';
import { oneOf, repeated, wholeNumber } from './arguments.ts';
import type { RunFlags } from './judge-target.ts';
import { reportFile } from './report-files.ts';
import { endAfterOutput } from './signals.ts';
import { openTarget, withTarget } from './target.ts';

const areas = ['auth', ...scopeAreas] as const;

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
      '--max-duration <seconds>',
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

${exitCodeLines(exitCodes)}`;

/** Areas that need nothing of the others. Refunds are of orders, and webhooks tell of everything. */
const selfContained: readonly string[] = ['orders', 'checkout'];

/** The areas that a run may ask: where `--area` names only such as need no other, no more than these. Throws `UsageError` when none is left. */
function areasAsked({ area: named }: RunFlags, { areas: offered }: Configuration): Pick<Configuration, 'areas'> {
  if (!named?.every((area) => selfContained.includes(area))) return {};
  const areas = scopeAreas.filter((area) => named.includes(area) && offered?.includes(area) !== false);
  if (areas.length > 0) return { areas };
  throw new UsageError(
    `--area ${named.join(', ')}: the configuration says that the target has only ${offered?.join(', ')}; ask for one of these, or correct areas there`,
  );
}

async function run(flags: RunFlags): Promise<void> {
  const configuration = readConfiguration(flags.config, process.env);
  // The reference server starts while the checks are loaded. An error is told where the target is awaited.
  const opening = openTarget(flags, { ...configuration, ...areasAsked(flags, configuration) });
  const close = opening.then(
    ({ close }) => close,
    () => async () => {},
  );
  const judging = import('./judge-target.ts').then(({ judgeTarget }) => judgeTarget(opening, flags, configuration));
  // Whatever fails, also the loading of the checks, the server must not outlast the run and hold the process.
  const { stopped } = await judging.finally(async () => (await close)());
  // Checks that were given up may still wait for something, which must not hold the process.
  if (stopped) await endAfterOutput();
}
