import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStorage } from '../../storage/open-storage.ts';
import { randomIds } from '../ids.ts';
import type { Storage } from '../ports.ts';
import { type MerchantService, merchantService } from './merchants.ts';

let now = 1_000_000;
let storage: Storage;
let merchants: MerchantService;

beforeEach(async () => {
  now = 1_000_000;
  storage = await openStorage(':memory:');
  merchants = merchantService({ storage, clock: () => now, ids: randomIds });
});
afterEach(() => storage.close());

const endsOf = async (merchantId: string) =>
  Object.fromEntries((await storage.reads.listApiKeys(merchantId)).map(({ apiKey, endsAt }) => [apiKey, endsAt]));

describe('a new key', () => {
  it('lets the others end, but none later than it would have', async () => {
    const first = await merchants.createMerchant({});
    const other = await merchants.createMerchant({});
    now += 10;
    const second = await merchants.rotateKey(first.merchantId, 500);
    now += 10;
    const third = await merchants.rotateKey(first.merchantId, 2_000);
    expect(second.othersEndAt).toBe(1_000_510);
    expect(await endsOf(first.merchantId)).toEqual({
      [first.apiKey]: 1_000_510,
      [second.key.apiKey]: 1_002_020,
      [third.key.apiKey]: null,
    });
    expect(await endsOf(other.merchantId)).toEqual({ [other.apiKey]: null });
    expect(new Set([first, second.key, third.key].map(({ apiSecret }) => apiSecret)).size).toBe(3);
  });

  it('without overlap ends the others at once', async () => {
    const { merchantId } = await merchants.createMerchant({});
    await merchants.rotateKey(merchantId, 0);
    expect(await merchants.listMerchants()).toMatchObject([{ merchantId, activeKeys: 1 }]);
  });

  it('is refused for a merchant that is not there', async () => {
    await expect(merchants.rotateKey('M-none', 0)).rejects.toMatchObject({ reason: 'not-found' });
  });
});

describe('a seed', () => {
  const seed = { merchantId: 'M-1', apiKey: 'ak_1', apiSecret: 's', settings: { automatic: true } };

  it('makes merchants that are not there, and leaves those that are as they are', async () => {
    await merchants.seed([seed]);
    await merchants.seed([
      { ...seed, apiKey: 'ak_2', settings: { automatic: false } },
      { ...seed, merchantId: 'M-2', apiKey: 'ak_3' },
    ]);
    expect((await storage.reads.findMerchant('M-1'))?.settings.automatic).toBe(true);
    expect(await storage.reads.findApiKey('ak_2')).toBeUndefined();
    expect(await storage.reads.findApiKey('ak_3')).toMatchObject({ merchantId: 'M-2', apiSecret: 's' });
  });

  it('may be sown by several at once', async () => {
    await Promise.all(Array.from({ length: 5 }, () => merchants.seed([seed])));
    expect(await merchants.listMerchants()).toMatchObject([{ merchantId: 'M-1', activeKeys: 1 }]);
  });

  it('is refused for a key that another merchant has, and for settings that contradict themselves', async () => {
    await merchants.seed([seed]);
    await expect(merchants.seed([{ ...seed, merchantId: 'M-2' }])).rejects.toThrow('M-2');
    const paymentMethods = [{ cryptoCurrency: 'USDT', network: 'tron', minAmount: 2, maxAmount: 1 } as const];
    const contradictory = { ...seed, merchantId: 'M-3', apiKey: 'ak_3', settings: { paymentMethods } };
    await expect(merchants.seed([contradictory])).rejects.toThrow('minAmount');
    expect(await merchants.listMerchants()).toHaveLength(1);
  });
});
