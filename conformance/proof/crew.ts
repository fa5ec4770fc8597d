import type { ChildProcess } from 'node:child_process';
import type { Job, Judged } from './jobs.ts';
import { openMachineIdle } from './machine-idle.ts';

/** A message of a process. Without a judgement it is a sign of life. */
export interface FromWorker {
  /** CPU time of the process so far, in milliseconds. */
  cpu: number;
  /** The part of its time, from 0 to 1, in which the process was busy lately. */
  busy: number;
  judged?: Judged;
}

/** How many servers a process judges at the same time, at least and at most: one waits for a webhook or a change while another is judged. */
const [fewest, most] = [2, 16];

/**
 * A process takes one more server when it is busy for a smaller part of its time, and so much of the machine is idle. Where others keep the machine
 * busy, a process that waits for its turn seems to have time.
 */
const [busyEnough, idleEnough] = [0.85, 0.1];

/** What a crew needs. Times in milliseconds. */
export interface CrewOptions {
  /** Starts a process that judges the jobs it is sent and gives signs of life. */
  start: () => ChildProcess;
  processes: number;
  /** A process without a sign of life for so long is caught in an endless loop, and is ended. */
  longestSilence: number;
  /** A server that is not judged after so long is given up. */
  longestJudging: number;
  onJudged: (judged: Judged) => void;
}

/** What a process left undone that ended before it was told to. */
interface Lost {
  jobs: readonly Job[];
  reason: string;
}

/**
 * Has several processes judge servers. Of those that were under way in a process that was lost each is judged again alone, so that the one is
 * named that ended it. Every job is told to `onJudged` once. Resolves with the CPU time of all processes, in milliseconds. Rejects when a
 * process ends before it is ready.
 */
export async function judgeTogether(jobs: readonly Job[], options: CrewOptions): Promise<number> {
  const queue = [...jobs];
  const machineIdle = openMachineIdle();
  const hasTime = ({ busy }: FromWorker) => busy < busyEnough && machineIdle() > idleEnough;
  const again: Job[] = [];
  let cpu = 0;
  const judge = (waiting: Job[]) =>
    judgeInProcess(waiting, { ...options, hasTime }, (milliseconds) => {
      cpu += milliseconds;
    });

  const member = async () => {
    while (queue.length > 0) again.push(...(await judge(queue)).jobs);
  };
  await Promise.all(Array.from({ length: options.processes }, member));
  for (const job of again) {
    const { jobs: lost, reason } = await judge([job]);
    for (const each of lost) options.onJudged(unjudged(each, 0, reason));
  }
  return cpu;
}

const unjudged = ({ kind, id }: Job, milliseconds: number, error: string): Judged => ({
  ...{ kind, id, against: [], milliseconds, error },
});

/**
 * Has one process judge what is waiting, until nothing is left. `hasTime` tells from its last message whether it could judge one more at the
 * same time; `spend` hears of its CPU time, in milliseconds.
 */
function judgeInProcess(
  waiting: Job[],
  {
    start,
    longestSilence,
    longestJudging,
    onJudged,
    hasTime,
  }: CrewOptions & { hasTime: (message: FromWorker) => boolean },
  spend: (milliseconds: number) => void,
): Promise<Lost> {
  const child = start();
  const underWay = new Map<string, { job: Job; since: number }>();
  const keyOf = ({ kind, id }: Pick<Job, 'kind' | 'id'>) => `${kind} ${id}`;
  let cpu: number | undefined;
  const watch = setTimeout(() => child.kill('SIGKILL'), longestSilence);

  function take(): void {
    const job = waiting.shift();
    if (job) {
      underWay.set(keyOf(job), { job, since: performance.now() });
      // Where the process has just ended, its end tells what it left undone.
      child.send(job, () => undefined);
    } else if (underWay.size === 0 && child.connected) child.disconnect();
  }

  function giveUpLate(): void {
    for (const [key, { job, since }] of underWay) {
      const milliseconds = performance.now() - since;
      if (milliseconds < longestJudging) continue;
      underWay.delete(key);
      onJudged(unjudged(job, milliseconds, `it was not judged within ${longestJudging / 1000} s`));
    }
  }

  child.on('message', (message: FromWorker) => {
    watch.refresh();
    spend(message.cpu - (cpu ?? 0));
    cpu = message.cpu;
    if (message.judged && underWay.delete(keyOf(message.judged))) onJudged(message.judged);
    giveUpLate();
    if (underWay.size < fewest || (underWay.size < most && hasTime(message))) take();
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearTimeout(watch);
      const reason = `the process that judged it ended with ${code ?? signal}`;
      if (cpu === undefined) reject(new Error(`a process ended with ${code ?? signal} before it could judge`));
      else resolve({ jobs: [...underWay.values()].map(({ job }) => job), reason });
    });
  });
}
