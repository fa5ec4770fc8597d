import type { CheckReport, Report } from '../../run/report.ts';
import type { Exchange } from '../../wire/exchange.ts';
import type { Asked } from './calls.ts';
import type { Named } from './named.ts';

/** The cause of checks that wait for webhooks in a run to which none has come. */
export const noWebhook: Named = {
  key: 'no webhook',
  text: 'no webhook has come to any address that was named for one',
  onTheWay: true,
};

/** From this number of checks on that wait in vain, the target counts as one that sends no webhooks. */
const fewestWaiting = 5;

/** In a run to which no webhook has come, the findings about webhooks before which everything that was asked for was done; none if they are few. */
export function waitingForWebhooks({ checks }: Report, found: readonly Asked[]): ReadonlySet<CheckReport> {
  if (checks.some(({ exchanges }) => exchanges.some(isWebhook))) return new Set();
  const waiting = found.filter(({ check, calls }) => {
    const [last, lastCall] = [check.exchanges.at(-1), calls.at(-1)];
    const wasDone = last?.response !== undefined && last.response.status < 300;
    const isToldOf = /webhook/i.test(check.reason ?? check.actual ?? check.message ?? '');
    return check.area === 'webhooks' && isToldOf && wasDone && (lastCall?.exchange !== last || lastCall.accepted);
  });
  return new Set(waiting.length < fewestWaiting ? [] : waiting.map(({ check }) => check));
}

/** True for a request that the run did not send: it names itself in each of its own. */
const isWebhook = ({ request }: Exchange) => !request.headers['User-Agent']?.startsWith('assay (run ');
