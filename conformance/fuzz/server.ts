import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { builtCommand } from '../cli/testing/assay.ts';

/** The heap of the server, in MiB. */
const heap = 256;

export const controlToken = 'a control token for the fuzzing';

/** At this signal the server collects its garbage and says how much memory it takes. */
const probe = `
import { writeSync } from 'node:fs';
process.on('SIGUSR2', () => { gc(); gc(); writeSync(3, JSON.stringify(process.memoryUsage()) + '\\n'); });
`;

/** Memory of the server, in MiB. */
export interface MemoryUse {
  resident: number;
  /** Objects and buffers that are in use after the garbage was collected. */
  used: number;
}

export type FuzzedServer = Awaited<ReturnType<typeof startServer>>;

/** Starts a sandbox in a process of little memory, on the database that `flags` name. */
export async function startServer(flags: readonly string[]) {
  const node = [
    `--max-old-space-size=${heap}`,
    '--expose-gc',
    '--import',
    `data:text/javascript,${encodeURIComponent(probe)}`,
  ];
  const serve = [builtCommand, 'serve', '--port', '0', '--control-token', controlToken, ...flags];
  const child = spawn(process.execPath, [...node, ...serve], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ASSAY_'))),
  });
  const pipes = pipesOf(child.stdio);
  const errors: string[] = [];
  createInterface({ input: pipes.stderr }).on('line', (line) => {
    // Requests are logged as information. Everything else is an error, or a text that nobody meant to write.
    if (!line.startsWith('{"level":"info"') && errors.length < 100) errors.push(line.slice(0, 2_000));
  });
  const closed = once(child, 'close');
  const ended = closed.then(() => {
    throw new Error(`the server ended:\n${errors.join('\n')}`);
  });
  ended.catch(() => {});
  const [line] = await Promise.race([once(createInterface({ input: pipes.stdout }), 'line'), ended]);
  const { url }: { url: string } = JSON.parse(String(line));
  const memory = createInterface({ input: pipes.memory });

  return {
    /** Host and port. */
    host: new URL(url).host,
    /** Lines of its log that tell of an error. */
    errors,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    /** The memory after a collection of garbage. */
    async memory(): Promise<MemoryUse> {
      const answer = once(memory, 'line');
      child.kill('SIGUSR2');
      const [text] = await Promise.race([answer, ended]);
      const { rss, heapUsed, external }: NodeJS.MemoryUsage = JSON.parse(String(text));
      return { resident: mebibytes(rss), used: mebibytes(heapUsed + external) };
    },
    /** The most resident memory so far, in MiB; 0 where the system does not tell. */
    peak: () => {
      try {
        const [, kibibytes = '0'] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
        return Math.round(Number(kibibytes) / 1024);
      } catch {
        return 0;
      }
    },
    /** Ends the server in order; kills it when it does not end within 30 seconds. */
    async stop(): Promise<void> {
      const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
      child.kill('SIGTERM');
      await closed;
      clearTimeout(timer);
    },
  };
}

/** The ends of the pipes from the server. Throws when one is missing, which `stdio` above rules out. */
function pipesOf(stdio: ChildProcess['stdio']) {
  const [stdout, stderr, memory] = stdio.slice(1).map((each) => {
    if (!(each instanceof Readable)) throw new Error('a pipe from the server is missing');
    return each;
  });
  if (!stdout || !stderr || !memory) throw new Error('a pipe from the server is missing');
  return { stdout, stderr, memory };
}

const mebibytes = (bytes: number) => Math.round(bytes / 1024 / 1024);
