/**
 * `npm run bench:run` measures runs of the whole suite: beside a bare client that sends the same requests to a bare server, and beside Redocly
 * Respect and Step CI with the happy paths of the same server; against slow and broken targets; and the start of single commands. It
 * prints the medians of several rounds, in which the tools take turns, and where the requests of a run go. It reads CPU times from `/proc`.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readHistory } from '../history/ndjson.ts';
import { openStand } from '../proof/stand.ts';
import { receiverTimeout } from '../run/run-defaults.ts';
import { placesAtFirst } from '../wire/pace.ts';
import { timeExecutable } from './executable.ts';
import { replay } from './replay.ts';
import { countRequests } from './requests.ts';
import { startBenchServer } from './server.ts';
import { startSigningProxy } from './signing-proxy.ts';
import { slowTargets } from './targets.ts';
import { type Bench, embedded, judgeTarget, recordedRun, respect, stepCi, type Tool, targeted } from './tools.ts';
import { cpuTime } from './usage.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } });
const rounds = Number(values.rounds);

/** How often each command is started. */
const startRounds = 15;

/** One measurement of a tool, or of the yardstick, which has no checks. Times in milliseconds. */
interface Measured {
  milliseconds: number;
  cpu: number;
  requests: number;
  checks: number;
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const middleOf = (of: readonly Measured[]): Measured => ({
  milliseconds: median(of.map((each) => each.milliseconds)),
  cpu: median(of.map((each) => each.cpu)),
  requests: median(of.map((each) => each.requests)),
  checks: median(of.map((each) => each.checks)),
});

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);

const inMilliseconds = (time: number) => `${time.toFixed(0)} ms`;
const seconds = (time: number) => `${(time / 1000).toFixed(2)} s`;

say(`${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)} before, Node ${process.versions.node}\n`);
const folder = await mkdtemp(join(tmpdir(), 'assay-bench-run-'));
const server = await startBenchServer(folder);
const signing = await startSigningProxy(server);
try {
  const bench: Bench = { server, signing, folder };
  const history = await recordedRun(bench);
  await compareTools(bench, history);
  await showRequests(history);
  await showStarts();
} finally {
  await signing.close();
  await server.stop();
}
try {
  await judgeSlowTargets();
} finally {
  await rm(folder, { recursive: true });
}

/** Times the tools and the yardstick by turns, in several rounds. */
async function compareTools(bench: Bench, history: string): Promise<void> {
  const yardstick = 'the same requests, bare client and bare server';
  const measured = new Map<string, Measured[]>();
  const add = (name: string, one: Measured) => measured.set(name, [...(measured.get(name) ?? []), one]);
  const tools: readonly Tool[] = [embedded, targeted, respect, stepCi];
  for (let round = 0; round < rounds; round += 1) {
    for (const tool of tools) {
      const before = await server.answered();
      add(tool.name, { ...(await tool.run(bench)), requests: (await server.answered()) - before });
    }
    add(yardstick, { ...(await replay(history, placesAtFirst)), checks: 0 });
  }
  const bare = middleOf(measured.get(yardstick) ?? []);
  const rows = [...measured].map(([name, of]) => {
    const { milliseconds, cpu, requests, checks } = middleOf(of);
    return [
      name,
      seconds(milliseconds),
      (milliseconds / bare.milliseconds).toFixed(1),
      seconds(cpu),
      (cpu / bare.cpu).toFixed(1),
      // Unknown for the server that `assay run` starts itself.
      requests || '',
      requests ? `${(cpu / requests).toFixed(2)} ms` : '',
      checks || '',
    ];
  });
  print([['', 'time', '×', 'CPU time, both sides', '×', 'requests', 'CPU time of one', 'checks'], ...rows]);
}

async function showRequests(file: string): Promise<void> {
  const { areas, kinds, steps } = countRequests(readHistory(await readFile(file, 'utf8'), file));
  say(`\nWhere the requests of a run go, beside ${steps} steps of the driver:\n`);
  print([
    ['', ...areas, 'all'],
    ...kinds.map(({ kind, counts, total }) => [kind, ...counts, total]),
    [
      'all',
      ...areas.map((_, column) => sumOf(kinds.map(({ counts }) => counts[column] ?? 0))),
      sumOf(kinds.map(({ total }) => total)),
    ],
  ]);
}

/** Times the starts of single commands. `npm run bench:server` times the server to its first answer. */
async function showStarts(): Promise<void> {
  const { bytes, starts, nothing } = await timeExecutable(folder, startRounds);
  say(`\nThe single executable has ${(bytes / 1e6).toFixed(0)} MB. Starts, beside a Node that does nothing:\n`);
  const times = starts.map(({ command, executable, node }) => [
    `assay ${command}`,
    inMilliseconds(median(executable)),
    inMilliseconds(median(node)),
    (median(node) / median(nothing)).toFixed(1),
  ]);
  print([['', 'single executable', 'Node', '×'], ...times, ['nothing', '', inMilliseconds(median(nothing)), '1.0']]);
}

/** Times a run with the default settings against each slow or broken target, once. Their servers and proxies are in this process. */
async function judgeSlowTargets(): Promise<void> {
  const stand = await openStand(receiverTimeout);
  say('\nSlow and broken targets:\n');
  print([['', 'time', 'CPU time, both sides', 'outcome', 'failed', 'warned', 'without a verdict']]);
  try {
    for (const { title, make } of slowTargets) {
      const before = cpuTime('own');
      await stand.against({ ...make, restarts: true }, async ({ target, control }) => {
        const { milliseconds, cpu, report } = await judgeTarget(folder, target, control?.token ?? '');
        const { failed, warned, inconclusive } = report.summary;
        const all = cpu + cpuTime('own') - before;
        say(line([title, seconds(milliseconds), seconds(all), report.outcome, failed, warned, inconclusive]));
      });
    }
  } finally {
    await stand.close();
  }
}

/** A line of a table in Markdown. */
function line(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Prints a table as Markdown. */
function print([head = [], ...rows]: readonly (readonly (string | number)[])[]): void {
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'));
  say([line(head), line(rule), ...rows.map(line)].join('\n'));
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
