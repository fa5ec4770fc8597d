import type { Area } from '../../generated/catalogue.ts';
import type { Check } from '../check/check.ts';
import { feedingChecks } from '../checks/feeds.ts';
import type { Fault, Variant } from './stand/fault.ts';

/** The areas whose operations a check calls. */
const callsOf = ({ calls, area }: Check): readonly Area[] => calls ?? [area];

const calling = (checks: readonly Check[], areas: readonly Area[]): readonly Check[] =>
  checks.filter((check) => callsOf(check).some((area) => areas.includes(area)));

/** The checks that can see the fault of a server: each calls an area that the check which must catch the fault calls too. */
export function checksOfFault(checks: readonly Check[], { id, caughtBy }: Fault): readonly Check[] {
  const judge = checks.find((check) => check.id === caughtBy);
  if (!judge) throw new Error(`${id} is to be caught by ${caughtBy}, which is no check`);
  return calling(checks, callsOf(judge));
}

/** The check that must find a fault, after the checks whose exchanges it judges where it is an invariant's rule. */
export function provingChecks(checks: readonly Check[], { id, caughtBy, feeds }: Fault): readonly Check[] {
  const judge = checks.find((check) => check.id === caughtBy);
  if (!judge) throw new Error(`${id} is to be caught by ${caughtBy}, which is no check`);
  if (!judge.afterwards) return [judge];
  return [...(feeds ? checks.filter((check) => feeds.includes(check.id)) : feedingChecks(checks, judge)), judge];
}

/** Of `checks`, those that can see what is different about a conforming server. */
export function checksOfVariant(checks: readonly Check[], { area }: Variant): readonly Check[] {
  return area === undefined ? checks : calling(checks, [area]);
}
