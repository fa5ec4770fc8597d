import { Command, Option } from 'commander';
import { allChecks } from '../checks/index.ts';
import { countsOf, proofFormats, textProof } from '../prove/report.ts';
import { readBaseline } from '../run/baseline.ts';
import { readConfiguration } from '../run/configuration.ts';
import { randomSeed } from '../run/run-conformance.ts';
import { scopeAreas } from '../run/scope.ts';
import { version } from '../run/version.ts';
import { oneOf, repeated, wholeNumber } from './arguments.ts';
import { expectWritable, type ReportFile, reportFileOf, writeFiles } from './report-files.ts';
import { selectChecks } from './select-checks.ts';
import { endAfterOutput, stopOnSignal } from './signals.ts';
import { openTarget, type TargetFlags, withTarget } from './target.ts';

const areas = ['auth', ...scopeAreas];

/** How many faults are tried where neither a number is given nor all are asked for. */
const usualSample = 40;

interface ProveFlags extends TargetFlags {
  area?: string[];
  check?: string[];
  baseline?: string;
  sample?: number;
  all?: true;
  seed?: number;
  atLeast?: number;
  report?: ReportFile[];
}

/** `assay prove`: how many faults of a target a pipeline would notice. */
export function proveCommand(): Command {
  return withTarget(new Command('prove'))
    .description(
      'Put wrong servers in front of your own target, and count those that your run would notice: with your driver, baseline, scope and selection of checks. Without --target, the reference server is the target.',
    )
    .optionsGroup('Your pipeline:')
    .addOption(new Option('--area <area>', 'as for assay run').choices(areas).argParser(oneOf(areas)))
    .option('--check <glob>', 'as for assay run', repeated)
    .option('--baseline <file>', 'as for assay run')
    .optionsGroup('Which faults:')
    .option('--sample <n>', `try so many faults (default: ${usualSample})`, wholeNumber(1))
    .addOption(new Option('--all', 'try every fault, which takes long').conflicts('sample'))
    .option('--seed <n>', 'repeat the sample of another time', wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .optionsGroup('Results:')
    .option('--at-least <percent>', 'exit with 1 when fewer faults are noticed', wholeNumber(0, 100))
    .option(
      '--report <format=path>',
      `write a report; repeatable; formats: ${Object.keys(proofFormats).join(', ')}; the path - is stdout`,
      reportFileOf(Object.keys(proofFormats)),
    )
    .addHelpText('after', afterHelp)
    .action(proveGate);
}

const afterHelp = `
Examples:
  assay prove --target https://sandbox.example.com --baseline known.yaml
  assay prove --sample 40 --seed 7 --at-least 90 --report markdown=prove.md

Exit codes: 0 done; 1 fewer faults were noticed than --at-least asks for; 2 wrong usage or configuration; 3 could not
judge, or a limit stopped it; 70 a fault of assay itself; 130 and 143 ended by a signal.`;

async function proveGate(flags: ProveFlags): Promise<void> {
  const configuration = readConfiguration(flags.config, process.env);
  const selected = selectChecks(allChecks, flags);
  const files = flags.report ?? [];
  expectWritable(files);
  const baselineFile = flags.baseline ?? configuration.baseline;
  const baseline = baselineFile === undefined ? [] : readBaseline(baselineFile);
  const interruption = stopOnSignal();
  const target = await openTarget(flags, configuration);
  let stopped = false;
  try {
    process.stderr.write(`assay ${version}: wrong servers in front of ${target.title}\n`);
    // The wrong servers are many, and only this command needs them.
    const { prove } = await import('../prove/prove.ts');
    const proof = await prove({
      target: target.options,
      selected,
      ...{ areas: flags.area, baseline, pins: configuration['open-points'] ?? {} },
      seed: flags.seed ?? randomSeed(),
      sample: flags.all ? undefined : (flags.sample ?? usualSample),
      stop: interruption.stop,
      onProgress: progressOn(process.stderr),
    });
    stopped = proof.stopped !== undefined;
    process.stderr.write(`\n${textProof(proof)}`);
    const { percent } = countsOf(proof);
    const result = percent === undefined || stopped ? 3 : percent < (flags.atLeast ?? 0) ? 1 : 0;
    process.exitCode = interruption.exitCode() ?? result;
    writeFiles(files, ({ format }) => proofFormats[format]?.(proof) ?? '');
  } finally {
    await target.close();
  }
  // What was given up may still wait for something, which must not hold the process.
  if (stopped) await endAfterOutput();
}

/** How often a line of progress is written, in milliseconds. */
const interval = 10_000;

function progressOn(output: NodeJS.WriteStream): (done: number, total: number) => void {
  let last = performance.now();
  return (done, total) => {
    if (performance.now() - last < interval) return;
    last = performance.now();
    output.write(`${done}/${total} faults\n`);
  };
}
