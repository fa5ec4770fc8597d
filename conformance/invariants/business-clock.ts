import type { ClockRecord, History } from '../history/records.ts';
import { createTargetClock } from '../history/target-clock.ts';

/** A stretch of business time, in milliseconds since the epoch: the moment lies somewhere between its ends. */
export interface Window {
  earliest: number;
  latest: number;
}

/** Tells which business time it was for a merchant. */
export interface BusinessClock {
  /** A merchant's business time at a moment of the run, in milliseconds on its monotonic clock. */
  at(merchantId: string, moment: number): Window;
  /** A merchant's business time between two moments of the run. */
  between(merchantId: string, from: number, to: number): Window;
  /** By how much the target's own clock has jumped in the run, in milliseconds: of two times that it shows, either may have come first. */
  readonly jumped: number;
}

/**
 * How far a clock may be from where the run believes it to be, in milliseconds: the target tells its time in whole seconds,
 * and its parts may have clocks of their own.
 */
export const clockTolerance = 5000;

/** Reads the business clocks of all merchants from a history. */
export function readBusinessClock({ run, records }: History): BusinessClock {
  const moves = new Map<string, ClockRecord[]>();
  for (const record of records) {
    if (record.kind !== 'clock') continue;
    const known = moves.get(record.merchantId) ?? [];
    known.push(record);
    moves.set(record.merchantId, known);
  }

  const target = createTargetClock(run);
  for (const record of records) if (record.kind === 'request') target.hear(record);
  const { least, most } = target.range;

  function at(merchantId: string, moment: number): Window {
    const real = run.startedAt + moment;
    // When exactly a clock has jumped cannot be told.
    let [earliest, latest] = [real + least - clockTolerance, real + most + clockTolerance];
    for (const { start, end, seconds, failed } of moves.get(merchantId) ?? []) {
      if (start > moment) continue;
      latest += seconds * 1000;
      // A move that is under way, or whose answer was lost, may have happened or not.
      if (end <= moment && failed === undefined) earliest += seconds * 1000;
    }
    return { earliest, latest };
  }

  return {
    jumped: most - least,
    at,
    between: (merchantId, from, to) => ({
      earliest: at(merchantId, from).earliest,
      latest: at(merchantId, to).latest,
    }),
  };
}
