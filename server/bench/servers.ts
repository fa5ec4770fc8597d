import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Credentials } from '../testing/signing.ts';
import { isPostgres, locationOf } from './database.ts';
import { load } from './load.ts';
import { orderIdOf, queryRequest } from './requests.ts';

const run = promisify(execFile);

/** The last version of the Prism mock server that runs on Node 20. */
const prismVersion = '5.14.2';

/** How long a server may take to its first answer, and how often it is asked for it, in milliseconds. */
const patience = { limit: 30_000, interval: 5 };

/** A program that answers the contract's requests, and how to start it. */
export interface Subject {
  name: string;
  /** Arguments of node, and additions to the environment, for a server on this port. */
  command(port: number): { args: string[]; env?: Record<string, string> };
}

/** A server in a process of its own. */
export interface Server {
  port: number;
  /** Milliseconds from the start of the process to its first answer to a signed query. */
  startMilliseconds: number;
  /** Resident memory now, in megabytes. */
  memory(): Promise<number>;
  stop(): Promise<void>;
}

/** The reference server as users start it, in production mode: without the control API and validation of answers. */
export function assay(name: string, database: string): Subject {
  const data = isPostgres(database) ? ['--database', database] : ['--data', database];
  const serve = ['dist/conformance/cli/main.js', 'serve', '--mode', 'production', ...data];
  return { name, command: (port) => ({ args: [...serve, '--port', String(port)] }) };
}

/** The same work with nothing but Express, HMAC and one statement; see bare.ts. */
export function bare(name: string, database: string, merchant: Credentials): Subject {
  return {
    name,
    command: (port) => ({
      args: ['dist/server/bench/bare.js'],
      env: { BENCH_PORT: String(port), BENCH_DATABASE: locationOf(database), BENCH_MERCHANT: JSON.stringify(merchant) },
    }),
  };
}

/**
 * The Prism mock server, which answers with the contract's examples. It brings 90 MB of packages, so it is no dependency but
 * installed once in the system's folder for temporary files.
 */
export async function prism(): Promise<Subject> {
  const folder = join(tmpdir(), `assay-bench-prism-${prismVersion}`);
  const main = join(folder, 'node_modules/@stoplight/prism-cli/dist/index.js');
  await access(main).catch(async () => {
    await mkdir(folder, { recursive: true });
    const flags = ['--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', '--no-save'];
    await run('npm', ['install', ...flags, `@stoplight/prism-cli@${prismVersion}`]);
  });
  const mock = [main, 'mock', '--verboseLevel', 'silent', 'generated/openapi.json'];
  return { name: 'Prism', command: (port) => ({ args: [...mock, '--port', String(port)] }) };
}

/** Starts a server and waits until it answers a query of the merchant's first order. */
export async function start({ name, command }: Subject, merchant: Credentials): Promise<Server> {
  const port = await freePort();
  const { args, env = {} } = command(port);
  const output: string[] = [];
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.on('data', (chunk) => output.push(String(chunk)));
  const ask = () => load(port, [queryRequest(merchant, orderIdOf(1))], 1);
  const startMilliseconds = await firstAnswer(child, began, ask).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw new Error(`${name} did not start: ${error}\n${output.join('')}`);
  });
  return {
    port,
    startMilliseconds,
    memory: async () => {
      const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(child.pid)]);
      return Number(stdout) / 1024;
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
