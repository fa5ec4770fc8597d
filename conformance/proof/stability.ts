/**
 * `npm run stability`: runs the whole suite against the reference server under different seeds and, each time, with another
 * number of checks side by side. Fails when two runs disagree about a check.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import type { Report } from '../run/report.ts';

const run = promisify(execFile);

const { values } = parseArgs({ options: { runs: { type: 'string', default: '20' } } });

/** Checks side by side; the runs take turns. */
const concurrencies = [1, 2, 4, 8, 16, 32];

const folder = await mkdtemp(join(tmpdir(), 'assay-stability-'));
const file = join(folder, 'report.json');
const seen = new Map<string, Set<string>>();
try {
  for (let seed = 1; seed <= Number(values.runs); seed += 1) {
    const concurrency = String(concurrencies[(seed - 1) % concurrencies.length]);
    const flags = ['--seed', String(seed), '--concurrency', concurrency, '--report', `json=${file}`];
    // A run that finds something fails, and has its report all the same.
    await run(process.execPath, ['dist/conformance/cli/main.js', 'run', ...flags]).catch(() => undefined);
    const report: Report = JSON.parse(await readFile(file, 'utf8'));
    await rm(file);
    for (const { id, verdict } of report.checks) seen.set(id, (seen.get(id) ?? new Set()).add(verdict));
    const counts = Object.entries(report.summary).filter(([, count]) => count > 0);
    const verdicts = counts.map(([verdict, count]) => `${count} ${verdict}`).join(', ');
    process.stdout.write(`seed ${seed}, ${concurrency} side by side: ${verdicts}, ${report.durationMs / 1000} s\n`);
  }
} finally {
  await rm(folder, { recursive: true });
}
const unstable = [...seen].filter(([, verdicts]) => verdicts.size > 1);
for (const [id, verdicts] of unstable) process.stdout.write(`  differs: ${id} was ${[...verdicts].join(' and ')}\n`);
process.stdout.write(`${seen.size - unstable.length} of ${seen.size} checks always had the same verdict\n`);
if (unstable.length > 0) process.exitCode = 1;
