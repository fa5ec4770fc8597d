import { describe, expect, test } from 'vitest';
import type { Order } from '../domain/order.ts';
import { newStorages } from './testing/new-storages.ts';
import { newPostgresDatabase } from './testing/postgres.ts';
import { checkoutOrder, given, merchant, order } from './testing/records.ts';

const { everyDatabase, open } = newStorages();

describe.each(everyDatabase)('%s', (_, openNew) => {
  test('gives back an order as it was written, and as it was changed', async () => {
    const storage = await openNew();
    const text = 'NUL \0, lone surrogate \ud800, quotes "\'`, 🎉, עברית, \u2028';
    const written = order('m-1', 'o-1', {
      due: { value: '99999999999999999.999999999999999999', currency: 'USDT' },
      dueAt: 1_893_456_000_000,
    });
    written.request = { ...written.request, description: text, metadata: '{"a": 1e400}' };
    await given(storage, [merchant('m-1')], [written, order('m-1', 'o-2')]);
    const identity = { product: 'hosted', merchantId: 'm-1', merchantOrderId: written.merchantOrderId } as const;
    expect(await storage.reads.findOrder(identity)).toEqual(written);

    const changed: Order = {
      ...written,
      status: 'SUCCEEDED',
      dueAt: null,
      paidAt: 1_700_000_000_001,
      payment: {
        amount: { value: '0.000000000000000001', currency: 'USDT' },
        paymentMethod: 'USDT-TRON',
        network: 'tron',
        fromAddress: 'T1',
        toAddress: 'T2',
        transactionHash: 'ab',
        blockNumber: 1,
        confirmations: 20,
      },
    };
    await storage.transaction((records) => records.updateOrder(changed));
    expect(await storage.reads.findOrder(identity)).toEqual(changed);
    expect(await storage.reads.findOrderById('m-1', 'o-1')).toEqual(changed);
    expect(await storage.reads.findOrderById('m-1', 'o-2')).toEqual(order('m-1', 'o-2'));
    expect(await storage.reads.findOrderOfAnyMerchant('o-1')).toEqual(changed);
  });

  test('of 20 creates of one order at once, one wins', async () => {
    const storage = await openNew();
    await given(storage, [merchant('m-1'), merchant('m-2')]);
    const twins = Array.from({ length: 20 }, (_each, n) => order('m-1', `o-${n}`, { merchantOrderId: 'mo' }));
    const results = await Promise.all(
      twins.map(async (twin) => {
        const inserted = await storage.insertOrder(twin);
        const found = await storage.reads.findOrder({ product: 'hosted', merchantId: 'm-1', merchantOrderId: 'mo' });
        return { inserted, id: twin.orderId, found: found?.orderId };
      }),
    );
    const [winner, ...others] = results.filter(({ inserted }) => inserted);
    expect(others).toEqual([]);
    expect(results.map(({ found }) => found)).toEqual(results.map(() => winner?.id));

    // The same id with another merchant, or in the other product, is another order.
    expect(await storage.insertOrder(order('m-2', 'o-20', { merchantOrderId: 'mo' }))).toBe(true);
    const checkout = checkoutOrder('m-1', 'o-21', 'mo');
    expect(await storage.insertOrder(checkout)).toBe(true);
    const identity = { product: 'checkout', merchantId: 'm-1', merchantOrderId: 'mo' } as const;
    expect(await storage.reads.findOrder(identity)).toEqual(checkout);
  });
});

describe('PostgreSQL', () => {
  test('of two creates at once the second finds the first, also where the server is set to stricter isolation', async () => {
    const storage = await open(
      `${await newPostgresDatabase()}?options=-c%20default_transaction_isolation%3Dserializable`,
    );
    await given(storage, [merchant('m-1')]);
    const identity = { product: 'hosted', merchantId: 'm-1', merchantOrderId: 'mo' } as const;
    let runs = 0;
    await storage.transaction(async (records) => {
      runs += 1;
      expect(await records.findOrder(identity)).toBeUndefined();
      expect(await storage.insertOrder(order('m-1', 'o-1', identity))).toBe(true);
      expect(await records.insertOrder(order('m-1', 'o-2', identity))).toBe(false);
      expect((await records.findOrder(identity))?.orderId).toBe('o-1');
    });
    expect(runs).toBe(1);

    const twins = Array.from({ length: 20 }, (_each, n) => order('m-1', `t-${n}`, { merchantOrderId: 'twins' }));
    const inserted = await Promise.all(twins.map((twin) => storage.insertOrder(twin)));
    expect(inserted.filter((each) => each)).toHaveLength(1);
  });
});
