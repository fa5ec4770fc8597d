import { describe, expect, test } from 'vitest';
import type { Refund } from '../domain/refund.ts';
import { newStorages } from './testing/new-storages.ts';
import { given, insertRefund, merchant, refund, refundIds, unsorted } from './testing/records.ts';

const { everyDatabase } = newStorages();

describe.each(everyDatabase)('%s', (_, openNew) => {
  test('gives back a refund as it was written, and as it was changed', async () => {
    const storage = await openNew();
    const text = 'NUL \0, lone surrogate \ud800, quotes "\'`, 🎉, עברית, \u2028';
    const written = refund('m-1', 'r-1', {
      amount: { value: '99999999999999999.999999999999999999', currency: 'USDT' },
      deductAmount: '0.000000000000000001',
      dueAt: 1_893_456_000_000,
    });
    written.request = { ...written.request, refundReason: text, extraData: '{"a": 1e400}' };
    const other = refund('m-1', 'r-2');
    await given(storage, [merchant('m-1')], [], { refunds: [written, other] });
    const { reads } = storage;
    expect(await reads.findRefund('m-1', written.merchantRefundOrderId)).toEqual(written);
    expect(await reads.listRefundsOfOrder('m-1', 'o-1')).toEqual([written, other]);

    const changed: Refund = {
      ...written,
      status: 'FAILED',
      dueAt: null,
      endedAt: 1_700_000_000_001,
      failure: { errorCode: 'EXCHANGE_BALANCE_INSUFFICIENT', errorMessage: text },
      sequence: 2,
    };
    await storage.transaction((records) => records.updateRefund(changed));
    expect(await reads.findRefund('m-1', written.merchantRefundOrderId)).toEqual(changed);
    expect(await reads.findRefundById('m-1', 'r-1')).toEqual(changed);
    expect(await storage.transaction((records) => records.lockRefund('m-1', 'r-1'))).toEqual(changed);
    expect(await reads.listRefundsOfOrder('m-1', 'o-1')).toEqual([changed, other]);
    expect(await reads.findRefundById('m-1', 'r-2')).toEqual(other);
  });

  test('of 20 creates of one refund at once, one wins', async () => {
    const storage = await openNew();
    await given(storage, [merchant('m-1'), merchant('m-2')]);
    const twins = Array.from({ length: 20 }, (_each, n) => refund('m-1', `r-${n}`, { merchantRefundOrderId: 'mr' }));
    const results = await Promise.all(
      twins.map((twin) =>
        storage.transaction(async (records) => {
          const inserted = await records.insertRefund(twin);
          const found = await records.findRefund('m-1', 'mr');
          return { inserted, id: twin.refundOrderId, found: found?.refundOrderId };
        }),
      ),
    );
    const [winner, ...others] = results.filter(({ inserted }) => inserted);
    expect(others).toEqual([]);
    expect(results.map(({ found }) => found)).toEqual(results.map(() => winner?.id));

    // The id is taken even for a refund of another order. The same id with another merchant is another refund.
    const different = refund('m-1', 'r-20', { merchantRefundOrderId: 'mr', acquiringOrderId: 'o-2' });
    expect(await insertRefund(storage, different)).toBe(false);
    expect(await insertRefund(storage, refund('m-2', 'r-20', { merchantRefundOrderId: 'mr' }))).toBe(true);
    expect(refundIds(await storage.reads.listRefundsOfOrder('m-1', 'o-1'))).toEqual([winner?.id]);
    expect(await storage.reads.listRefundsOfOrder('m-1', 'o-2')).toEqual([]);
  });

  test('lists the refunds of an order, oldest first, also those of one millisecond', async () => {
    const storage = await openNew();
    await given(storage, [merchant('m-1')]);
    for (const id of unsorted) {
      expect(await insertRefund(storage, refund('m-1', id))).toBe(true);
      // A refund that is refused and a refund of another order come in between.
      expect(await insertRefund(storage, refund('m-1', `${id}-again`, refund('m-1', id)))).toBe(false);
      expect(await insertRefund(storage, refund('m-1', `${id}-other`, { acquiringOrderId: 'o-2' }))).toBe(true);
    }
    // An update does not change the refund's place in the list.
    await storage.transaction((records) => records.updateRefund(refund('m-1', 'id-9', { status: 'CLOSED' })));
    expect(refundIds(await storage.reads.listRefundsOfOrder('m-1', 'o-1'))).toEqual(unsorted);
  });

  test('finds those refunds of a list that exist, each once', async () => {
    const storage = await openNew();
    const mine = Array.from({ length: 100 }, (_each, n) =>
      refund('m-1', `r-${n}`, { merchantRefundOrderId: `mr-${n}` }),
    );
    const theirs = refund('m-2', 'r-100', { merchantRefundOrderId: 'mr-100' });
    await given(storage, [merchant('m-1'), merchant('m-2')], [], { refunds: [...mine, theirs] });
    const found = async (ids: string[]) => refundIds(await storage.reads.findRefunds('m-1', ids)).sort();
    expect(await found(['mr-7', 'mr-100', 'unknown', 'mr-3', 'mr-7'])).toEqual(['r-3', 'r-7']);
    expect(await found(mine.map(({ merchantRefundOrderId }) => merchantRefundOrderId))).toEqual(refundIds(mine).sort());
    expect(await found([])).toEqual([]);
  });
});
