import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Covered, Judged } from './judge.ts';
import type { FromWorker, Job, NumberedJob } from './messages.ts';

/** A process without a sign of life for so long is caught in an endless loop; milliseconds. */
const longestSilence = 120_000;

/** A job that takes so long, in milliseconds, has no end: its runs do not take half as long. */
const longestJob = 900_000;

/** Memory of a process in MiB: a mutant that collects without an end ends its process soon, and not the machine. */
const largestHeap = 3072;

/** The process ended or hung before it had a result. */
export class ProcessLost extends Error {}

/** Processes that do jobs, each of them several at the same time. Every promise may reject with `ProcessLost`. */
export interface Crew {
  /** The mutants that were reached while the modules were loaded. */
  loaded(): Promise<readonly string[]>;
  cover(check: string, patience?: 'patient'): Promise<Covered>;
  judge(mutant: string, rounds: readonly (readonly string[])[]): Promise<Judged>;
  /** CPU time of all processes so far, in milliseconds. */
  cpu(): number;
  close(): void;
}

/** Starts `size` processes, and a new one for each that is lost. `mutant`: active even while they load their modules. */
export function openCrew(size: number, mutant?: string): Crew {
  let spent = 0;
  const hire = () =>
    startMember(mutant, (milliseconds) => {
      spent += milliseconds;
    });
  const members = Array.from({ length: size }, hire);

  function idlest(): Member {
    for (const [index, member] of members.entries()) if (member.isLost()) members[index] = hire();
    const [first] = members.toSorted((left, right) => left.jobs() - right.jobs());
    if (!first) throw new Error('a crew has at least one process');
    return first;
  }

  return {
    loaded: () => idlest().loaded,
    cover: async (check, patience) => {
      const done = await idlest().ask({ cover: check, patience });
      if (!('covered' in done)) throw new Error('a process has done another job');
      return done.covered;
    },
    judge: async (id, rounds) => {
      const done = await idlest().ask({ judge: id, rounds });
      if (!('judged' in done)) throw new Error('a process has done another job');
      return done.judged;
    },
    cpu: () => spent,
    close: () => {
      for (const member of members) member.dismiss();
    },
  };
}

type Done = NonNullable<FromWorker['done']>;

interface Member {
  readonly loaded: Promise<readonly string[]>;
  ask(job: Job): Promise<Done>;
  /** How many jobs are under way. */
  jobs(): number;
  isLost(): boolean;
  dismiss(): void;
}

/** Starts one process. `spend` hears of its CPU time, in milliseconds. */
function startMember(mutant: string | undefined, spend: (milliseconds: number) => void): Member {
  const child = fork(fileURLToPath(new URL('./worker.ts', import.meta.url)), mutant === undefined ? [] : [mutant], {
    execArgv: [...process.execArgv, `--max-old-space-size=${largestHeap}`],
  });
  const waiting = new Map<number, { resolve: (done: Done) => void; reject: (error: Error) => void }>();
  let numbers = 0;
  let cpu = 0;
  let lost = false;
  const watch = setTimeout(() => child.kill('SIGKILL'), longestSilence);
  let hasLoaded: (mutants: readonly string[]) => void;
  let failedToLoad: (error: Error) => void;
  const loaded = new Promise<readonly string[]>((resolve, reject) => {
    hasLoaded = resolve;
    failedToLoad = reject;
  });
  // Not every crew is asked what it has loaded.
  loaded.catch(() => undefined);

  child.on('message', (message: FromWorker) => {
    watch.refresh();
    spend(message.cpu - cpu);
    cpu = message.cpu;
    if (message.loaded) hasLoaded(message.loaded);
    if (message.done) {
      waiting.get(message.done.number)?.resolve(message.done);
      waiting.delete(message.done.number);
    }
  });
  child.on('exit', (code, signal) => {
    lost = true;
    clearTimeout(watch);
    const error = new ProcessLost(`a process ended with ${code ?? signal}`);
    failedToLoad(error);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  });

  return {
    loaded,
    ask: (job) => {
      const limit = setTimeout(() => child.kill('SIGKILL'), longestJob);
      const done = new Promise<Done>((resolve, reject) => {
        numbers += 1;
        waiting.set(numbers, { resolve, reject });
        child.send({ number: numbers, job } satisfies NumberedJob);
      });
      return done.finally(() => clearTimeout(limit));
    },
    jobs: () => waiting.size,
    isLost: () => lost,
    // A process that has just been lost has no channel any more.
    dismiss: () => {
      if (child.connected) child.disconnect();
    },
  };
}
