import { basename } from 'node:path';
import { Command } from 'commander';
import { compare, isWorse, type NamedReport } from '../compare/comparison.ts';
import { comparisonFormats } from '../compare/formats.ts';
import { summaryOf } from '../compare/words.ts';
import { UsageError } from '../errors/usage-errors.ts';
import { printable } from '../text/printable.ts';
import { readReport } from './read-report.ts';
import { expectWritable, type ReportFile, reportFileOf, writeFiles } from './report-files.ts';

/** `assay compare A B …`: what changed between two runs, or several implementations beside each other. */
export function compareCommand(): Command {
  return new Command('compare')
    .description(
      'Compare JSON reports that runs have written with --report json=PATH. Two: what got better, worse, new or gone since the first. More: implementations beside each other, and what a client may rely on at all of them.',
    )
    .argument('<reports...>', 'JSON reports; of two, the first is the earlier')
    .option(
      '--report <format=path>',
      `write the comparison; repeatable; formats: ${Object.keys(comparisonFormats).join(', ')}; the path - is stdout (default: markdown=-)`,
      reportFileOf(Object.keys(comparisonFormats)),
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 nothing got worse; 1 something did; 2 wrong usage; 70 a fault of assay itself.',
    )
    .action(compareFiles);
}

function compareFiles(paths: readonly string[], { report: files }: { report?: ReportFile[] }): void {
  if (paths.length < 2)
    throw new UsageError('compare needs two reports or more; assay run --report json=PATH writes one');
  const asked = files ?? [{ format: 'markdown', path: '-' }];
  expectWritable(asked);
  const comparison = compare(paths.map(namedReport));
  process.stderr.write(`${printable(summaryOf(comparison))}\n`);
  process.exitCode = isWorse(comparison) ? 1 : 0;
  writeFiles(asked, ({ format }) => comparisonFormats[format]?.(comparison) ?? '');
}

/** The report in a file, under the file's name without its ending; reports of the same name go by their paths. */
function namedReport(path: string, _index: number, all: readonly string[]): NamedReport {
  const short = (each: string) => basename(each).replace(/\.json$/, '');
  const name = all.filter((each) => short(each) === short(path)).length > 1 ? path : short(path);
  return { name, report: readReport(path) };
}
