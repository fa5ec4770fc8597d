import { describe, expect, test } from 'vitest';
import { newStorages } from './testing/new-storages.ts';
import { given, key, merchant } from './testing/records.ts';

const { everyDatabase } = newStorages();

describe.each(everyDatabase)('%s', (_, openNew) => {
  test('gives back a merchant as it was written, and as it was changed', async () => {
    const storage = await openNew();
    const full = merchant('m-1', {
      clockOffset: 2 ** 52,
      ledger: {
        USDT: { available: '123456789012345678.123456789012345678', reserved: '0.000000000000000001', deducted: '0' },
        USDC: { available: '0', reserved: '0', deducted: '10' },
      },
      settings: {
        checkoutEnabled: false,
        balances: { USDT: '123456789012345678.123456789012345678', USDC: '0.000000000000000001' },
        paymentMethods: [{ cryptoCurrency: 'USDT', network: 'tron', minAmount: 0.01, maxAmount: 1e6 }],
        defaultNotifyUrl: 'https://shop.example/höök?a=1&b=🎉',
        rateLimit: { requests: 10, perSeconds: 60 },
        usdRate: '0.999900000000000001',
        automatic: false,
      },
    });
    await given(storage, [full, merchant('m-2')]);
    expect(await storage.reads.findMerchant('m-1')).toEqual(full);

    const changed = merchant('m-1', { clockOffset: 5 });
    await storage.transaction((records) => records.updateMerchant(changed));
    expect(await storage.reads.findMerchant('m-1')).toEqual(changed);
    expect(await storage.reads.findMerchant('m-2')).toEqual(merchant('m-2'));
  });

  test('gives back the keys of a merchant, oldest first', async () => {
    const storage = await openNew();
    const late = key('a', 'm-1', { createdAt: 3 });
    const early = key('c', 'm-1', { createdAt: 1, endsAt: 1_800_000_000_000 });
    const middle = key('b', 'm-1', { createdAt: 2, apiSecret: 'ключ 🗝' });
    await given(storage, [merchant('m-1'), merchant('m-2')]);
    await storage.transaction(async (records) => {
      for (const each of [late, early, middle, key('d', 'm-2')]) await records.insertApiKey(each);
    });
    expect(await storage.reads.listApiKeys('m-1')).toEqual([early, middle, late]);
    expect(await storage.reads.findApiKey('b')).toEqual(middle);
  });

  test('gives a key an end, and changes no other', async () => {
    const storage = await openNew();
    await given(storage, [merchant('m-1')]);
    await storage.transaction(async (records) => {
      await records.insertApiKey(key('k-1', 'm-1'));
      await records.insertApiKey(key('k-2', 'm-1'));
      await records.updateApiKey(key('k-1', 'm-1', { endsAt: 5_000 }));
    });
    expect(await storage.reads.findApiKey('k-1')).toEqual(key('k-1', 'm-1', { endsAt: 5_000 }));
    expect(await storage.reads.findApiKey('k-2')).toEqual(key('k-2', 'm-1'));
    const unknown = storage.transaction((records) => records.updateApiKey(key('k-3', 'm-1')));
    await expect(unknown).rejects.toThrow('no such key of merchant m-1');
  });

  test('lists merchants, oldest first, with how many of their keys are active', async () => {
    const storage = await openNew();
    expect(await storage.reads.listMerchants(0)).toEqual([]);
    await given(storage, [merchant('m-2', { createdAt: 20 }), merchant('m-3', { createdAt: 30 }), merchant('m-1')]);
    await storage.transaction(async (records) => {
      await records.insertApiKey(key('k-1', 'm-2', { endsAt: 100 }));
      await records.insertApiKey(key('k-2', 'm-2', { endsAt: 101 }));
      await records.insertApiKey(key('k-3', 'm-2'));
      await records.insertApiKey(key('k-4', 'm-3', { endsAt: 100 }));
      await records.insertApiKey(key('k-5', 'm-1'));
    });
    expect(await storage.reads.listMerchants(100)).toEqual([
      { merchantId: 'm-2', createdAt: 20, activeKeys: 2 },
      { merchantId: 'm-3', createdAt: 30, activeKeys: 0 },
      { merchantId: 'm-1', createdAt: 1_700_000_000_000, activeKeys: 1 },
    ]);
  });
});
