import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeExecutable } from '../binary/make.ts';

const run = promisify(execFile);

/** The size of the single executable in bytes, and for each command its time and that of the built command with Node, in milliseconds. */
export interface ExecutableTimes {
  bytes: number;
  starts: readonly { command: string; executable: readonly number[]; node: readonly number[] }[];
}

/** Makes the single executable in a folder, and starts it and the built command by turns. */
export async function timeExecutable(folder: string, rounds: number): Promise<ExecutableTimes> {
  const file = join(folder, 'assay');
  await makeExecutable(file);
  const starts = ['--version', 'list'].map((command) => ({
    command,
    executable: [] as number[],
    node: [] as number[],
  }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { command, executable, node } of starts) {
      executable.push(await timed(file, [command]));
      node.push(await timed(process.execPath, ['dist/conformance/cli/main.js', command]));
    }
  }
  return { bytes: (await stat(file)).size, starts };
}

async function timed(program: string, args: readonly string[]): Promise<number> {
  const began = performance.now();
  await run(program, [...args], { maxBuffer: 64 * 1024 * 1024 });
  return performance.now() - began;
}
