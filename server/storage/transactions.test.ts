import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Records } from '../services/ports.ts';
import { newStorages } from './testing/new-storages.ts';
import { newPostgresDatabase } from './testing/postgres.ts';
import {
  claimedIds,
  delivery,
  deliveryIds,
  given,
  key,
  listedDeliveries,
  merchant,
  order,
  refund,
} from './testing/records.ts';

const { everyDatabase, open } = newStorages();

describe.each(everyDatabase)('%s', (_, openNew) => {
  test('keeps nothing of a transaction that fails, and shows nothing of one that is open', async () => {
    const storage = await openNew();
    const before = { refunds: [refund('m-1', 'r-1')], deliveries: [delivery('m-1', 'd-1')] };
    await given(storage, [merchant('m-1')], [order('m-1', 'o-1')], before);
    const seen: Promise<unknown>[] = [];
    const failing = storage.transaction(async (records) => {
      await records.insertMerchant(merchant('m-2'));
      await records.insertApiKey(key('k', 'm-2'));
      await records.insertOrder(order('m-2', 'o-2'));
      await records.updateOrder(order('m-1', 'o-1', { status: 'CLOSED' }));
      await records.insertRefund(refund('m-2', 'r-2'));
      await records.updateRefund(refund('m-1', 'r-1', { status: 'CLOSED' }));
      await records.insertDelivery(delivery('m-2', 'd-2'));
      expect(deliveryIds(await records.claimDueDeliveries(0, 10, 1000))).toEqual(['d-1', 'd-2']);
      expect(await records.findOrderById('m-2', 'o-2')).toBeDefined();
      seen.push(storage.reads.findMerchant('m-2'), storage.reads.findOrderById('m-2', 'o-2'));
      await turn();
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await Promise.all(seen)).toEqual([undefined, undefined]);
    expect(await storage.reads.findApiKey('k')).toBeUndefined();
    expect(await storage.reads.findOrderById('m-1', 'o-1')).toEqual(order('m-1', 'o-1'));
    expect(await storage.reads.findRefundById('m-2', 'r-2')).toBeUndefined();
    expect(await storage.reads.listRefundsOfOrder('m-1', 'o-1')).toEqual(before.refunds);
    expect(await listedDeliveries(storage.reads, 'm-2')).toEqual([]);
    expect(await listedDeliveries(storage.reads, 'm-1')).toEqual(before.deliveries);
    // The delivery claimed in the failed transaction is free again.
    expect(await claimedIds(storage, 0, 10, 1000)).toEqual(['d-1']);
  });

  test('a failed write fails the transaction, also when its error is caught', async () => {
    const storage = await openNew();
    await given(storage, [merchant('m-1')]);
    const work = storage.transaction(async (records) => {
      await records.insertMerchant(merchant('m-2'));
      await records.insertMerchant(merchant('m-1')).catch(() => {});
    });
    await expect(work).rejects.toThrow();
    expect(await storage.reads.findMerchant('m-2')).toBeUndefined();
  });

  test('a transaction that has ended takes no more statements', async () => {
    const storage = await openNew();
    await given(storage, [merchant('m-1')]);
    const kept: Records[] = [];
    await storage.transaction(async (records) => void kept.push(records));
    const failing = storage.transaction(async (records) => {
      kept.push(records);
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    for (const records of kept) {
      await expect(records.insertMerchant(merchant('m-2'))).rejects.toThrow('ended');
      await expect(records.findMerchant('m-1')).rejects.toThrow('ended');
    }
    expect(await storage.reads.findMerchant('m-2')).toBeUndefined();
  });

  test('changes made at once to one record all count', async () => {
    const storage = await openNew();
    const first = { refunds: [refund('m-1', 'r-1')], deliveries: [delivery('m-1', 'd-1', { createdAt: 0 })] };
    await given(storage, [merchant('m-1')], [order('m-1', 'o-1', { expiresAt: 0 })], first);
    const changes: ((records: Records) => Promise<void>)[] = [
      async (records) => {
        const found = await records.lockMerchant('m-1');
        await turn();
        if (found) await records.updateMerchant({ ...found, clockOffset: found.clockOffset + 1 });
      },
      async (records) => {
        const found = await records.lockOrder('m-1', 'o-1');
        await turn();
        if (found) await records.updateOrder({ ...found, expiresAt: found.expiresAt + 1 });
      },
      async (records) => {
        const found = await records.lockRefund('m-1', 'r-1');
        await turn();
        if (found) await records.updateRefund({ ...found, sequence: found.sequence + 1 });
      },
      async (records) => {
        const found = await records.lockDelivery('m-1', 'd-1');
        await turn();
        if (found) await records.updateDelivery({ ...found, createdAt: found.createdAt + 1 });
      },
    ];
    const repeated = Array.from({ length: 10 }, () => changes).flat();
    await Promise.all(repeated.map((change) => storage.transaction(change)));
    const { reads } = storage;
    expect((await reads.findMerchant('m-1'))?.clockOffset).toBe(10);
    expect((await reads.findOrderById('m-1', 'o-1'))?.expiresAt).toBe(10);
    expect((await reads.findRefundById('m-1', 'r-1'))?.sequence).toBe(10);
    expect((await reads.listDeliveries('m-1'))[0]?.createdAt).toBe(10);
  });

  test('creates that lock their merchant afterwards do not block each other', async () => {
    const storage = await openNew();
    await given(storage, [merchant('m-1')]);
    let runs = 0;
    await Promise.all(
      Array.from({ length: 10 }, (_each, n) =>
        storage.transaction(async (records) => {
          runs += 1;
          await records.insertOrder(order('m-1', `o-${n}`));
          await turn();
          const found = await records.lockMerchant('m-1');
          if (found) await records.updateMerchant({ ...found, clockOffset: found.clockOffset + 1 });
        }),
      ),
    );
    expect(runs).toBe(10);
    expect((await storage.reads.findMerchant('m-1'))?.clockOffset).toBe(10);
  });
});

describe('PostgreSQL', () => {
  test('runs a transaction again that the server stopped because of a deadlock', async () => {
    const storage = await open(await newPostgresDatabase());
    await given(storage, [merchant('m-1'), merchant('m-2')]);
    let runs = 0;
    let bothHold = () => {};
    const held = new Promise<void>((resolve) => {
      bothHold = resolve;
    });
    const moveBoth = (first: string, second: string) =>
      storage.transaction(async (records) => {
        const a = await records.lockMerchant(first);
        runs += 1;
        if (runs === 2) bothHold();
        await held;
        const b = await records.lockMerchant(second);
        for (const each of [a, b]) {
          if (each) await records.updateMerchant({ ...each, clockOffset: each.clockOffset + 1 });
        }
      });
    await Promise.all([moveBoth('m-1', 'm-2'), moveBoth('m-2', 'm-1')]);
    expect(runs).toBeGreaterThan(2);
    expect((await storage.reads.findMerchant('m-1'))?.clockOffset).toBe(2);
    expect((await storage.reads.findMerchant('m-2'))?.clockOffset).toBe(2);
  });
});
