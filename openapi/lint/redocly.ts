import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** One thing that Redocly finds in a document. */
export interface Problem {
  rule: string;
  severity: string;
  /** Relative to the folder of the run. */
  file: string;
  /** Where in the file: `#/post/responses`. */
  pointer: string;
  message: string;
}

interface Report {
  problems: { ruleId: string; severity: string; message: string; location: Location[] }[];
}

interface Location {
  source: { ref: string };
  pointer?: string;
}

const redocly = fileURLToPath(new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url));

/**
 * Lints documents with the `redocly.yaml` and the ignore file of a folder. `targets` are files in it or names of its APIs.
 * Returns every problem that is not ignored. Throws when the linter gives no report.
 */
export async function redoclyProblems(folder: string, targets: string[]): Promise<Problem[]> {
  const stdout = await lint(folder, targets);
  // One report for each target, one after the other.
  const reports: Report[] = JSON.parse(`[${stdout.replaceAll(/^\}\s*\{/gm, '},{')}]`);
  if (reports.length !== targets.length) throw new Error(`${targets.length} targets, ${reports.length} reports`);
  return reports
    .flatMap(({ problems }) => problems)
    .map(({ ruleId, severity, message, location: [place] }) => ({
      rule: ruleId,
      severity,
      file: place?.source.ref ?? '',
      pointer: place?.pointer ?? '',
      message,
    }));
}

function lint(folder: string, targets: string[]): Promise<string> {
  const parameters = [redocly, 'lint', ...targets, '--format', 'json', '--max-problems', '10000'];
  const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off' };
  return new Promise((resolve, reject) => {
    // A problem makes the exit code 1, so that only a run without a report has failed.
    execFile(process.execPath, parameters, { cwd: folder, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (stdout.startsWith('{')) resolve(stdout);
      else reject(new Error(`no report: ${stderr}`, { cause: error }));
    });
  });
}
