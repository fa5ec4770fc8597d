import type { CheckReport } from '../../run/report.ts';

/** Findings and checks without a verdict that have something in common. */
export interface Cause {
  /** What they have in common, on one line of printable text. */
  text: string;
  /** All of them, in the order of the report. */
  checks: readonly CheckReport[];
  /** The check that shows the cause with the fewest requests. */
  shownBy: CheckReport;
  /** All requests of the run are treated alike, so that nothing else of the target was seen. */
  everything: boolean;
  /** It concerns the way to the target or back from it, which an examination of the target shows better than a check. */
  onTheWay: boolean;
  /** Two things have one id, so that what other checks find may be about the wrong one of them. */
  confuses: boolean;
  /** The run was stopped, so that the target may have nothing to mend. */
  stopped: boolean;
  /** How many failures the baseline does not cover. */
  failed: number;
  /** How many failures the baseline covers. */
  known: number;
  warned: number;
  /** How many checks have no verdict. */
  waiting: number;
}

/** The cause to remove first: the first one in the target that keeps a check from passing. `undefined`: nothing does. */
export function fixFirst(causes: readonly Cause[]): Cause | undefined {
  return causes.find(({ failed, waiting, stopped }) => !stopped && failed + waiting > 0);
}

/** The checks of a cause by their verdicts, such as `2 failed, 230 without a verdict`. */
export function countsOf({ failed, known, warned, waiting }: Cause): string {
  const counts = [
    [failed, 'failed'],
    [known, 'failed as known'],
    [waiting, 'without a verdict'],
    [warned, 'warned'],
  ] as const;
  return counts.flatMap(([count, words]) => (count > 0 ? `${count} ${words}` : [])).join(', ');
}

/** Whether a check has failed, warned or got no verdict. */
export const isFinding = ({ verdict }: CheckReport) => ['failed', 'warned', 'inconclusive'].includes(verdict);
