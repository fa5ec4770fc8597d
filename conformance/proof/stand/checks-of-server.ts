import type { Area, OpenPointId } from '../../../generated/catalogue.ts';
import { requirements } from '../../../generated/catalogue.ts';
import type { Check } from '../../check/check.ts';
import { feedingChecks, isFed } from '../../checks/feeds.ts';
import type { Fault, Variant } from './fault.ts';

/** Tells the areas whose operations a check calls, or whose webhooks it receives. */
export type CallsOf = (check: Check) => readonly Area[];

/** The areas that a check names itself. What it arranges may call others too. */
export const namedCalls: CallsOf = ({ calls = [], area }) => [area, ...calls];

/** The check that must find a fault. Throws when there is no such check. */
function judgeOf(checks: readonly Check[], { id, caughtBy }: Fault): Check {
  const judge = checks.find((check) => check.id === caughtBy);
  if (!judge) throw new Error(`${id} is to be caught by ${caughtBy}, which is no check`);
  return judge;
}

/** The check that must find a fault, after the checks whose exchanges it judges where it is an invariant's rule. */
export function provingChecks(checks: readonly Check[], fault: Fault): readonly Check[] {
  const { feeds } = fault;
  const judge = judgeOf(checks, fault);
  if (!isFed(judge)) return [judge];
  return [...(feeds ? checks.filter((check) => feeds.includes(check.id)) : feedingChecks(checks, judge)), judge];
}

/**
 * The checks that `npm run proof` runs against a wrong server: those that must find its fault, and all that judge the requirement that it breaks.
 * A check that lasts makes hundreds of records where few others run, and so it is run only where it must find the fault.
 */
export function checksOfFault(checks: readonly Check[], fault: Fault): readonly Check[] {
  const proving = provingChecks(checks, fault);
  return checks.filter(
    (check) => proving.includes(check) || (!check.lasts && check.requirements.includes(fault.breaks)),
  );
}

/** Of `checks`, those that can see what is different about a conforming server. */
export function checksOfVariant(
  checks: readonly Check[],
  { area, openPoint, make }: Variant,
  callsOf: CallsOf = namedCalls,
): readonly Check[] {
  if (make.restarts) return checks.filter(({ needs }) => needs.includes('restart'));
  if (openPoint !== undefined) return checks.filter((check) => looksAt(check, openPoint));
  return area === undefined ? checks : checks.filter((check) => callsOf(check).includes(area));
}

/** Whether a check looks at an open point, or judges a requirement that leaves part of it free. */
function looksAt({ openPoint, requirements: named }: Check, id: OpenPointId): boolean {
  return openPoint === id || requirements.some((each) => each.openPoint === id && named.includes(each.id));
}

/** One of so many parts of the checks. The parts take turns, so that servers that are judged one after the other get all of them. */
export const partOf = (checks: readonly Check[], turn: number, parts: number): readonly Check[] =>
  checks.filter((_, index) => index % parts === turn % parts);
