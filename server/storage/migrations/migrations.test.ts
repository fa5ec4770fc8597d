import { Migrator } from 'kysely';
import { describe, expect, test } from 'vitest';
import { openPostgres } from '../postgres.ts';
import { openSqlite } from '../sqlite.ts';
import { newStorages } from '../testing/new-storages.ts';
import {
  delivery,
  deliveryIds,
  key,
  listedDeliveries,
  merchant,
  order,
  refund,
  refundIds,
} from '../testing/records.ts';
import { migrations } from './index.ts';

const { lastingDatabases, open } = newStorages();

describe.each(lastingDatabases)('%s', (_, newLocation) => {
  test('keeps the webhooks of a database from before their addresses had a column', async () => {
    const location = await newLocation();
    const before = location.startsWith('postgres:') ? openPostgres(location) : openSqlite(location);
    const older = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0003'));
    const provider = { getMigrations: async () => older };
    expect((await new Migrator({ db: before.db, provider }).migrateToLatest()).error).toBeUndefined();
    const { settings, clockOffset, createdAt } = merchant('m-1');
    const row = {
      merchant_id: 'm-1',
      settings: JSON.stringify(settings),
      clock_offset: clockOffset,
      created_at: createdAt,
    };
    await before.db.insertInto('merchants').values(row).execute();
    // More than the migration reads at once. The last one is no longer due.
    const due = Array.from({ length: 45 }, (_, index) =>
      delivery('m-1', `d-${index}`, { url: `https://shop.example/hooks/${index}`, dueAt: index }),
    );
    const done = delivery('m-1', 'd-done', { status: 'delivered', dueAt: null });
    for (const each of [...due, done]) {
      const { deliveryId: delivery_id, dueAt: due_at, claimedUntil: claimed_until } = each;
      const document = JSON.stringify(each);
      const values = { delivery_id, merchant_id: 'm-1', due_at, claimed_until, document };
      await before.db.insertInto('deliveries').values(values).execute();
    }
    await before.db.destroy();

    const storage = await open(location);
    expect(await listedDeliveries(storage.reads, 'm-1')).toEqual([...due, done].reverse());
    const claimed = await storage.transaction((records) =>
      records.claimDueDeliveries(1_800_000_000_000, 100, 1_900_000_000_000),
    );
    expect(claimed.map(({ deliveryId, url }) => [deliveryId, url])).toEqual(
      due.map(({ deliveryId, url }) => [deliveryId, url]),
    );
  });

  test('keeps the data of a database from before refunds', async () => {
    const location = await newLocation();
    const before = location.startsWith('postgres:') ? openPostgres(location) : openSqlite(location);
    const { '0001-initial': initial } = migrations;
    if (initial === undefined) throw new Error('The first migration has another name.');
    const provider = { getMigrations: async () => ({ '0001-initial': initial }) };
    expect((await new Migrator({ db: before.db, provider }).migrateToLatest()).error).toBeUndefined();
    const known = merchant('m-1', { clockOffset: 5 });
    const { sequence, ...paid } = order('m-1', 'o-1', { status: 'SUCCEEDED', paidAt: 1_700_000_000_001 });
    await before.db
      .insertInto('merchants')
      .values({
        merchant_id: 'm-1',
        settings: JSON.stringify(known.settings),
        clock_offset: known.clockOffset,
        created_at: known.createdAt,
      })
      .execute();
    await before.db
      .insertInto('api_keys')
      .values({ api_key: 'k', merchant_id: 'm-1', api_secret: 'secret of k', created_at: 1_700_000_000_000 })
      .execute();
    await before.db
      .insertInto('orders')
      .values({
        order_id: 'o-1',
        product: 'hosted',
        merchant_id: 'm-1',
        merchant_order_id: paid.merchantOrderId,
        status: paid.status,
        document: JSON.stringify(paid),
      })
      .execute();
    await before.db.destroy();

    const storage = await open(location);
    expect(await storage.reads.findMerchant('m-1')).toEqual({ ...known, ledger: {} });
    expect(await storage.reads.findApiKey('k')).toEqual(key('k', 'm-1'));
    expect(await storage.reads.findOrderById('m-1', 'o-1')).toEqual({ ...paid, sequence });
    const changed = { ...known, ledger: { USDT: { available: '1', reserved: '2', deducted: '3' } } };
    await storage.transaction(async (records) => {
      await records.updateMerchant(changed);
      await records.insertRefund(refund('m-1', 'r-1'));
      await records.insertDelivery(delivery('m-1', 'd-1'));
    });
    expect(await storage.reads.findMerchant('m-1')).toEqual(changed);
    expect(refundIds(await storage.reads.listRefundsOfOrder('m-1', 'o-1'))).toEqual(['r-1']);
    expect(deliveryIds(await storage.reads.listDeliveries('m-1'))).toEqual(['d-1']);
  });
});
