import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allChecks } from '../checks/index.ts';
import { allFaults } from './faults/index.ts';
import { type Judged, serversToJudge } from './judge-server.ts';
import { buildMatrix, type Holes, holesOf, type Matrix } from './matrix.ts';
import { conformingServers } from './variants/conforming-servers.ts';

/** The file from which the docs read the matrix. */
const matrixFile = fileURLToPath(new URL('../../docs/data/proof.json', import.meta.url));

/** How many servers a process judges at the same time: one waits for a webhook or a change while another is judged. */
const sideBySide = 3;

/** Has every server judged by the checks that can see its difference, on all cores; resolves with the results. */
async function judgeAll(): Promise<Judged[]> {
  const judged: Judged[] = [];
  const waiting = [...serversToJudge.keys()];
  const module = fileURLToPath(new URL('./worker.ts', import.meta.url));
  await Promise.all(
    Array.from({ length: availableParallelism() }, () => {
      const worker = fork(module);
      let judging = 0;
      const judgeNext = () => {
        const position = waiting.shift();
        if (position !== undefined) {
          judging += 1;
          worker.send(position);
        } else if (judging === 0 && worker.connected) worker.disconnect();
      };
      worker.on('message', (message: Judged) => {
        judging -= 1;
        judged.push(message);
        process.stderr.write(`\r${judged.length} of ${serversToJudge.length} servers`);
        judgeNext();
      });
      for (let lane = 0; lane < sideBySide; lane += 1) judgeNext();
      return new Promise<void>((resolve, reject) => {
        worker.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))));
      });
    }),
  );
  process.stderr.write('\n');
  return judged;
}

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

function printHoles(holes: Holes, { faults, checks, variants: conforming }: Matrix): boolean {
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
  return lines.every(([, missing]) => missing.length === 0);
}

const judged = await judgeAll();
const matrix = buildMatrix(judged, { checks: allChecks, faults: allFaults, variants: conformingServers });
mkdirSync(dirname(matrixFile), { recursive: true });
writeFileSync(matrixFile, `${JSON.stringify(matrix)}\n`);
printMatrix(matrix);
if (!printHoles(holesOf(matrix, judged), matrix)) process.exitCode = 1;
