import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeExecutable } from '../binary/make.ts';

const run = promisify(execFile);

/** The size of the single executable in bytes, and for each command its times and those of the built command with Node, in milliseconds. */
export interface ExecutableTimes {
  bytes: number;
  starts: readonly { command: string; executable: readonly number[]; node: readonly number[] }[];
  /** The times of a Node that does nothing, in milliseconds. */
  nothing: readonly number[];
}

const commands = ['--version', '--help', 'list', 'explain orders.create.minimal'];

/** Makes the single executable in a folder, and starts it and the built command by turns. */
export async function timeExecutable(folder: string, rounds: number): Promise<ExecutableTimes> {
  const file = join(folder, 'assay');
  await makeExecutable(file);
  const starts = commands.map((command) => ({
    command,
    executable: [] as number[],
    node: [] as number[],
  }));
  const nothing: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    nothing.push(await timed(process.execPath, ['--eval', '']));
    for (const { command, executable, node } of starts) {
      const args = command.split(' ');
      executable.push(await timed(file, args));
      node.push(await timed(process.execPath, ['dist/conformance/cli/main.js', ...args]));
    }
  }
  return { bytes: (await stat(file)).size, starts, nothing };
}

async function timed(program: string, args: readonly string[]): Promise<number> {
  const began = performance.now();
  await run(program, [...args], { maxBuffer: 64 * 1024 * 1024 });
  return performance.now() - began;
}
