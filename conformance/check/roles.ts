import type { Credentials, Driver, MerchantSettings } from '../drivers/driver.ts';

/** What a check needs a merchant for. Checks share one merchant for each role. */
export type Role = 'default' | 'other' | 'checkoutDisabled' | 'lowBalance';

/** Credentials of configured merchants. A role without an entry has no configured merchant. */
export type MerchantsByRole = Readonly<Partial<Record<Role, Credentials>>>;

/** The settings with which a driver makes the merchant of a role that is not configured. */
export const roleSettings: Readonly<Record<Role, MerchantSettings>> = {
  default: {},
  other: {},
  checkoutDisabled: { checkoutEnabled: false },
  lowBalance: { balances: { USDT: '0.01', USDC: '0.01', USD1: '0.01' } },
};

/** True when a merchant of this role is configured or the driver can make one. */
export function hasRole({ driver, merchants }: { driver: Driver; merchants: MerchantsByRole }, role: Role): boolean {
  return driver.provisionMerchant !== undefined || merchants[role] !== undefined;
}
