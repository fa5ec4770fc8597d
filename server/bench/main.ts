/**
 * `npm run bench:server`: how fast the reference server is beside two yardsticks, all measured in turn in one run, each in a
 * process of its own. Ratios compare; the figures themselves are this machine's. `--full` grows the table to a million orders.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../storage/testing/postgres.ts';
import type { Credentials } from '../testing/signing.ts';
import { provision } from './database.ts';
import { measureGrowth } from './growth.ts';
import { load, median } from './load.ts';
import { createRequest, newOrderId, queryRequest } from './requests.ts';
import { assay, bare, prism, type Server, type Subject, start } from './servers.ts';

const connections = 20;
const requestsPerRound = 2000;

const { values: flags } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '7' },
    'without-prism': { type: 'boolean', default: false },
    'without-growth': { type: 'boolean', default: false },
  },
});
const rounds = Number(flags.rounds);

/** A program in the run, and what was measured of it, one value for each round. */
interface Contender {
  subject: Subject;
  /** Name of the one that its ratios are taken to. */
  yardstick: string;
  merchant: Credentials;
  starts: number[];
  creates: number[];
  queries: number[];
  memory: number;
}

const folder = await mkdtemp(join(tmpdir(), 'assay-bench-'));
const postgres = await startPostgres({ durable: true });
const running: Server[] = [];
try {
  const began = performance.now();
  const contenders = await enter();
  await measureStarts(contenders);
  await measureThroughput(contenders);
  report(contenders);
  if (!flags['without-growth']) await reportGrowth();
  print(`Took ${Math.round((performance.now() - began) / 1000)} s.`);
} finally {
  for (const server of running) await server.stop();
  await postgres.stop();
  await rm(folder, { recursive: true });
}

/** Both programs on both databases, each with a database of its own; and Prism, which keeps nothing. */
async function enter(): Promise<Contender[]> {
  const contenders: Contender[] = [];
  const add = (subject: Subject, merchant: Credentials, yardstick: string) =>
    contenders.push({ subject, merchant, yardstick, starts: [], creates: [], queries: [], memory: Number.NaN });
  for (const kind of ['SQLite', 'PostgreSQL'] as const) {
    const yardstick = `bare, ${kind}`;
    const [ofBare, ofAssay] = [await newDatabase(kind, 'bare'), await newDatabase(kind, 'assay')];
    const [first, second] = [await provision(ofBare, 1), await provision(ofAssay, 1)];
    add(bare(yardstick, ofBare, first), first, yardstick);
    add(assay(`Assay, ${kind}`, ofAssay), second, yardstick);
    if (kind === 'PostgreSQL' || flags['without-prism']) continue;
    const mock = await prism().catch((error: unknown) => print(`Prism cannot be installed and is left out: ${error}`));
    if (mock) add(mock, second, yardstick);
  }
  return contenders;
}

async function newDatabase(kind: 'SQLite' | 'PostgreSQL', name: string): Promise<string> {
  if (kind === 'PostgreSQL') return postgres.createDatabase(name);
  const data = join(folder, name);
  await mkdir(data);
  return data;
}

async function measureStarts(contenders: readonly Contender[]): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    for (const { subject, merchant, starts } of contenders) {
      const server = await start(subject, merchant);
      starts.push(server.startMilliseconds);
      await server.stop();
    }
  }
}

/** Rounds of creates and then queries of what was created. The order changes from round to round; the first warms up. */
async function measureThroughput(contenders: readonly Contender[]): Promise<void> {
  const started: { contender: Contender; server: Server }[] = [];
  for (const contender of contenders) {
    const server = await start(contender.subject, contender.merchant);
    running.push(server);
    started.push({ contender, server });
  }
  for (let round = 0; round <= rounds; round += 1) {
    started.push(...started.splice(0, 1));
    for (const { contender, server } of started) {
      const { merchant, creates, queries } = contender;
      const ids = Array.from({ length: requestsPerRound }, newOrderId);
      const perSecond = async (requestOf: (merchant: Credentials, id: string) => Buffer) => {
        const requests = ids.map((id) => requestOf(merchant, id));
        return (await load(server.port, requests, connections)).perSecond;
      };
      const [created, queried] = [await perSecond(createRequest), await perSecond(queryRequest)];
      if (round === 0) continue;
      creates.push(created);
      queries.push(queried);
    }
  }
  for (const { contender, server } of started) {
    contender.memory = await server.memory();
    await server.stop();
  }
}

function report(contenders: readonly Contender[]): void {
  const rows = contenders.map((contender) => {
    const against = contenders.find(({ subject }) => subject.name === contender.yardstick) ?? contender;
    const rate = (of: 'creates' | 'queries') => [
      median(contender[of]).toFixed(0),
      (median(contender[of]) / median(against[of])).toFixed(2),
    ];
    return [
      contender.subject.name,
      ...rate('creates'),
      ...rate('queries'),
      median(contender.starts).toFixed(0),
      (median(contender.starts) / median(against.starts)).toFixed(2),
      contender.memory.toFixed(0),
      (contender.memory / against.memory).toFixed(2),
    ];
  });
  print(
    `${cpus().length} cores, Node ${process.versions.node}; signed requests over ${connections} connections; ` +
      `medians of ${rounds} rounds of ${requestsPerRound}; the ratio (×) is to the bare server on the same database.\n`,
  );
  const heading = ['', 'creates/s', '×', 'queries/s', '×', 'first answer, ms', '×', 'memory, MB', '×'];
  print(table(heading, rows));
}

async function reportGrowth(): Promise<void> {
  const sizes = [1_000, 10_000, 100_000, ...(flags.full ? [1_000_000] : [])];
  const results = await measureGrowth(folder, sizes, rounds);
  const rows = results.map((result) => {
    const ratio = (of: 'median' | 'p99') => (result[of] / (results[0]?.[of] ?? Number.NaN)).toFixed(2);
    return [
      result.orders.toLocaleString('en'),
      result.median.toFixed(3),
      ratio('median'),
      result.p99.toFixed(3),
      ratio('p99'),
    ];
  });
  print('A query by itself as the table grows (SQLite); the ratio is to 1,000 orders.\n');
  print(table(['orders', 'median, ms', '×', 'p99, ms', '×'], rows));
}

function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = heading.map((_cell, index) => (index === 0 ? '---' : '---:'));
  return `${[heading, rule, ...rows].map(line).join('\n')}\n`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
