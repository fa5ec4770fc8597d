import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { expect, test } from 'vitest';
import { startPostgres } from './postgres.ts';

/** The data directory of a server. */
async function directoryOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('show data_directory').finally(() => client.end());
  return String(rows[0].data_directory);
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}

const processIdIn = (directory: string) =>
  Number(readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[0]);

/** Runs a script in which `startPostgres` can be called. */
function runScript(script: string) {
  const module = JSON.stringify(new URL('./postgres.ts', import.meta.url).href);
  const whole = `const { startPostgres } = await import(${module});\n${script}`;
  const flags = ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', whole];
  return spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
}

test('ends with the process that started it, though that is killed', async () => {
  const parent = runScript(`
    console.log((await startPostgres()).url);
    setInterval(() => {}, 1000);`);
  const [url] = await once(createInterface({ input: parent.stdout }), 'line');
  const directory = await directoryOf(String(url));
  const server = processIdIn(directory);
  expect(isAlive(server)).toBe(true);

  parent.kill('SIGKILL');
  await expect.poll(() => isAlive(server) || existsSync(directory), { interval: 50, timeout: 20_000 }).toBe(false);
});

test('is ended by whoever started it, with its data', async () => {
  const postgres = await startPostgres();
  const directory = await directoryOf(postgres.url);
  const server = processIdIn(directory);
  await postgres.stop();
  expect([isAlive(server), existsSync(directory)]).toEqual([false, false]);
});

test('leaves the exit code to whoever started it', async () => {
  const parent = runScript(`
    const postgres = await startPostgres();
    process.exitCode = 7;
    await postgres.stop();
    console.log('stopped');`);
  const output: string[] = [];
  parent.stdout.on('data', (chunk) => output.push(String(chunk)));
  const [code] = await once(parent, 'close');
  expect([code, output.join('')]).toEqual([7, 'stopped\n']);
});
