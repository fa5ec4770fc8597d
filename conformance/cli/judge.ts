import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { UsageError } from '../errors/usage-errors.ts';
import { readHistory } from '../history/ndjson.ts';
import { reportFormats } from '../reporters/formats.ts';
import { textSummary } from '../reporters/text.ts';
import { exitCodeLines, judgeExitCodes } from '../run/exit-codes.ts';
import { judgeRecorded } from '../run/judge-history.ts';
import { expectWritable, type ReportFile, reportFile, writeReports } from './report-files.ts';

/** `assay judge FILE`: what the invariants say of a recorded history, without a target. */
export function judgeCommand(): Command {
  return new Command('judge')
    .description(
      'Judge a history that a run has written with --report history=PATH. Every rule that holds for all answers and webhooks of a run is judged; the target is not asked again.',
    )
    .argument('<file>', 'the history; - is stdin')
    .option(
      '--report <format=path>',
      `write a report; repeatable; formats: ${Object.keys(reportFormats).join(', ')}; the path - is stdout`,
      reportFile,
    )
    .option('--verbose', 'print every finding in full')
    .addHelpText('after', `\n${exitCodeLines(judgeExitCodes)}`)
    .action(judgeFile);
}

async function judgeFile(
  file: string,
  { report: files = [], verbose = false }: { report?: ReportFile[]; verbose?: boolean },
): Promise<void> {
  const history = readHistory(textOf(file), file === '-' ? 'stdin' : file);
  expectWritable(files);
  const { report, exitCode } = await judgeRecorded(history);
  process.stderr.write(textSummary(report, { verbose }));
  process.exitCode = exitCode;
  writeReports(files, report, () => history);
}

function textOf(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch {
    throw new UsageError(`there is no history ${file} that can be read; assay run --report history=PATH writes one`);
  }
}
