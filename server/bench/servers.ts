import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { access, mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Credentials } from '../tests/support/signing.ts';
import { isPostgres, locationOf } from './database.ts';
import { load } from './load.ts';
import { orderIdOf, queryRequest } from './requests.ts';
import type { Usage } from './usage.ts';

const run = promisify(execFile);

/** The last version of the Prism mock server that runs on Node 20. */
const prismVersion = '5.14.2';

/** How long a server may take to give its first answer, and the interval between requests for it, in milliseconds. */
const patience = { limit: 30_000, interval: 5 };

/** A program that answers the contract's requests, and how to start it. */
export interface Subject {
  name: string;
  /** Whether it prints a line on stdout when it accepts requests. */
  announces?: boolean;
  /** Arguments of node, and additions to the environment, for a server on this port. */
  command(port: number): { args: string[]; env?: Record<string, string> };
}

/** A server in a process of its own. */
export interface Server {
  port: number;
  /** Milliseconds from the start of the process to its line on stdout, and to its first answer to a signed query. */
  started: { announced: number | undefined; answered: number };
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/**
 * The reference server as users start it, in production mode: without the control API and the validation of answers,
 * with its log and its metrics.
 */
export function assay(name: string, database: string): Subject {
  const data = isPostgres(database) ? ['--database', database] : ['--data', database];
  const serve = ['dist/conformance/cli/main.js', 'serve', '--mode', 'production', '--metrics-port', '0', ...data];
  return { name, announces: true, command: (port) => ({ args: [...serve, '--port', String(port)] }) };
}

/** The same work with nothing but Express, HMAC and the same statements; see bare.ts. */
export function bare(name: string, database: string): Subject {
  return {
    name,
    command: (port) => ({
      args: ['dist/server/bench/bare.js'],
      env: { BENCH_PORT: String(port), BENCH_DATABASE: locationOf(database) },
    }),
  };
}

/**
 * The Prism mock server, which answers with the contract's examples. It runs in two ways: as its users start it, with a
 * log of its requests like the reference server's, and without a log. It brings 90 MB of packages, so it is not a
 * dependency but installed once in the system's folder for temporary files.
 */
export async function prism(): Promise<{ logging: Subject; silent: Subject }> {
  const folder = join(tmpdir(), `assay-bench-prism-${prismVersion}`);
  const main = join(folder, 'node_modules/@stoplight/prism-cli/dist/index.js');
  await access(main).catch(async () => {
    await mkdir(folder, { recursive: true });
    const flags = ['--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', '--no-save'];
    await run('npm', ['install', ...flags, `@stoplight/prism-cli@${prismVersion}`]);
  });
  const mock = (name: string, flags: string[]): Subject => ({
    name,
    command: (port) => ({
      args: [main, 'mock', ...flags, 'generated/openapi.json', '--port', String(port)],
      // In production mode Prism would add a process that only receives the log.
      env: { NODE_ENV: '' },
    }),
  });
  return { logging: mock('Prism', []), silent: mock('Prism, silent', ['--verboseLevel', 'silent']) };
}

/**
 * Starts a server, with its output in a file in `folder`, and waits until it answers a query of the merchant's first
 * order.
 */
export async function start(
  { name, announces = false, command }: Subject,
  merchant: Credentials,
  folder: string,
): Promise<Server> {
  const port = await freePort();
  const { args, env = {} } = command(port);
  const log = join(folder, `${name}.log`);
  const output = openSync(log, 'w');
  const began = performance.now();
  const child = spawn(process.execPath, ['--import', './dist/server/bench/usage.js', ...args], {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', announces ? 'pipe' : output, output, 'ipc'],
  });
  closeSync(output);
  let announced: number | undefined;
  child.stdout?.once('data', () => {
    announced = performance.now() - began;
  });
  const ask = () => load(port, [queryRequest(merchant, orderIdOf(1))], 1);
  const answered = await firstAnswer(child, began, ask).catch(async (error: unknown) => {
    child.kill('SIGKILL');
    throw new Error(`${name} did not start: ${error}\n${await readFile(log, 'utf8')}`);
  });
  return {
    port,
    started: { announced, answered },
    usage: async () => {
      const told = once(child, 'message');
      child.send('usage');
      const [usage] = await told;
      return usage;
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function firstAnswer(child: ChildProcess, began: number, ask: () => Promise<unknown>): Promise<number> {
  for (;;) {
    try {
      await ask();
      return performance.now() - began;
    } catch (error) {
      if (child.exitCode !== null || child.signalCode !== null || performance.now() - began > patience.limit)
        throw error;
      await setTimeout(patience.interval);
    }
  }
}

function freePort(): Promise<number> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (typeof address === 'object' && address !== null) resolve(address.port);
        else reject(new Error('The system gave no free port.'));
      });
    });
  });
}
