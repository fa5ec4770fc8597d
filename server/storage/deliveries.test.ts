import { describe, expect, test } from 'vitest';
import type { Delivery, DeliveryWithPayload } from '../domain/delivery.ts';
import { newStorages } from './testing/new-storages.ts';
import { newPostgresDatabase } from './testing/postgres.ts';
import { claimedIds, delivery, deliveryIds, given, listedDeliveries, merchant, unsorted } from './testing/records.ts';

const { everyDatabase, lastingDatabases, open } = newStorages();

describe.each(everyDatabase)('%s', (_, openNew) => {
  test('gives back a webhook as it was written, and as it was changed', async () => {
    const storage = await openNew();
    const written = delivery('m-1', 'd-1', {
      subject: { refundOrderId: 'r-1' },
      url: 'https://shop.example/\0\ud800',
      payload: '{"b": 1, "a": "NUL \0, lone surrogate \ud800, 🎉", "a": 1e400}',
    });
    const other = delivery('m-1', 'd-2');
    await given(storage, [merchant('m-1')], [], { deliveries: [other, written] });
    expect(await listedDeliveries(storage.reads, 'm-1')).toEqual([written, other]);

    const changed: DeliveryWithPayload = {
      ...written,
      status: 'delivered',
      attempts: [
        { at: 1, error: 'refused \0' },
        { at: 5001, httpStatus: 200 },
      ],
      dueAt: null,
    };
    await storage.transaction((records) => records.updateDelivery(changed));
    expect(await listedDeliveries(storage.reads, 'm-1')).toEqual([changed, other]);
    const { payload: _, ...locked } = changed;
    expect(await storage.transaction((records) => records.lockDelivery('m-1', 'd-1'))).toEqual(locked);
  });

  test("lists a merchant's webhooks, newest first, also those of one millisecond", async () => {
    const storage = await openNew();
    await given(storage, [merchant('m-1'), merchant('m-2')]);
    for (const id of unsorted) {
      await given(storage, [], [], { deliveries: [delivery('m-1', id), delivery('m-2', `${id}-other`)] });
    }
    // An attempt does not change the delivery's place in the list.
    await storage.transaction((records) => records.updateDelivery(delivery('m-1', 'id-9', { status: 'exhausted' })));
    expect(deliveryIds(await storage.reads.listDeliveries('m-1'))).toEqual([...unsorted].reverse());
  });

  test("claims due webhooks by each merchant's clock, earliest first", async () => {
    const storage = await openNew();
    const never: Partial<Delivery> = { status: 'delivered', dueAt: null };
    await given(storage, [merchant('now'), merchant('ahead', { clockOffset: 1000 })], [], {
      deliveries: [
        delivery('now', 'now-never', never),
        // An instance died after it had noted the result and left this claim behind: nothing is due.
        delivery('now', 'now-never-again', { ...never, claimedUntil: 1 }),
        delivery('now', 'now-after', { dueAt: 5001 }),
        delivery('now', 'now-exactly', { dueAt: 5000 }),
        delivery('ahead', 'ahead-after', { dueAt: 6001 }),
        delivery('ahead', 'ahead-exactly', { dueAt: 6000 }),
        delivery('ahead', 'ahead-before', { dueAt: 4000 }),
        delivery('ahead', 'ahead-as-early', { dueAt: 4000 }),
      ],
    });
    const claimed = await storage.transaction((records) => records.claimDueDeliveries(5000, 3, 20_000));
    // The first of each merchant comes before the second of any.
    expect(deliveryIds(claimed)).toEqual(['ahead-before', 'now-exactly', 'ahead-as-early']);
    expect(claimed.map(({ claimedUntil }) => claimedUntil)).toEqual([20_000, 20_000, 20_000]);
    expect(await claimedIds(storage, 5000, 10, 20_000)).toEqual(['ahead-exactly']);
    expect(await claimedIds(storage, 5000, 10, 20_000)).toEqual([]);
    expect(await claimedIds(storage, 5001, 10, 20_000)).toEqual(['now-after', 'ahead-after']);
    expect(await claimedIds(storage, 1e12, 10, 2e12)).toHaveLength(6);
  });

  test('a claim shows in the record, and ends at its time or with its result', async () => {
    const storage = await openNew();
    // The merchant's clock does not affect how long a claim lasts.
    await given(storage, [merchant('m-1', { clockOffset: 1_000_000 })], [], { deliveries: [delivery('m-1', 'd-1')] });
    const claim = (now: number, until: number) =>
      storage.transaction((records) => records.claimDueDeliveries(now, 10, until));
    const claimed = { ...delivery('m-1', 'd-1'), claimedUntil: 2000 };
    const { merchantId, deliveryId, url, dueAt } = claimed;
    const seen = { merchantId, deliveryId, url, dueAt, bytes: expect.any(Number) };
    expect(await claim(1000, 2000)).toEqual([{ ...seen, claimedUntil: 2000 }]);
    expect(await listedDeliveries(storage.reads, 'm-1')).toEqual([claimed]);
    expect(await storage.reads.findDelivery('m-1', 'd-1')).toEqual(claimed);
    expect(await storage.reads.findDelivery('m-2', 'd-1')).toBeUndefined();
    expect(await claim(1999, 3000)).toEqual([]);
    expect(await claim(2000, 3000)).toEqual([{ ...seen, claimedUntil: 3000 }]);

    const put = (changes: Partial<Delivery>) =>
      storage.transaction((records) => records.updateDelivery({ ...claimed, ...changes }));
    await put({ claimedUntil: null, dueAt: 1_002_500 });
    expect(await claim(2499, 4000)).toEqual([]);
    expect(await claim(2500, 4000)).toEqual([{ ...seen, dueAt: 1_002_500, claimedUntil: 4000 }]);
    // A claim that was replaced is not released by its old holder.
    const release = (claimedUntil: number) =>
      storage.transaction((records) => records.releaseDeliveries([{ ...seen, bytes: 1, claimedUntil }]));
    await release(3000);
    expect(await claim(2500, 5000)).toEqual([]);
    await release(4000);
    expect(await claim(2500, 5000)).toHaveLength(1);
    await put({ claimedUntil: null, dueAt: null, status: 'delivered' });
    expect(await claim(9_000_000, 9_001_000)).toEqual([]);
  });

  test('claims made at once share the webhooks out, each to one', async () => {
    const storage = await openNew();
    const ids = Array.from({ length: 40 }, (_each, n) => `d-${n}`);
    await given(storage, [merchant('m-1')], [], { deliveries: ids.map((id) => delivery('m-1', id)) });
    const claimed: string[] = [];
    const claimAll = async () => {
      for (let more = true; more && claimed.length <= ids.length; ) {
        const mine = await claimedIds(storage, 0, 3, 1000);
        claimed.push(...mine);
        more = mine.length > 0;
      }
    };
    await Promise.all(Array.from({ length: 10 }, claimAll));
    expect(claimed.sort()).toEqual(ids.sort());
  });
});

