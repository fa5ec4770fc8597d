/**
 * `npm run stability`: runs the whole suite under different seeds and, each time, with another number of checks side by side, against the
 * reference server, or against a server that is wrong as a whole (`--server no-webhooks`). Fails when two runs disagree about a check: about its
 * verdict, or, for a wrong server, about whether it failed. A check that waits for what another one has waited for in vain has no verdict then.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import type { Report } from '../run/report.ts';
import { hopelessServers } from './faults/hopeless.ts';
import { openStand, type Target } from './stand.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '20' }, server: { type: 'string' } } });

/** Checks side by side; the runs take turns. */
const concurrencies = [1, 2, 4, 8, 16, 32];

const runFile = promisify(execFile);

/** The report of a run with these flags. */
async function run(flags: readonly string[], file: string): Promise<Report> {
  const complete = ['dist/conformance/cli/main.js', 'run', ...flags, '--report', `json=${file}`];
  // A run that finds something fails, and has its report all the same.
  await runFile(process.execPath, complete).catch(() => undefined);
  const report: Report = JSON.parse(await readFile(file, 'utf8'));
  await rm(file);
  return report;
}

/**
 * Runs the suite several times, prints each run, and with it the checks that say something else than in an earlier one. Returns how many there were.
 *
 * @param flags where the target is
 * @param said what a verdict says, in a word
 */
async function compareRuns(flags: readonly string[], said: (verdict: string) => string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-stability-'));
  const first = new Map<string, string>();
  const unstable = new Set<string>();
  try {
    for (let seed = 1; seed <= Number(values.runs); seed += 1) {
      const concurrency = String(concurrencies[(seed - 1) % concurrencies.length]);
      const how = [...flags, '--seed', String(seed), '--concurrency', concurrency];
      const { checks, summary, durationMs } = await run(how, join(folder, 'report.json'));
      const counts = Object.entries(summary).filter(([, count]) => count > 0);
      const verdicts = counts.map(([verdict, count]) => `${count} ${verdict}`).join(', ');
      process.stdout.write(`seed ${seed}, ${concurrency} side by side: ${verdicts}, ${durationMs / 1000} s\n`);
      for (const { id, verdict } of checks) {
        const before = first.get(id) ?? said(verdict);
        first.set(id, before);
        if (before === said(verdict)) continue;
        unstable.add(id);
        process.stdout.write(`  differs: ${id} was ${before} and is ${said(verdict)}\n`);
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  process.stdout.write(`${first.size - unstable.size} of ${first.size} checks always said the same\n`);
  return unstable.size;
}

/** Runs the suite against a server that is wrong as a whole. */
async function compareRunsAgainst(id: string): Promise<number> {
  const server = hopelessServers.find((each) => each.id === id);
  if (!server) throw new Error(`--server is one of ${hopelessServers.map((each) => each.id).join(', ')}`);
  const stand = await openStand();
  const flagsOf = ({ target, control }: Target) => [
    ...['--target', target],
    ...(control ? ['--control', control.url, '--control-token', control.token] : []),
  ];
  try {
    return await stand.against(server.make, (target) =>
      compareRuns(flagsOf(target), (verdict) => (verdict === 'failed' ? 'failed' : 'not failed')),
    );
  } finally {
    await stand.close();
  }
}

const unstable = await (values.server === undefined
  ? compareRuns([], (verdict) => verdict)
  : compareRunsAgainst(values.server));
if (unstable > 0) process.exitCode = 1;
