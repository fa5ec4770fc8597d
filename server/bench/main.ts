/**
 * `npm run bench:server` measures how fast the reference server is beside two yardsticks. All are measured in turn in
 * one run, each in its own process. Compare the ratios: the figures themselves hold for this machine only. `--full`
 * grows the table to a million orders.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../storage/testing/postgres.ts';
import { type Kind, measureContenders } from './contenders.ts';
import { measureGrowth } from './growth.ts';
import { aimsTable, contenderTable, growthTable } from './report.ts';

const connections = 20;
/** Rounds are short, so that the programs compared run within seconds of each other. */
const requestsPerRound = 400;
const starts = 7;

const { values: flags } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '31' },
    'without-prism': { type: 'boolean', default: false },
    'without-growth': { type: 'boolean', default: false },
  },
});
const rounds = Number(flags.rounds);
const sizes = flags['without-growth'] ? [] : [1_000, 10_000, 100_000, ...(flags.full ? [1_000_000] : [])];

const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const postgres = await startPostgres({ durable: true });
try {
  const began = performance.now();
  print(`${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)} before the run, Node ${process.versions.node}.\n`);
  const { contenders, client } = await measureContenders({
    ...{ folder, newDatabase, connections, requestsPerRound, rounds, starts },
    withPrism: !flags['without-prism'],
  });
  print(
    `Signed requests over ${connections} connections, medians of ${rounds} rounds of ${requestsPerRound} and of ${starts} ` +
      `starts. CPU is what the server's process spent on one answer; the client spent ${client.toFixed(0)} µs on one request. ` +
      'Each × is to the bare server on the same database, the median of what each round says; above 1 is better.\n',
  );
  print(contenderTable(contenders));
  const growth = await measureGrowth({ folder, newDatabase, sizes, rounds });
  if (growth.length > 0) {
    print(
      'A query by itself as the table grows; each × is to the smallest table, the median of what each round says; above 1 is slower.\n',
    );
    print(growthTable(growth));
  }
  print(aimsTable(contenders, growth));
  print(`Took ${Math.round((performance.now() - began) / 1000)} s.`);
} finally {
  await postgres.stop();
}

/** A folder for a SQLite file, or the address of an empty PostgreSQL database. */
async function newDatabase(kind: Kind, name: string): Promise<string> {
  if (kind === 'PostgreSQL') return postgres.createDatabase(name);
  const data = join(folder, name);
  await mkdir(data);
  return data;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
