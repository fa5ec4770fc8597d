import { counted } from '../../contract/counted.ts';
import { endedBeforeAnswer, endedEachTime, hasEnded } from '../../history/ended-target.ts';
import type { CheckReport, Report } from '../../run/report.ts';

/** The key of the cause that the target ended. */
const key = 'the target ended';

/** The cause of checks without a verdict at whose requests the target ended, or had ended: the request at which it ended each time, where one is known. */
export function endedIn({ checks }: Report): (check: CheckReport) => { key: string; text: string } | undefined {
  const isMeant = ({ verdict, reason }: CheckReport) =>
    verdict === 'inconclusive' &&
    [endedEachTime, endedBeforeAnswer, hasEnded].some((words) => reason?.includes(words) === true);
  const meant = checks.filter(isMeant);
  const reasons = meant.flatMap(({ reason }) => (reason?.startsWith(endedEachTime) ? reason : []));
  const [first] = reasons;
  const others = new Set(reasons.map(requestIn)).size - 1;
  const more = others > 0 ? `, and at ${counted(others, 'other kind of request', 'other kinds of requests')}` : '';
  const text = first === undefined ? `${key} while requests were under way` : `${first}${more}`;
  return (check) => (isMeant(check) ? { key, text } : undefined);
}

/** The request that a reason names. */
const requestIn = (reason: string) => reason.slice(endedEachTime.length).replace(/ \(.*/s, '');
