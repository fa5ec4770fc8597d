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

/** By how much a short wait exceeds the slowest answer that the operation has given, and the average of all answers of the target. */
const [marginOfSlowest, marginOfAverage] = [3, 10];

/** Makes the patience of a run; `timeout`: the whole time, in milliseconds. */
export function createPatience(timeout: number): Patience {
  const inVain = new Map<string, number>();
  const slowest = new Map<string, number>();
  const all = { count: 0, milliseconds: 0 };

  /** Long enough for an operation that still answers: one that is slow by nature is not cut off because others are quick. */
  function shortWait(operation: string): number {
    const slow = (slowest.get(operation) ?? 0) * marginOfSlowest;
    const usual = (all.milliseconds / Math.max(1, all.count)) * marginOfAverage;
    return Math.min(timeout, Math.max(timeout * shortShare, slow, usual));
  }

  return {
    timeoutFor: (operation) => ((inVain.get(operation) ?? 0) < waitsInVain ? timeout : shortWait(operation)),
    answered: (operation, milliseconds) => {
      inVain.delete(operation);
      slowest.set(operation, Math.max(slowest.get(operation) ?? 0, milliseconds));
      all.count += 1;
      all.milliseconds += milliseconds;
    },
    silent: (operation) => {
      inVain.set(operation, (inVain.get(operation) ?? 0) + 1);
    },
  };
}
