import type { Area } from '../../generated/catalogue.ts';
import { allChecks } from '../checks/index.ts';
import { matchOperation } from '../contract/operations.ts';
import type { Exchange } from '../wire/exchange.ts';
import { speaksAgainst } from './judge-server.ts';
import { type CallsOf, namedCalls } from './stand/checks-of-server.ts';
import { controlPrefix } from './stand/proxy.ts';
import { openStand, patience, patientReceiver } from './stand.ts';

/**
 * Has every check judge the reference server, and tells the areas whose operations they call or whose webhooks they receive: those that a
 * check names, and those that it was seen to touch for what it arranges. Throws an error when a check speaks against the reference server: what it says of others proves nothing.
 */
export async function seeCalls(): Promise<CallsOf> {
  const stand = await openStand(patientReceiver);
  try {
    const { results } = await stand.judge({}, allChecks, { ...patience, concurrency: 16 });
    const [accusation] = results.flatMap(speaksAgainst);
    if (accusation) throw new Error(`the reference server is accused: ${accusation.check} is ${accusation.verdict}`);
    const seen = new Map(results.map(({ check, exchanges }) => [check.id, exchanges.flatMap(areaOf)]));
    return (check) => {
      const calls = new Set([...namedCalls(check), ...(seen.get(check.id) ?? [])]);
      // The checks share paid orders that one of them has made.
      return calls.has('refunds') ? [...calls.add('orders')] : [...calls];
    };
  } finally {
    await stand.close();
  }
}

/** The area of the operation that was called, as a list of one or none. What nobody asked of the target is a webhook. */
function areaOf({ request: { method, url } }: Exchange): Area[] {
  const { pathname } = new URL(url);
  const match = matchOperation(method, pathname);
  if (match) return [match.operation.area];
  return pathname.startsWith(controlPrefix) ? [] : ['webhooks'];
}
