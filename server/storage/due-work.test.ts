import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { openStorage } from './open-storage.ts';
import { newStorages } from './testing/new-storages.ts';
import { newPostgresDatabase } from './testing/postgres.ts';
import {
  claimedIds,
  delivery,
  dueIds,
  dueRefundIds,
  given,
  merchant,
  order,
  refund,
  refundIds,
} from './testing/records.ts';

const { everyDatabase, open } = newStorages();

describe.each(everyDatabase)('%s', (_, openNew) => {
  test('counts the work that waits, by the clock of each merchant', async () => {
    const storage = await openNew();
    await given(
      storage,
      [merchant('m-1'), merchant('m-2', { clockOffset: 50 })],
      [order('m-1', 'o-1', { dueAt: 100 }), order('m-1', 'o-2', { dueAt: 101 }), order('m-2', 'o-3', { dueAt: 150 })],
      {
        refunds: [refund('m-1', 'r-1', { dueAt: 101 }), refund('m-2', 'r-2', { dueAt: 101 }), refund('m-2', 'r-3')],
        deliveries: [
          delivery('m-1', 'd-1', { dueAt: 100 }),
          delivery('m-1', 'd-2', { dueAt: 101 }),
          delivery('m-1', 'd-3', { dueAt: null, status: 'delivered' }),
        ],
      },
    );
    expect(await storage.reads.countWork(100)).toEqual({
      pendingDeliveries: 2,
      dueDeliveries: 1,
      dueOrders: 2,
      dueRefunds: 1,
    });
  });

  test("finds due orders by each merchant's clock, earliest first", async () => {
    const storage = await openNew();
    await given(
      storage,
      [merchant('now'), merchant('ahead', { clockOffset: 1000 })],
      [
        order('now', 'now-never', { dueAt: null }),
        order('now', 'now-after', { dueAt: 5001 }),
        order('now', 'now-exactly', { dueAt: 5000 }),
        order('now', 'now-long-ago', { dueAt: 10 }),
        order('ahead', 'ahead-after', { dueAt: 6001 }),
        order('ahead', 'ahead-exactly', { dueAt: 6000 }),
        order('ahead', 'ahead-before', { dueAt: 4000 }),
      ],
    );
    const all = ['now-long-ago', 'ahead-before', 'now-exactly', 'ahead-exactly'];
    expect(await dueIds(storage, 5000, 10)).toEqual(all);
    expect(await dueIds(storage, 5000, 3)).toEqual(all.slice(0, 3));
    expect(await dueIds(storage, 5000, 10, 'ahead')).toEqual(['ahead-before', 'ahead-exactly']);
    expect(await dueIds(storage, 5000, 10, 'nobody')).toEqual([]);
    expect(await dueIds(storage, 9, 10, 'now')).toEqual([]);

    // An order that is done is not due again.
    await storage.transaction(async (records) => {
      for (const due of await records.lockDueOrders(5000, 2)) await records.updateOrder({ ...due, dueAt: null });
    });
    expect(await dueIds(storage, 5000, 10)).toEqual(all.slice(2));
  });

  test("finds due refunds by each merchant's clock, earliest first", async () => {
    const storage = await openNew();
    await given(storage, [merchant('now'), merchant('ahead', { clockOffset: 1000 })], [], {
      refunds: [
        refund('now', 'now-never', { dueAt: null }),
        refund('now', 'now-after', { dueAt: 5001 }),
        refund('now', 'now-exactly', { dueAt: 5000 }),
        refund('now', 'now-long-ago', { dueAt: 10 }),
        refund('ahead', 'ahead-after', { dueAt: 6001 }),
        refund('ahead', 'ahead-exactly', { dueAt: 6000 }),
        refund('ahead', 'ahead-before', { dueAt: 4000 }),
        refund('ahead', 'ahead-as-early', { dueAt: 4000 }),
      ],
    });
    const all = ['now-long-ago', 'ahead-before', 'ahead-as-early', 'now-exactly', 'ahead-exactly'];
    expect(await dueRefundIds(storage, 5000, 10)).toEqual(all);
    expect(await dueRefundIds(storage, 5000, 3)).toEqual(all.slice(0, 3));
    expect(await dueRefundIds(storage, 5000, 2, 'ahead')).toEqual(['ahead-before', 'ahead-as-early']);
    expect(await dueRefundIds(storage, 5000, 10, 'nobody')).toEqual([]);
    expect(await dueRefundIds(storage, 9, 10, 'now')).toEqual([]);

    // A refund that is done is not due again, and a postponed refund is due later.
    await storage.transaction(async (records) => {
      const [done, later] = await records.lockDueRefunds(5000, 2);
      if (done) await records.updateRefund({ ...done, dueAt: null });
      if (later) await records.updateRefund({ ...later, dueAt: 6001 });
    });
    expect(await dueRefundIds(storage, 5000, 10)).toEqual(all.slice(2));
    const aheadLater = ['ahead-as-early', 'ahead-exactly', 'ahead-after', 'ahead-before'];
    expect(await dueRefundIds(storage, 5001, 10, 'ahead')).toEqual(aheadLater);
  });
});

