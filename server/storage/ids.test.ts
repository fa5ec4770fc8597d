import { describe, expect, test } from 'vitest';
import { newStorages } from './testing/new-storages.ts';
import {
  delivery,
  dueIds,
  dueRefundIds,
  given,
  insertRefund,
  key,
  listedDeliveries,
  merchant,
  order,
  refund,
  refundIds,
} from './testing/records.ts';

const { everyDatabase } = newStorages();

describe.each(everyDatabase)('%s', (_, openNew) => {
  test('finds nothing under an unknown id, nor what belongs to another merchant', async () => {
    const storage = await openNew();
    await given(storage, [merchant('m-1'), merchant('m-2')], [order('m-1', 'o-1', { merchantOrderId: 'mo-1' })], {
      refunds: [refund('m-1', 'r-1', { merchantRefundOrderId: 'mr-1' })],
      deliveries: [delivery('m-1', 'd-1')],
    });
    const { reads } = storage;
    expect(await reads.findMerchant('M-1')).toBeUndefined();
    expect(await reads.findApiKey('k')).toBeUndefined();
    expect(await reads.listApiKeys('m-1')).toEqual([]);
    expect(await reads.findOrder({ product: 'checkout', merchantId: 'm-1', merchantOrderId: 'mo-1' })).toBeUndefined();
    expect(await reads.findOrder({ product: 'hosted', merchantId: 'm-2', merchantOrderId: 'mo-1' })).toBeUndefined();
    expect(await reads.findOrder({ product: 'hosted', merchantId: 'm-1', merchantOrderId: 'MO-1' })).toBeUndefined();
    expect(await reads.findOrderById('m-2', 'o-1')).toBeUndefined();
    expect(await reads.findOrderOfAnyMerchant('O-1')).toBeUndefined();
    expect(await reads.findOrderOfAnyMerchant('mo-1')).toBeUndefined();
    await storage.transaction(async (records) => {
      expect(await records.lockMerchant('m-3')).toBeUndefined();
      expect(await records.lockOrder('m-2', 'o-1')).toBeUndefined();
      expect(await records.lockRefund('m-2', 'r-1')).toBeUndefined();
      expect(await records.lockRefund('m-1', 'mr-1')).toBeUndefined();
      expect(await records.lockDelivery('m-2', 'd-1')).toBeUndefined();
      expect(await records.lockDelivery('m-1', 'd-2')).toBeUndefined();
    });
    expect(await reads.findRefund('m-2', 'mr-1')).toBeUndefined();
    expect(await reads.findRefund('m-1', 'MR-1')).toBeUndefined();
    expect(await reads.findRefund('m-1', 'r-1')).toBeUndefined();
    expect(await reads.findRefundById('m-2', 'r-1')).toBeUndefined();
    expect(await reads.findRefundById('m-1', 'mr-1')).toBeUndefined();
    expect(await reads.listRefundsOfOrder('m-2', 'o-1')).toEqual([]);
    expect(await reads.listRefundsOfOrder('m-1', 'o-2')).toEqual([]);
    expect(await reads.findRefunds('m-2', ['mr-1'])).toEqual([]);
    expect(await listedDeliveries(reads, 'm-2')).toEqual([]);
  });

  test.each([
    ['NUL', 'id\0'],
    // U+FFFD is the replacement that UTF-8 encoders write for a lone surrogate, and a legal id of its own.
    ['a lone surrogate', 'id\ud800'],
  ])('finds nothing under an id with %s, and stores none', async (_what, id) => {
    const storage = await openNew();
    const similar = ['id', 'id\ufffd'];
    await given(
      storage,
      similar.map((each) => merchant(each)),
      similar.map((each) => order(each, each, { merchantOrderId: each })),
      {
        refunds: similar.map((each) => refund(each, each, { merchantRefundOrderId: each, acquiringOrderId: each })),
        deliveries: similar.map((each) => delivery(each, each)),
      },
    );
    await storage.transaction(async (records) => {
      for (const each of similar) await records.insertApiKey(key(each, each));
    });
    const { reads } = storage;
    expect(await reads.findMerchant(id)).toBeUndefined();
    expect(await reads.findApiKey(id)).toBeUndefined();
    expect(await reads.listApiKeys(id)).toEqual([]);
    for (const near of similar) {
      expect(await reads.findOrder({ product: 'hosted', merchantId: id, merchantOrderId: near })).toBeUndefined();
      expect(await reads.findOrder({ product: 'hosted', merchantId: near, merchantOrderId: id })).toBeUndefined();
      expect(await reads.findOrderById(id, near)).toBeUndefined();
      expect(await reads.findOrderById(near, id)).toBeUndefined();
      expect(await reads.findOrderOfAnyMerchant(id)).toBeUndefined();
      expect(await reads.findRefund(id, near)).toBeUndefined();
      expect(await reads.findRefund(near, id)).toBeUndefined();
      expect(await reads.findRefundById(id, near)).toBeUndefined();
      expect(await reads.findRefundById(near, id)).toBeUndefined();
      expect(await reads.listRefundsOfOrder(id, near)).toEqual([]);
      expect(await reads.listRefundsOfOrder(near, id)).toEqual([]);
      expect(await reads.findRefunds(id, [near])).toEqual([]);
      expect(refundIds(await reads.findRefunds(near, [id, near]))).toEqual([near]);
      await storage.transaction(async (records) => {
        expect(await records.lockDelivery(id, near)).toBeUndefined();
        expect(await records.lockDelivery(near, id)).toBeUndefined();
      });
    }
    expect(await listedDeliveries(reads, id)).toEqual([]);
    expect(await dueIds(storage, 0, 10, id)).toEqual([]);
    expect(await dueRefundIds(storage, 0, 10, id)).toEqual([]);

    await expect(storage.insertOrder(order('id', id))).rejects.toThrow('cannot be stored');
    await expect(storage.insertOrder(order('id', 'o', { merchantOrderId: id }))).rejects.toThrow('cannot be stored');
    await expect(storage.transaction((records) => records.insertMerchant(merchant(id)))).rejects.toThrow(
      'cannot be stored',
    );
    for (const unstorable of [
      refund('id', id),
      refund('id', 'r', { merchantRefundOrderId: id }),
      refund('id', 'r', { acquiringOrderId: id }),
    ]) {
      await expect(insertRefund(storage, unstorable)).rejects.toThrow('cannot be stored');
    }
    await expect(storage.transaction((records) => records.insertDelivery(delivery('id', id)))).rejects.toThrow(
      'cannot be stored',
    );
  });

  test('does not take a platform id for a second record, nor a record of an unknown merchant', async () => {
    const storage = await openNew();
    const known = { refunds: [refund('m-1', 'r-1')], deliveries: [delivery('m-1', 'd-1')] };
    await given(storage, [merchant('m-1')], [order('m-1', 'o-1')], known);
    const second = refund('m-1', 'r-1', { merchantRefundOrderId: 'another' });
    await expect(insertRefund(storage, second)).rejects.toThrow();
    await expect(insertRefund(storage, refund('m-2', 'r-2'))).rejects.toThrow();
    for (const each of [delivery('m-1', 'd-1', { payload: '[]' }), delivery('m-2', 'd-2')]) {
      await expect(storage.transaction((records) => records.insertDelivery(each))).rejects.toThrow();
    }
    expect(await storage.reads.listRefundsOfOrder('m-1', 'o-1')).toEqual(known.refunds);
    expect(await listedDeliveries(storage.reads, 'm-1')).toEqual(known.deliveries);
    await expect(storage.insertOrder(order('m-1', 'o-1', { merchantOrderId: 'another' }))).rejects.toThrow();
    await expect(storage.insertOrder(order('m-2', 'o-2'))).rejects.toThrow();
    await expect(storage.transaction((records) => records.insertApiKey(key('k', 'm-2')))).rejects.toThrow();
    expect(await storage.reads.findOrderById('m-1', 'o-1')).toEqual(order('m-1', 'o-1'));
  });

  test('refuses to change what is not there', async () => {
    const storage = await openNew();
    await given(storage, [merchant('m-1')]);
    await expect(storage.transaction((records) => records.updateMerchant(merchant('m-2')))).rejects.toThrow('m-2');
    await expect(storage.transaction((records) => records.updateOrder(order('m-1', 'o-1')))).rejects.toThrow('o-1');
    await expect(storage.transaction((records) => records.updateRefund(refund('m-1', 'r-1')))).rejects.toThrow('r-1');
    await expect(storage.transaction((records) => records.updateDelivery(delivery('m-1', 'd-1')))).rejects.toThrow(
      'd-1',
    );
  });
});
