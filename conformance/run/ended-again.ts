import { matchOperation } from '../contract/operations.ts';
import { endedBeforeAnswer, endedEachTime } from '../history/ended-target.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { CheckResult } from './verdict.ts';

/** How often the target has ended at a request of a check: the first time beside other requests, the second time with nothing beside it. */
const times = 'twice, the second time with nothing beside it';

/**
 * The result of a check that was run once more by itself because the target had ended meanwhile. Its reason says so when the target ended again at a
 * request of the same operation; otherwise it is as the check has found it.
 */
export function endedAgain(first: CheckResult, again: CheckResult): CheckResult {
  if (again.verdict !== 'inconclusive') return again;
  const before = endsIn(first).map(requestIn);
  const same = endsIn(again).find((exchange) => before.includes(requestIn(exchange)));
  if (!same) return again;
  // What became of the target follows, and then the error of the connection.
  const [how = ''] = (same.error ?? '').slice(endedBeforeAnswer.length).split(': ');
  return { ...again, reason: `${endedEachTime} ${requestIn(same)} (${times})${how}` };
}

const endsIn = ({ exchanges }: CheckResult) => exchanges.filter(({ error }) => error?.startsWith(endedBeforeAnswer));

/** The kind of a request: its method, and its path without what differs from one to the next. */
function requestIn({ request: { method, url } }: Exchange): string {
  const path = /\/api\/v1\/.*?(?=\?|$)/s.exec(url)?.[0] ?? new URL(url).pathname;
  const operation = matchOperation(method, path)?.operation;
  return `${method} ${operation ? operation.path.replace(/^.*\{merchantId\}/, '…') : path}`;
}
