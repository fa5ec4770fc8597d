import { show } from '../contract/show.ts';
import { Inconclusive } from '../errors/outcomes.ts';
import type { Driver } from './driver.ts';

/**
 * A driver that makes no merchant twice. Two checks that shared one would see what the other did, and the target would be accused of it.
 * `provisionMerchant` throws `Inconclusive` when it gives a merchant that it has given before.
 */
export function withNewMerchants(driver: Driver): Driver {
  const { provisionMerchant } = driver;
  if (!provisionMerchant) return driver;
  const made = new Set<string>();
  return {
    ...driver,
    provisionMerchant: async (settings, transport) => {
      const credentials = await provisionMerchant(settings, transport);
      const { merchantId } = credentials;
      if (made.has(merchantId)) {
        throw new Inconclusive(
          `the driver gave merchantId ${show(merchantId)} a second time; each provisionMerchant must make a merchant that nobody else uses`,
        );
      }
      made.add(merchantId);
      return credentials;
    },
  };
}