describe('PostgreSQL', () => {
  test('two transactions never hold the same due order', async () => {
    const storage = await open(await newPostgresDatabase());
    const ids = ['o-1', 'o-2', 'o-3', 'o-4', 'o-5'];
    await given(
      storage,
      [merchant('m-1')],
      ids.map((id, n) => order('m-1', id, { dueAt: n })),
    );
    await storage.transaction(async (records) => {
      const mine = await records.lockDueOrders(100, 2);
      const theirs = await dueIds(storage, 100, 2);
      expect(mine.map(({ orderId }) => orderId)).toEqual(['o-1', 'o-2']);
      expect(theirs).toEqual(['o-3', 'o-4']);
    });
    expect(await dueIds(storage, 100, 10)).toEqual(ids);
  });

  test('two transactions never hold the same due refund', async () => {
    const storage = await open(await newPostgresDatabase());
    const ids = ['r-1', 'r-2', 'r-3', 'r-4', 'r-5'];
    const refunds = ids.map((id, n) => refund('m-1', id, { dueAt: n }));
    await given(storage, [merchant('m-1')], [], { refunds });
    await storage.transaction(async (records) => {
      expect(refundIds(await records.lockDueRefunds(100, 2))).toEqual(['r-1', 'r-2']);
      expect(await dueRefundIds(storage, 100, 2)).toEqual(['r-3', 'r-4']);
    });
    expect(await dueRefundIds(storage, 100, 10)).toEqual(ids);
  });

  test('finds what is due without reading through what is not', async () => {
    const location = await newPostgresDatabase();
    const numbers = Array.from({ length: 1000 }, (_, number) => number);
    const dueAt = 5000;
    const before = await openStorage(location);
    await given(
      before,
      [merchant('m-1'), merchant('m-2')],
      numbers.map((number) => order('m-1', `o-${number}`, { dueAt })),
      {
        refunds: numbers.map((number) => refund('m-1', `r-${number}`, { dueAt })),
        deliveries: numbers.map((number) => delivery('m-1', `d-${number}`, { dueAt })),
      },
    );
    await before.close();

    const client = new pg.Client({ connectionString: location });
    await client.connect();
    try {
      // A connection reports its read statistics when it ends.
      const told = async () => {
        const { rows } = await client.query<{ relname: string; idx_scan: string; seq_tup_read: string }>(
          "select relname, idx_scan, seq_tup_read from pg_stat_user_tables where relname in ('orders', 'refunds', 'deliveries')",
        );
        return new Map(
          rows.map((row) => [row.relname, { scans: Number(row.idx_scan), read: Number(row.seq_tup_read) }]),
        );
      };
      const tables = ['orders', 'refunds', 'deliveries'];
      const at = await told();
      const storage = await openStorage(location);
      expect(await dueIds(storage, 100, 10)).toEqual([]);
      expect(await dueRefundIds(storage, 100, 10)).toEqual([]);
      expect(await claimedIds(storage, 100, 10, 200)).toEqual([]);
      await storage.close();
      await expect
        .poll(async () => [...(await told())].every(([table, { scans }]) => scans > (at.get(table)?.scans ?? 0)), {
          timeout: 60_000,
        })
        .toBe(true);
      const after = await told();
      for (const table of tables) expect([table, after.get(table)?.read]).toEqual([table, at.get(table)?.read]);
    } finally {
      await client.end();
    }
  });
});
