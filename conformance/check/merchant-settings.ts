import { type Area, currencies } from '../../generated/catalogue.ts';
import type { MerchantSettings } from '../drivers/driver.ts';
import type { Need } from './needs.ts';

// A merchant of one setting may be served otherwise than one of another. A check that says nothing of a setting is made on merchants that differ in it.

/** Every pair of the platform but one, within the bounds that a merchant has without methods of its own. */
const methodsWithout = (code: string, left: string): NonNullable<MerchantSettings['paymentMethods']> =>
  currencies
    .flatMap(({ code: cryptoCurrency, networks }) => networks.map((network) => ({ cryptoCurrency, network })))
    .filter(({ cryptoCurrency, network }) => cryptoCurrency !== code || network !== left)
    .map((pair) => ({ ...pair, minAmount: 1, maxAmount: 1_000_000 }));

/** A limit of more requests than any run sends in a second. */
export const generousLimit = { rateLimit: { requests: 100_000, perSeconds: 1 } } as const satisfies MerchantSettings;

/** All payment methods but one. */
export const ownMethods = { paymentMethods: methodsWithout('USDC', 'base') } as const satisfies MerchantSettings;

/** More than one stablecoin for a dollar. */
export const ownRate = { usdRate: '1.25' } as const satisfies MerchantSettings;

/** What a merchant has who takes orders on the platform's own page only. */
export const withoutCheckout = { checkoutEnabled: false } as const satisfies MerchantSettings;

/** Settings that leave to a merchant what one without them may do. */
const various = [
  {},
  ownMethods,
  { paymentMethods: methodsWithout('USDC', 'optimism'), ...generousLimit, ...ownRate },
] as const satisfies readonly MerchantSettings[];

const furtherMethods = { paymentMethods: methodsWithout('USDC', 'bsc') } as const satisfies MerchantSettings;

/** The same where nothing need be paid. A merchant without settings is the most frequent one. */
const variousUnpaid = [...various, {}, furtherMethods] as const satisfies readonly MerchantSettings[];

/** The same where nothing is ever paid, so that nothing proceeds by itself. */
const variousAutomatic = [
  ...various,
  { automatic: true },
  { automatic: true, ...furtherMethods },
] as const satisfies readonly MerchantSettings[];

/** What lets a check pay something. */
const paying: ReadonlySet<Need> = new Set<Need>(['order-events', 'refund-events', 'paid-order']);

/** Settings of which a merchant may have one beside those that its check asks for. */
export type FurtherSettings = readonly [MerchantSettings, ...MerchantSettings[]];

/** What a check says of what it needs. */
interface CheckNeeds {
  readonly area: Area;
  readonly needs: readonly Need[];
  readonly calls?: readonly Area[];
  readonly mayCall?: readonly Area[];
}

/** Whether a check asks nothing of checkout, whose operations a merchant may lack. */
function isWithoutCheckout({ area, calls = [], mayCall = [] }: CheckNeeds): boolean {
  if ([area, ...calls, ...mayCall].includes('checkout')) return false;
  return area === 'orders' || area === 'refunds' || calls.length > 0;
}

/** What the merchants of a check may have beside the settings that it asks for. */
export function furtherSettingsFor(check: CheckNeeds): FurtherSettings {
  const settings = furtherSettingsOf(check);
  return isWithoutCheckout(check) ? [...settings, withoutCheckout] : settings;
}

function furtherSettingsOf({ area, needs }: CheckNeeds): FurtherSettings {
  if (needs.some((need) => paying.has(need))) return various;
  // Checks of the other areas pay where they can.
  return area === 'auth' ? variousAutomatic : variousUnpaid;
}
