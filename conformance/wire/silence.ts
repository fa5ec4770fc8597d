/** Watches whether the target answers at all. One that has stopped would keep every check of a run waiting. */
export interface SilenceWatch {
  /** An answer came. */
  answered(): void;
  /** No answer came within the time. */
  silent(): void;
}

/** How the reason begins for which a run is stopped whose target has stopped answering. */
export const answersNothing = 'the target has answered nothing';

/** How many requests at least are left without an answer, one after the other, before the target is taken to have stopped. */
const fewestSilent = 30;

/** For how many times the whole wait for an answer none has come by then: a machine may stand still for a moment. */
const fewestWaits = 4;

/**
 * Makes the watch of a run. `timeout`: how long an answer is waited for, in milliseconds. `stop` is called, with the reason, when the target has
 * stopped answering. `now` counts milliseconds from any moment.
 */
export function createSilenceWatch(
  timeout: number,
  stop: (reason: string) => void,
  now: () => number = () => performance.now(),
): SilenceWatch {
  let silent = 0;
  let lastAnswer = now();
  return {
    answered: () => {
      silent = 0;
      lastAnswer = now();
    },
    silent: () => {
      silent += 1;
      const length = now() - lastAnswer;
      if (silent < fewestSilent || length < timeout * fewestWaits) return;
      stop(
        `${answersNothing} for ${Math.round(length / 1000)} s, and left ${silent} requests waiting; see whether it still runs`,
      );
    },
  };
}
