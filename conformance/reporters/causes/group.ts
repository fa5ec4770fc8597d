import { successCode } from '../../contract/success-code.ts';
import type { CheckReport } from '../../run/report.ts';
import { printable } from '../../text/printable.ts';
import { shorten } from '../../text/shorten.ts';
import { decisive } from '../exchange-text.ts';
import { answerOf, authenticationFailures } from './calls.ts';
import type { Cause } from './cause.ts';
import { everyRequest, type Named } from './named.ts';
import { simplestOf } from './shown-by.ts';
import { stopped } from './stopped-run.ts';

/** The checks of one cause. */
export interface Group extends Named {
  checks: CheckReport[];
}

/** The longest text of a cause, in characters. */
const longestText = 160;

/** The cause of a group, with the check that shows it and the counts of its verdicts. */
export function causeOf({ key, text, area, onTheWay = false, checks }: Group): Cause {
  const count = (wanted: (check: CheckReport) => boolean) => checks.filter(wanted).length;
  return {
    text: shorten(printable(text), longestText),
    checks,
    shownBy: simplestOf(checks, area),
    everything: key === everyRequest,
    onTheWay: onTheWay || checks.every(isRefusedByMistake),
    confuses: checks.some(({ id, verdict, baseline }) => verdict === 'failed' && !baseline && sharesIds(id)),
    stopped: key === stopped,
    failed: count(({ verdict, baseline }) => verdict === 'failed' && !baseline),
    known: count(({ verdict, baseline }) => verdict === 'failed' && baseline !== undefined),
    warned: count(({ verdict }) => verdict === 'warned'),
    waiting: count(({ verdict }) => verdict === 'inconclusive'),
  };
}

/**
 * Whether a check has failed because a request that the contract accepts was refused for its authentication. Most checks of the authentication
 * itself say in which form a request is refused, and show that better than the doctor.
 */
function isRefusedByMistake(check: CheckReport): boolean {
  const exchange = decisive(check);
  return (
    exchange !== undefined &&
    (check.area !== 'auth' || check.id.endsWith('.signed')) &&
    authenticationFailures.includes(answerOf(exchange).answer) &&
    check.expected?.includes(`code = ${successCode}`) === true
  );
}

/**
 * A warning weighs less than anything that keeps a run from passing, and a known failure weighs nothing. That two things have one id weighs
 * most: what other checks find may be about the wrong one of them.
 */
export function weightOf({ confuses, failed, waiting, warned }: Cause): number {
  // Of two causes of as many checks, what is found comes before what is waited for.
  const isFound = failed > 0 ? 5000 : 0;
  return (confuses ? Number.MAX_SAFE_INTEGER / 2 : 0) + (failed + waiting) * 10_000 + isFound + warned;
}

/** Whether a check judges that no two things have one id of the platform. */
const sharesIds = (id: string) => id.endsWith('.identity.platform-id');
