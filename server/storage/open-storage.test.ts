import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openStorage } from './open-storage.ts';
import { newStorages } from './testing/new-storages.ts';
import { delivery, given, listedDeliveries, merchant, order, refund } from './testing/records.ts';

const { everyDatabase, lastingDatabases, open } = newStorages();

describe.each(everyDatabase)('%s', (_, openNew) => {
  test('answers a ping', async () => {
    await expect((await openNew()).ping()).resolves.toBeUndefined();
  });

  test('lets running transactions end before it closes, and takes no more', async () => {
    const storage = await openNew();
    let begun = () => {};
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const running = storage.transaction(async (records) => {
      begun();
      await turn();
      await records.insertMerchant(merchant('m-1'));
    });
    await started;
    const closing = storage.close();
    await running;
    await closing;
    await expect(storage.reads.findMerchant('m-1')).rejects.toThrow();
  });
});

describe.each(lastingDatabases)('%s', (_, newLocation) => {
  test('keeps its data when it is closed and opened again', async () => {
    const location = await newLocation();
    const first = await openStorage(location);
    const others = { refunds: [refund('m-1', 'r-1')], deliveries: [delivery('m-1', 'd-1')] };
    await given(first, [merchant('m-1')], [order('m-1', 'o-1')], others);
    await first.close();
    const second = await open(location);
    expect(await second.reads.findMerchant('m-1')).toEqual(merchant('m-1'));
    expect(await second.reads.findOrderById('m-1', 'o-1')).toEqual(order('m-1', 'o-1'));
    expect(await second.reads.findRefundById('m-1', 'r-1')).toEqual(refund('m-1', 'r-1'));
    expect(await listedDeliveries(second.reads, 'm-1')).toEqual([delivery('m-1', 'd-1')]);
  });
});

test.each(['mysql://assayer:hunter2@db/money', 'file:assay.db', ''])(
  'does not take %j for a file',
  async (location) => {
    const error: unknown = await openStorage(location).catch((reason: unknown) => reason);
    expect(String(error)).toMatch(/Give :memory:, the path of a SQLite file, or postgres:/);
    expect(String(error)).not.toContain('hunter2');
  },
);
