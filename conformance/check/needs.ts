import type { Area } from '../../generated/catalogue.ts';
import { isLoopback } from '../wire/connections.ts';
import { hostOf } from '../wire/limits.ts';
import type { Role, Session } from './session.ts';

/** Something that a check cannot do without. Every check needs a merchant, which is no need of its own. */
export type Need =
  | 'order-events' // a driver that makes things happen to orders
  | 'refund-events' // a driver that makes things happen to refunds
  | 'clock' // a driver that moves business time
  | 'paid-order' // a paid order: made through a driver, or configured
  | 'own-merchant' // a driver that makes merchants with settings of the check's own
  | 'other-merchant' // a second merchant
  | 'checkout-disabled' // a merchant without API Checkout
  | 'webhook-receiver' // a target that can reach the runner's receiver
  | 'low-balance'; // a merchant whose balance covers no refund

/** For each need, the reason why a check cannot be run on this target; `undefined` when it can. */
const missing: Readonly<Record<Need, (session: Session) => string | undefined>> = {
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
    reasonIfMissing(
      session.driver.orderEvent && hasRole(session, 'lowBalance'),
      'there is no merchant with a small balance whose orders can be paid (role lowBalance, and a driver)',
    ),
};

/** The reason, unless the value is there. */
const reasonIfMissing = (value: unknown, reason: string) => (value ? undefined : reason);
/** Truthy when there is a merchant for this role, or a driver that makes one. */
const hasRole = ({ driver, merchants }: Session, role: Role) => driver.provisionMerchant ?? merchants[role];

const isNeed = (name: Area | Need): name is Need => Object.hasOwn(missing, name);

/** Whether a target has an area, or a run what a check needs. */
export function isAvailable(name: Area | Need, session: Session): boolean {
  return (isNeed(name) ? missing[name](session) : missingArea([name], session)) === undefined;
}

/** The reason why a check that calls operations of one of these areas cannot be run on this target; `undefined` when it can. */
export function missingArea(areas: readonly Area[], session: Session): string | undefined {
  const isThere = (area: Area) => area === 'auth' || area === 'general' || session.areas?.includes(area) !== false;
  return reasonIfMissing(
    areas.some(isThere),
    `the configuration says that the target does not have ${areas.join(' or ')}`,
  );
}

/** The reason why a check with these needs cannot be run on this target, for its report; `undefined` when it can. */
export function missingNeed(needs: readonly Need[], session: Session): string | undefined {
  if (!hasRole(session, 'default')) return 'there is no merchant: configure one, or a driver that makes merchants';
  for (const need of needs) {
    const reason = missing[need](session);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
