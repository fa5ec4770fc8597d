/** For how long answers are awaited. An operation that never answers does not make every check wait for the whole time. */
export interface Patience {
  /** How long to wait for an answer of this operation, in milliseconds. */
  timeoutFor(operation: string): number;
  /** An answer came, after so many milliseconds. */
  answered(operation: string, milliseconds: number): void;
  /** No answer came within the time. */
  silent(operation: string): void;
}

/** After how many waits in vain, one after the other, an operation is waited for shortly. */
const waitsInVain = 3;

/** The part of the whole time that is waited for such an operation. */
const shortShare = 1 / 20;

/** By how much a short wait exceeds the slowest answer that the target has given. */
const margin = 3;

/** Makes the patience of a run; `timeout`: the whole time, in milliseconds. */
export function createPatience(timeout: number): Patience {
  const inVain = new Map<string, number>();
  let slowest = 0;
  return {
    timeoutFor: (operation) =>
      (inVain.get(operation) ?? 0) < waitsInVain
        ? timeout
        : Math.min(timeout, Math.max(timeout * shortShare, slowest * margin)),
    answered: (operation, milliseconds) => {
      inVain.delete(operation);
      slowest = Math.max(slowest, milliseconds);
    },
    silent: (operation) => {
      inVain.set(operation, (inVain.get(operation) ?? 0) + 1);
    },
  };
}
