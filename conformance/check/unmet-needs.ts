import type { Area } from '../../generated/catalogue.ts';
import { isLoopback } from '../wire/connections.ts';
import { hostOf } from '../wire/limits.ts';
import type { Need } from './needs.ts';
import { hasRole } from './roles.ts';
import type { Session } from './session.ts';

/** For each need, why this target does not meet it. `undefined`: the target meets it. */
const reasons: Readonly<Record<Need, (session: Session) => string | undefined>> = {
  'order-events': ({ driver }) => reasonIfMissing(driver.orderEvent, 'no driver makes things happen to orders'),
  'refund-events': ({ driver }) => reasonIfMissing(driver.refundEvent, 'no driver makes things happen to refunds'),
  clock: ({ driver }) =>
    reasonIfMissing(
      driver.advanceClock && driver.provisionMerchant,
      'no driver moves business time for merchants of its own',
    ),
  'paid-order': (session) =>
    reasonIfMissing(
      (session.driver.orderEvent && !missingArea(['orders'], session)) || session.paidOrders.length > 0,
      'there is no paid order: configure fixtures.paidOrders, or a driver that pays hosted orders',
    ),
  'own-merchant': ({ driver }) => reasonIfMissing(driver.provisionMerchant, 'no driver makes merchants'),
  'key-revocation': ({ driver }) =>
    reasonIfMissing(driver.revokeKey && driver.provisionMerchant, 'no driver revokes keys of merchants of its own'),
  'other-merchant': (session) => reasonIfMissing(hasRole(session, 'other'), 'there is no second merchant (role other)'),
  'checkout-disabled': (session) =>
    reasonIfMissing(
      hasRole(session, 'checkoutDisabled'),
      'there is no merchant without API Checkout (role checkoutDisabled)',
    ),
  'webhook-receiver': ({ webhooks, target }) =>
    reasonIfMissing(
      webhooks.url ?? isLoopback(hostOf(target)),
      'the target cannot reach a receiver of webhooks on this machine: give webhooks.url',
    ),
  'low-balance': (session) =>
    reasonIfMissing(hasRole(session, 'lowBalance'), 'there is no merchant with a small balance (role lowBalance)'),
  restart: ({ driver }) =>
    reasonIfMissing(driver.restart, 'no driver ends the target without warning and starts it again'),
};

const reasonIfMissing = (there: unknown, reason: string) => (there ? undefined : reason);

const isNeed = (what: Area | Need): what is Need => Object.hasOwn(reasons, what);

/** True when the target has this area, or the run meets this need. */
export function isAvailable(what: Area | Need, session: Session): boolean {
  return (isNeed(what) ? reasonFor(what, session) : missingArea([what], session)) === undefined;
}

/** Why nothing is asked of these areas, as words for a report. */
export const leftOut = (areas: readonly Area[]): string =>
  `the run asks nothing of ${areas.join(' or ')} (left out by --area, or by areas in the configuration)`;

/** Why the target has none of these areas, as words for a report. `undefined`: it has at least one of them. */
export function missingArea(areas: readonly Area[], session: Session): string | undefined {
  const isThere = (area: Area) => area === 'auth' || area === 'general' || session.areas?.includes(area) !== false;
  return reasonIfMissing(areas.some(isThere), leftOut(areas));
}

/** Why a need is not met, as words for a report. `undefined`: it is met. */
function reasonFor(need: Need, session: Session): string | undefined {
  if (session.without?.includes(need)) return `the configuration leaves it out (without: ${need})`;
  return reasons[need](session);
}

/** Why a check with these needs cannot run on this target, as words for a report. `undefined`: it can. */
export function missingNeed(needs: readonly Need[], session: Session): string | undefined {
  return unmetNeeds(needs, session)?.reason;
}

/** Needs that are not met. */
export interface UnmetNeeds {
  /** Those that the configuration does not leave out; where it leaves all of them out, those. Empty: there is no merchant at all. */
  needs: readonly Need[];
  /** Why the first of them is not met. */
  reason: string;
  /** The configuration leaves all of them out on purpose. */
  leftOut: boolean;
}

/** What keeps a check with these needs from running on this target. `undefined`: it can run. */
export function unmetNeeds(needs: readonly Need[], session: Session): UnmetNeeds | undefined {
  if (!hasRole(session, 'default')) {
    return {
      needs: [],
      reason: 'there is no merchant: configure one, or a driver that makes merchants',
      leftOut: false,
    };
  }
  const unmet = needs.filter((need) => reasonFor(need, session) !== undefined);
  const undeclared = unmet.filter((need) => !session.without?.includes(need));
  const leftOut = undeclared.length === 0;
  const decisive = leftOut ? unmet : undeclared;
  const [first] = decisive;
  return first && { needs: decisive, reason: reasonFor(first, session) ?? '', leftOut };
}
