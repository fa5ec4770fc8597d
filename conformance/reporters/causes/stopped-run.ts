import type { CheckReport, Report } from '../../run/report.ts';
import { stoppedBeforeEnd } from '../../run/runner.ts';
import { runStops } from '../../wire/limits.ts';
import { answersNothing } from '../../wire/silence.ts';
import { everyRequest, type Named } from './named.ts';

/** The key of the cause that the run was stopped, of which the target is not the reason. */
export const stopped = 'stopped';

/** The cause of a check without a verdict in a run that was stopped because the target answered nothing any more. */
export function silentCause({ verdict }: CheckReport, { stopped: stop }: Report): Named | undefined {
  if (verdict !== 'inconclusive' || !stop?.reason.startsWith(answersNothing)) return undefined;
  return { key: everyRequest, text: stop.reason, onTheWay: true };
}

/** The cause of a check that did not end because the run was stopped, or had reached a limit. */
export const stoppedCause = ({ reason }: CheckReport): Named | undefined =>
  reason?.startsWith(stoppedBeforeEnd) || reason?.startsWith(runStops) ? { key: stopped, text: reason } : undefined;
