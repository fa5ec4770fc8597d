/**
 * `npm run bench:run` measures the time of a whole run, beside Redocly Respect and Step CI with the happy paths of the same
 * server, where the requests of a run go, by area and by kind, and the time of a run when every answer comes 100 ms later. It
 * prints the medians of several rounds, in which the tools take turns, and the size of the single executable with the time of its
 * start beside that of Node.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Handler, startProxy } from '../proof/stand/proxy.ts';
import { timeExecutable } from './executable.ts';
import { countRequests } from './requests.ts';
import { startBenchServer } from './server.ts';
import { startSigningProxy } from './signing-proxy.ts';
import {
  againstTarget,
  type Bench,
  embedded,
  recordedRun,
  respect,
  stepCi,
  type Tool,
  type ToolRun,
  targeted,
} from './tools.ts';

/** The delay of each answer, in milliseconds. */
const delay = 100;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } });
const rounds = Number(values.rounds);

/** How often the single executable is started. */
const startRounds = 15;

const tools: readonly Tool[] = [embedded, targeted, respect, stepCi];

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);

const inMilliseconds = (time: number) => `${time.toFixed(0)} ms`;
const seconds = (time: number) => `${(time / 1000).toFixed(2)} s`;

const folder = await mkdtemp(join(tmpdir(), 'assay-bench-run-'));
const server = await startBenchServer(folder);
const signing = await startSigningProxy(server);
const lateAnswers: Handler = async (request, behind) => {
  const answer = await behind.forward(request);
  await setTimeout(delay);
  return answer;
};
const late = await startProxy(server.url, { merchantApi: lateAnswers, control: lateAnswers });
try {
  const bench: Bench = { server, signing, folder };
  const runs = new Map<Tool, (ToolRun & { requests: number })[]>(tools.map((tool) => [tool, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [tool, of] of runs) {
      const before = await server.answered();
      of.push({ ...(await tool.run(bench)), requests: (await server.answered()) - before });
    }
  }
  const rows = [...runs].map(([tool, of]) => {
    const middle = (key: keyof (typeof of)[number]) => median(of.map((each) => each[key]));
    const [milliseconds, requests, checks] = [middle('milliseconds'), middle('requests'), middle('checks')];
    // The number of requests is unknown for the server that `assay run` starts itself.
    return [tool.name, seconds(milliseconds), requests || '', checks, (checks / (milliseconds / 1000)).toFixed(1)];
  });
  print([['', 'time', 'requests', 'checks', 'checks/s'], ...rows]);

  const { areas, kinds, steps } = countRequests(await recordedRun(bench));
  process.stdout.write(`\nWhere the requests of a run go, beside ${steps} steps of the driver:\n\n`);
  print([
    ['', ...areas, 'all'],
    ...kinds.map(({ kind, counts, total }) => [kind, ...counts, total]),
    [
      'all',
      ...areas.map((_, column) => sumOf(kinds.map(({ counts }) => counts[column] ?? 0))),
      sumOf(kinds.map(({ total }) => total)),
    ],
  ]);

  const withDelay = await againstTarget(bench, late.url);
  const ratio = (withDelay.milliseconds / withDelay.longest.durationMs).toFixed(2);
  process.stdout.write(
    `\nWith ${delay} ms more for every answer: ${seconds(withDelay.milliseconds)}, ${ratio} times the longest chain of requests ` +
      `(${withDelay.longest.id}, ${seconds(withDelay.longest.durationMs)}).\n`,
  );

  const { bytes, starts } = await timeExecutable(folder, startRounds);
  process.stdout.write(`\nThe single executable has ${(bytes / 1e6).toFixed(0)} MB.\n\n`);
  const times = starts.map(({ command, executable, node }) => [
    `assay ${command}`,
    inMilliseconds(median(executable)),
    inMilliseconds(median(node)),
  ]);
  print([['', 'single executable', 'Node'], ...times]);
} finally {
  await Promise.all([late.close(), signing.close()]);
  await server.stop();
  await rm(folder, { recursive: true });
}

/** Prints a table as Markdown. */
function print([head = [], ...rows]: readonly (readonly (string | number)[])[]): void {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |\n`;
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'));
  process.stdout.write([line(head), line(rule), ...rows.map(line)].join(''));
}
