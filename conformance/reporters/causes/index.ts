import type { CheckReport, Report } from '../../run/report.ts';
import { callsOf } from './calls.ts';
import { type Cause, isFinding } from './cause.ts';
import { endedIn } from './ended-target.ts';
import { causeOf, type Group, weightOf } from './group.ts';
import type { Named } from './named.ts';
import { noWebhook, waitingForWebhooks } from './no-webhook.ts';
import { onlyStatusOfRefusals, statusCause } from './one-status.ts';
import { stuckCause, stuckOperations } from './same-treatment.ts';
import { ownCause } from './single-check.ts';
import { silentCause, stoppedCause } from './stopped-run.ts';
import { unknownStatusCause } from './unknown-status.ts';

/**
 * The failed, warned and inconclusive checks of a report by their causes. The cause that keeps most checks from passing comes first, but for
 * one that makes the other findings doubtful.
 *
 * The cause of a check is the first of these that there is: that the run was stopped; that the target ended; an answer that all requests get, or all requests of one
 * operation; that no webhook has come at all; one HTTP status of all refusals; a status that the contract does not have; the step at which it
 * stopped, or the requirement that is broken.
 */
export function causesOf(report: Report): Cause[] {
  if (!report.checks.some(isFinding)) return [];
  const asked = report.checks.map((check) => ({ check, calls: callsOf(check, report) }));
  const stuck = stuckOperations(asked);
  const found = asked.filter(({ check }) => isFinding(check));
  const unheard = waitingForWebhooks(report, found);
  const onlyStatuses = onlyStatusOfRefusals(asked);
  const ended = endedIn(report);
  const named = new Map(
    found.map((each) => {
      const waits = unheard.has(each.check) ? noWebhook : undefined;
      const atOnce = silentCause(each.check, report) ?? stoppedCause(each.check) ?? ended(each.check);
      const common = stuckCause(each, stuck) ?? waits ?? statusCause(each, onlyStatuses);
      return [each.check, atOnce ?? common ?? unknownStatusCause(each) ?? ownCause(each)];
    }),
  );
  // A step that several checks share is exchanged in one of them, and stops all of them with the same reason.
  const shared = new Map(
    found.filter(({ calls }) => calls.length > 0).map(({ check }) => [check.reason, named.get(check)] as const),
  );
  const groups = new Map<string, Group>();
  for (const { check, calls } of found) {
    const cause = (calls.length === 0 && check.reason !== null && shared.get(check.reason)) || nameOf(check, named);
    const group = groups.get(cause.key) ?? { ...cause, checks: [] };
    groups.set(cause.key, group);
    group.checks.push(check);
  }
  return [...groups.values()].map(causeOf).sort((one, other) => weightOf(other) - weightOf(one));
}

function nameOf(check: CheckReport, named: ReadonlyMap<CheckReport, Named>): Named {
  return named.get(check) ?? { key: check.id, text: check.title };
}
