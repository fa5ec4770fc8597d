import { currencies } from '../../../generated/catalogue.ts';
import type { components } from '../../../generated/sandbox-control.ts';
import { openLedger } from '../../domain/ledger.ts';
import { type ApiKey, isActive, type Merchant, type MerchantSettings } from '../../domain/merchant.ts';
import type { Clock, Ids, MerchantSummary, Records, Storage } from '../ports.ts';
import { SandboxRefusal, unknownMerchant } from './sandbox-refusal.ts';

export type MerchantInput = components['schemas']['MerchantSettings'];

/** A merchant's first credentials. */
export type Credentials = Pick<ApiKey, 'merchantId' | 'apiKey' | 'apiSecret'>;

/** A merchant to create, with credentials that are known beforehand. */
export interface SeedMerchant extends Credentials {
  settings: MerchantInput;
}

/** A new key, and the time at which the replaced keys end, in milliseconds since the epoch, real time. */
export interface Rotation {
  key: ApiKey;
  othersEndAt: number;
}

export type MerchantService = ReturnType<typeof merchantService>;

const defaultBalance = '1000000';
const defaultRange = { minAmount: 1, maxAmount: 1_000_000 };

/** Creates merchants and keys (open point `merchant-provisioning`). A refused request throws a `SandboxRefusal` and changes nothing. */
export function merchantService({ storage, clock, ids }: { storage: Storage; clock: Clock; ids: Ids }) {
  /** Creates a merchant with its first key. */
  async function createMerchant(input: MerchantInput): Promise<ApiKey> {
    const settings = settingsOf(input);
    const credentials = { merchantId: ids.merchantId(), apiKey: ids.apiKey(), apiSecret: ids.apiSecret() };
    return storage.transaction((records) => insert(records, credentials, settings));
  }

  /** Creates the merchants that do not exist yet. Existing ones stay unchanged. */
  async function seed(merchants: readonly SeedMerchant[]): Promise<void> {
    for (const { settings: input, ...credentials } of merchants) {
      const settings = settingsOf(input);
      await storage
        .transaction(async (records) => {
          if (await records.findMerchant(credentials.merchantId)) return;
          if (await records.findApiKey(credentials.apiKey)) {
            throw new SandboxRefusal('conflict', `the apiKey of merchant ${credentials.merchantId} belongs to another`);
          }
          await insert(records, credentials, settings);
        })
        .catch(async (error: unknown) => {
          // Another instance that starts on the same database may have been faster.
          if (!(await storage.reads.findMerchant(credentials.merchantId))) throw error;
        });
    }
  }

  async function insert(records: Records, credentials: Credentials, settings: MerchantSettings): Promise<ApiKey> {
    const createdAt = clock();
    const { merchantId } = credentials;
    const ledger = openLedger(settings.balances);
    const key: ApiKey = { ...credentials, createdAt, endsAt: null };
    await records.insertMerchant({ merchantId, settings, ledger, clockOffset: 0, createdAt } satisfies Merchant);
    await records.insertApiKey(key);
    return key;
  }

  /** All merchants, oldest first. */
  function listMerchants(): Promise<MerchantSummary[]> {
    return storage.reads.listMerchants(clock());
  }

  /** Creates a new key. Active keys work for `overlap` milliseconds more, unless they end sooner. */
  function rotateKey(merchantId: string, overlap: number): Promise<Rotation> {
    return storage.transaction(async (records) => {
      if (!(await records.lockMerchant(merchantId))) unknownMerchant(merchantId);
      const now = clock();
      const othersEndAt = now + overlap;
      for (const other of await records.listApiKeys(merchantId)) {
        if (isActive(other, othersEndAt)) await records.updateApiKey({ ...other, endsAt: othersEndAt });
      }
      const key = { merchantId, apiKey: ids.apiKey(), apiSecret: ids.apiSecret(), createdAt: now, endsAt: null };
      await records.insertApiKey(key);
      return { key, othersEndAt };
    });
  }

  /** Ends a key of a merchant at once. One that has ended already stays as it is. */
  function revokeKey(merchantId: string, apiKey: string): Promise<void> {
    return storage.transaction(async (records) => {
      if (!(await records.lockMerchant(merchantId))) unknownMerchant(merchantId);
      const key = await records.findApiKey(apiKey);
      if (key?.merchantId !== merchantId) {
        throw new SandboxRefusal(
          'not-found',
          `merchant ${merchantId} has no such key; give the apiKey, not the secret`,
        );
      }
      const now = clock();
      if (isActive(key, now)) await records.updateApiKey({ ...key, endsAt: now });
    });
  }

  return { createMerchant, seed, listMerchants, rotateKey, revokeKey };
}

function settingsOf(input: MerchantInput): MerchantSettings {
  const pairs = currencies.flatMap(({ code, networks: codes }) => codes.map((network) => [code, network] as const));
  const paymentMethods =
    input.paymentMethods ?? pairs.map(([cryptoCurrency, network]) => ({ cryptoCurrency, network, ...defaultRange }));
  for (const { cryptoCurrency, network, minAmount, maxAmount } of paymentMethods) {
    if (!pairs.some(([code, on]) => code === cryptoCurrency && on === network)) {
      throw new SandboxRefusal('unprocessable', `paymentMethods: ${cryptoCurrency} cannot be paid on ${network}`);
    }
    if (minAmount > maxAmount) {
      throw new SandboxRefusal(
        'unprocessable',
        `paymentMethods: minAmount ${minAmount} is above maxAmount ${maxAmount}`,
      );
    }
  }
  return {
    checkoutEnabled: input.checkoutEnabled ?? true,
    balances: input.balances ?? Object.fromEntries(currencies.map(({ code }) => [code, defaultBalance])),
    paymentMethods,
    ...(input.defaultNotifyUrl === undefined ? {} : { defaultNotifyUrl: input.defaultNotifyUrl }),
    ...(input.rateLimit === undefined ? {} : { rateLimit: input.rateLimit }),
    ...(input.orderRateLimit === undefined ? {} : { orderRateLimit: input.orderRateLimit }),
    usdRate: input.usdRate ?? '1',
    automatic: input.automatic ?? false,
  };
}
