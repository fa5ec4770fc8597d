/**
 * `npm run proof` has every wrong and every conforming server judged by the checks that can see its difference, and prints the holes of the
 * suite. Exit code 1: there is one. 3: the only holes are servers that could not be judged.
 */
import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allChecks } from '../checks/index.ts';
import { runDefaults } from '../run/run-defaults.ts';
import { judgeTogether } from './crew.ts';
import { allFaults } from './faults/index.ts';
import { type Job, type Judged, jobsOfFaults, jobsOfVariants } from './jobs.ts';
import { buildMatrix, catchesOf, type Holes, holesOf, type Matrix } from './matrix.ts';
import { seeCalls } from './seen-calls.ts';
import { conformingServers } from './variants/conforming-servers.ts';

/** The file from which the docs read the matrix. */
const matrixFile = fileURLToPath(new URL('../../docs/data/proof.json', import.meta.url));

/** How many of the slowest servers are named. */
const slowestNamed = 10;

/**
 * What a process that judges is started with: a larger space for young objects, in MB. Requests and answers outlive the usual one, and collecting them
 * took an eighth of the CPU time.
 */
const execArgv = [...process.execArgv, '--max-semi-space-size=64'];

const started = performance.now();
const minutes = (milliseconds: number) => (milliseconds / 60_000).toFixed(1);
const ownCpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Has servers judged on all cores; resolves with the results, and with the CPU time of the processes in milliseconds. */
async function judgeAll(jobs: readonly Job[]): Promise<{ judged: Judged[]; cpu: number }> {
  const judged: Judged[] = [];
  const module = fileURLToPath(new URL('./worker.ts', import.meta.url));
  const cpu = await judgeTogether(jobs, {
    start: () => fork(module, { execArgv }),
    processes: availableParallelism(),
    longestSilence: 120_000,
    longestJudging: runDefaults.maxDuration,
    onJudged: (result) => {
      judged.push(result);
      showProgress(`${judged.length} of ${jobs.length} servers, ${minutes(performance.now() - started)} minutes`);
    },
  });
  return { judged, cpu };
}

const showProgress = (text: string) => process.stderr.write(`\r${text.padEnd(60)}`);

/** For each area, how many of its checks there are, and how many wrong servers they turn red. */
function printMatrix({ checks, faults, variants: conforming }: Matrix): void {
  const areas = [...new Set(checks.map(({ area }) => area))];
  const areaOf = (index: number) => checks[index]?.area;
  process.stdout.write('area      checks  MUST  SHOULD  MAY  wrong servers seen\n');
  for (const area of areas) {
    const own = checks.filter((check) => check.area === area);
    const count = (level: string) => own.filter((check) => check.level === level).length;
    const seen = faults.filter(({ seenBy }) => seenBy.some((index) => areaOf(index) === area)).length;
    const cells = [own.length, count('MUST'), count('SHOULD'), count('MAY'), seen];
    const widths = [6, 4, 6, 3, 18];
    const row = cells.map((cell, index) => String(cell).padStart(widths[index] ?? 0)).join('  ');
    process.stdout.write(`${area.padEnd(8)}  ${row}\n`);
  }
  process.stdout.write(`\n${faults.length} wrong servers, ${conforming.length} conforming ones\n`);
}

function printHoles(holes: Holes, { faults, checks, variants: conforming, missedAtFirst }: Matrix): void {
  const judging = checks.filter(({ level }) => level !== 'MAY').length;
  const lines: [string, string[], number][] = [
    ['servers that could be judged', holes.broken, faults.length + conforming.length],
    ['wrong servers caught by their check', holes.uncaught, faults.length],
    ['wrong servers seen by any check', holes.unseen, faults.length],
    ['conforming servers not accused', holes.accused, conforming.length],
    ['checks that a wrong server turns red', holes.neverRed, judging],
  ];
  for (const [what, missing, of] of lines) {
    process.stdout.write(`${what}: ${of - missing.length} of ${of}\n`);
    for (const each of missing) process.stdout.write(`  not: ${each}\n`);
  }
  process.stdout.write(`judged a second time, with more time for webhooks: ${missedAtFirst.length} wrong servers\n`);
  for (const each of missedAtFirst) process.stdout.write(`  ${each}\n`);
}

function printTimes(judged: readonly Judged[], cpu: number): void {
  const slowest = judged.toSorted((left, right) => right.milliseconds - left.milliseconds).slice(0, slowestNamed);
  const named = slowest.map(({ id, milliseconds }) => `${id} ${Math.round(milliseconds / 1000)} s`);
  process.stdout.write(`slowest: ${named.join(', ')}\n`);
  process.stdout.write(`${minutes(performance.now() - started)} minutes, ${minutes(cpu)} of CPU time\n`);
}

/** See the head of this file. */
function exitCodeOf({ broken, ...holes }: Holes): 0 | 1 | 3 {
  if (Object.values(holes).some((missing) => missing.length > 0)) return 1;
  return broken.length > 0 ? 3 : 0;
}

const wrongServers = jobsOfFaults(allChecks);
const [callsOf, first] = await Promise.all([seeCalls(), judgeAll(wrongServers)]);
const isCaught = catchesOf(first.judged);
const missed = new Set(allFaults.filter((fault) => !isCaught(fault)).map(({ id }) => id));
// On a busy machine a webhook or a change that a check needs to find the fault may come too late.
const again = wrongServers.filter(({ id }) => missed.has(id)).map((job) => ({ ...job, patient: true as const }));
const second = await judgeAll([...jobsOfVariants(allChecks, callsOf), ...again]);
process.stderr.write('\n');

const judged = [...first.judged.filter(({ id }) => !missed.has(id)), ...second.judged];
const matrix = buildMatrix(judged, {
  checks: allChecks,
  faults: allFaults,
  variants: conformingServers,
  missedAtFirst: [...missed],
});
mkdirSync(dirname(matrixFile), { recursive: true });
writeFileSync(matrixFile, `${JSON.stringify(matrix)}\n`);
const holes = holesOf(matrix, judged);
printMatrix(matrix);
printHoles(holes, matrix);
printTimes(judged, first.cpu + second.cpu + ownCpu());
process.exitCode = exitCodeOf(holes);
