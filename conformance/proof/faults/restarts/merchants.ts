import type { Merchant } from '../../../../server/domain/merchant.ts';
import { answeringJson, isOf, onlyFor, spoiled } from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import { isRestart, noticingRestarts, recovering } from '../../stand/restart-changes.ts';
import { keepingKeys } from '../../stand/revoked-keys.ts';
import { showingAfterStart } from './changes.ts';

const fault = faultsCaughtBy('');

/** A server that keeps in memory which keys were revoked. */
function revokingInMemory(): Make {
  let startedAt = 0;
  const { control, ...make } = keepingKeys((request, since) =>
    Date.now() - since < startedAt ? request : spoiled(request),
  );
  const noticing = noticingRestarts(() => {
    startedAt = Date.now();
  });
  return {
    ...make,
    restarts: true,
    control: (request, server) => (isRestart(request) ? noticing : (control ?? noticing))(request, server),
  };
}

/** A server that knows of a setting of its merchants only until its end: `usual` gives it the value that merchants have otherwise. */
const forgettingSettings = (usual: (merchant: Merchant, others: readonly Merchant[]) => Merchant): Make =>
  recovering<Merchant>(
    (records, memory) => ({
      insertMerchant: (merchant) => {
        memory.push(merchant);
        return records.insertMerchant(merchant);
      },
    }),
    async (records, memory) => {
      for (const { merchantId } of memory) {
        const merchant = await records.lockMerchant(merchantId);
        if (merchant) await records.updateMerchant(usual(merchant, memory));
      }
    },
  );

/** Wrong servers that have forgotten settings and revoked keys of merchants when they start again. */
export const merchantRestartFaults: readonly Fault[] = [
  fault(
    'default-address-in-memory',
    'Knows only until its end where the results of refunds without a notifyUrl are to be posted.',
    'general.restart.webhooks',
    'webhooks.restart.due',
    forgettingSettings(({ settings: { defaultNotifyUrl: _, ...settings }, ...merchant }) => ({
      ...merchant,
      settings,
    })),
  ),
  ...['orders.query', 'refunds.query', 'checkout.payment-methods', 'checkout.query'].map((operation) =>
    fault(
      `${operation.replace('.', '-')}-revocations-in-memory`,
      'Forgets at its end which keys were revoked.',
      'general.restart.keys',
      `auth.${operation}.revoked-key-restart`,
      revokingInMemory(),
    ),
  ),
  fault(
    'checkout-switched-on-at-start',
    'Knows only until its end which merchants are without API Checkout.',
    'general.restart.refusals',
    'checkout.restart.settings',
    forgettingSettings(({ settings, ...merchant }) => ({
      ...merchant,
      settings: { ...settings, checkoutEnabled: true },
    })),
  ),
  fault(
    'limits-forgotten-at-start',
    'Knows only until its end which merchants have a limit of requests.',
    'general.restart.refusals',
    'refunds.restart.rate-limit',
    forgettingSettings(({ settings: { rateLimit: _, ...settings }, ...merchant }) => ({ ...merchant, settings })),
  ),
  fault(
    'bounds-as-text-after-start',
    'Shows the least and the largest amount of a payment method as text once it has read its merchants again.',
    'general.restart.refusals',
    'checkout.restart.settings',
    showingAfterStart(
      onlyFor(
        isOf('checkout.payment-methods'),
        answeringJson((envelope) =>
          JSON.parse(JSON.stringify(envelope).replace(/"(minAmount|maxAmount)":([0-9.]+)/g, '"$1":"$2"')),
        ),
      ),
    ),
  ),
  fault(
    'payment-methods-as-usual-at-start',
    'Knows only until its end which payment methods a merchant has, and gives it those of others.',
    'general.restart.refusals',
    'checkout.restart.settings',
    forgettingSettings(({ settings, ...merchant }, others) => {
      const [most = []] = others
        .map((other) => other.settings.paymentMethods)
        .toSorted((left, right) => right.length - left.length);
      return { ...merchant, settings: { ...settings, paymentMethods: most } };
    }),
  ),
  fault(
    'bounds-of-methods-in-memory',
    'Knows only until its end how much may be paid by the payment methods of a merchant.',
    'general.restart.refusals',
    'checkout.restart.settings',
    forgettingSettings(({ settings, ...merchant }) => ({
      ...merchant,
      settings: {
        ...settings,
        paymentMethods: settings.paymentMethods.map((method) => ({ ...method, minAmount: 1, maxAmount: 1_000_000 })),
      },
    })),
  ),
  fault(
    'rates-in-memory',
    'Knows only until its end at which rate a merchant sells.',
    'general.restart.refusals',
    'orders.restart.states',
    forgettingSettings(({ settings, ...merchant }) => ({ ...merchant, settings: { ...settings, usdRate: '1' } })),
  ),
  ...['orders', 'checkout'].map((area) =>
    fault(
      `${area}-clocks-in-memory`,
      'Knows only until its end by how much the clock of a merchant was moved.',
      'general.restart.expiry',
      `${area}.restart.expires`,
      forgettingSettings((merchant) => ({ ...merchant, clockOffset: 0 })),
    ),
  ),
];