describe.each(lastingDatabases)('%s', (_, newLocation) => {
  test('lists the newest 1,000 webhooks of a merchant, without their payloads', async () => {
    const storage = await open(await newLocation());
    await storage.transaction(async (records) => {
      await records.insertMerchant(merchant('m-1'));
      for (let count = 1; count <= 1_005; count += 1)
        await records.insertDelivery(delivery('m-1', `d-${count}`, { payload: '{"canary":1}' }));
    });
    const listed = await storage.reads.listDeliveries('m-1');
    expect(deliveryIds(listed)).toEqual(Array.from({ length: 1_000 }, (_, index) => `d-${1_005 - index}`));
    expect(JSON.stringify(listed)).not.toContain('canary');
  });
});

describe('PostgreSQL', () => {
  test('two servers never claim the same webhook, nor one that a transaction holds', async () => {
    const location = await newPostgresDatabase();
    const [one, two] = await Promise.all([open(location), open(location)]);
    const deliveries = ['d-1', 'd-2', 'd-3', 'd-4', 'd-5', 'd-6'].map((id, n) => delivery('m-1', id, { dueAt: n }));
    await given(one, [merchant('m-1')], [], { deliveries });
    await one.transaction(async (records) => {
      await records.lockDelivery('m-1', 'd-1');
      expect(deliveryIds(await records.claimDueDeliveries(100, 2, 1000))).toEqual(['d-1', 'd-2']);
      // Neither another transaction of the same server nor another server waits for these deliveries or claims them.
      expect(await claimedIds(one, 100, 1, 1000)).toEqual(['d-3']);
      expect(await claimedIds(two, 100, 1, 1000)).toEqual(['d-4']);
      await records.lockDelivery('m-1', 'd-5');
      expect(await claimedIds(two, 100, 10, 1000)).toEqual(['d-6']);
    });
    expect(await claimedIds(two, 100, 10, 1000)).toEqual(['d-5']);
    expect(await claimedIds(one, 1000, 10, 2000)).toEqual(['d-1', 'd-2', 'd-3', 'd-4', 'd-5', 'd-6']);
  });
});
