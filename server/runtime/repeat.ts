import type { FailureLog } from './logger.ts';

/** Work that is done again and again. */
export interface Repetition {
  /** Starts no further run, and resolves when the present one has ended. */
  stop(): Promise<void>;
}

/** Does `work` at once and repeats it, each time `interval` milliseconds after the last run has ended. */
export function repeat(interval: number, work: () => Promise<unknown>, log: FailureLog): Repetition {
  let stopped = false;
  let running: Promise<unknown> = Promise.resolve();
  let timer = schedule(0);
  function schedule(pause: number): NodeJS.Timeout {
    return setTimeout(() => {
      running = work()
        .catch((error: unknown) => log('moving what is due failed; it is tried again', error))
        .finally(() => {
          if (!stopped) timer = schedule(interval);
        });
    }, pause).unref();
  }
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
