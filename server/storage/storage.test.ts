import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { Migrator, sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Delivery, DeliveryWithPayload } from '../domain/delivery.ts';
import type { ApiKey, Merchant } from '../domain/merchant.ts';
import type { CheckoutOrder, HostedOrder, Order } from '../domain/order.ts';
import type { Refund } from '../domain/refund.ts';
import type { Reads, Records, Storage } from '../services/ports.ts';
import { migrations } from './migrations/index.ts';
import { openStorage } from './open-storage.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';
import { newPostgresDatabase } from './testing/postgres.ts';

let directory: string;
let databases = 0;
const opened: Storage[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-storage-'));
});

afterAll(async () => {
  await rm(directory, { recursive: true });
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((storage) => storage.close()));
});

const newFile = async () => join(directory, `${++databases}`, 'assay.db');

async function open(location: string): Promise<Storage> {
  const storage = await openStorage(location);
  opened.push(storage);
  return storage;
}

function merchant(merchantId: string, changes: Partial<Merchant> = {}): Merchant {
  return {
    merchantId,
    settings: { checkoutEnabled: true, balances: {}, paymentMethods: [], usdRate: '1', automatic: true },
    clockOffset: 0,
    createdAt: 1_700_000_000_000,
    ledger: {},
    ...changes,
  };
}

function key(apiKey: string, merchantId: string, changes: Partial<ApiKey> = {}): ApiKey {
  return {
    apiKey,
    merchantId,
    apiSecret: `secret of ${apiKey}`,
    createdAt: 1_700_000_000_000,
    endsAt: null,
    ...changes,
  };
}

function order(merchantId: string, orderId: string, changes: Partial<HostedOrder> = {}): HostedOrder {
  const merchantOrderId = changes.merchantOrderId ?? `merchant-order-${orderId}`;
  return {
    product: 'hosted',
    orderId,
    merchantId,
    merchantOrderId,
    status: 'INIT',
    request: {
      merchantOrderId,
      orderAmount: { value: '10', currency: 'USDT' },
      expiresAt: '2030-01-01T00:00:00.000Z',
      returnUrl: 'https://shop.example/return',
    },
    due: { value: '10', currency: 'USDT' },
    createdAt: 1_700_000_000_000,
    expiresAt: 1_893_456_000_000,
    dueAt: null,
    payment: null,
    paidAt: null,
    sequence: 0,
    ...changes,
  };
}

function checkoutOrder(merchantId: string, orderId: string, merchantOrderId: string): CheckoutOrder {
  const orderAmount = { value: '10', currency: 'USDC' } as const;
  return {
    ...order(merchantId, orderId, { merchantOrderId }),
    product: 'checkout',
    request: {
      merchantOrderId,
      orderAmount,
      paymentMethodType: 'ON_CHAIN_TRANSFER',
      network: 'base',
      expiresAt: '2030-01-01T00:00:00.000Z',
    },
    due: orderAmount,
    depositAddress: '0x1',
  };
}

function refund(merchantId: string, refundOrderId: string, changes: Partial<Refund> = {}): Refund {
  const merchantRefundOrderId = changes.merchantRefundOrderId ?? `merchant-refund-${refundOrderId}`;
  const acquiringOrderId = changes.acquiringOrderId ?? 'o-1';
  return {
    refundOrderId,
    merchantId,
    merchantRefundOrderId,
    acquiringOrderId,
    merchantOrderId: 'merchant-order-o-1',
    status: 'PENDING',
    request: { merchantRefundOrderId, acquiringOrderId, refundReason: 'Wrong size' },
    amount: { value: '10', currency: 'USDT' },
    deductAmount: '10',
    paymentMethod: 'ON_CHAIN_TRANSFER',
    createdAt: 1_700_000_000_000,
    estimatedCompletionAt: 1_700_000_003_000,
    endedAt: null,
    failure: null,
    dueAt: null,
    sequence: 0,
    ...changes,
  };
}

function delivery(
  merchantId: string,
  deliveryId: string,
  changes: Partial<DeliveryWithPayload> = {},
): DeliveryWithPayload {
  return {
    deliveryId,
    eventId: `event of ${deliveryId}`,
    merchantId,
    subject: { orderId: 'o-1' },
    url: 'https://shop.example/webhooks',
    payload: '{}',
    status: 'pending',
    attempts: [],
    createdAt: 1_700_000_000_000,
    dueAt: 0,
    claimedUntil: null,
    ...changes,
  };
}

/** Writes the initial records of a test, in the order given. */
async function given(
  storage: Storage,
  merchants: Merchant[],
  orders: Order[] = [],
  { refunds = [], deliveries = [] }: { refunds?: Refund[]; deliveries?: DeliveryWithPayload[] } = {},
): Promise<void> {
  await storage.transaction(async (records) => {
    for (const each of merchants) await records.insertMerchant(each);
    for (const each of orders) expect(await records.insertOrder(each)).toBe(true);
    for (const each of refunds) expect(await records.insertRefund(each)).toBe(true);
    for (const each of deliveries) await records.insertDelivery(each);
  });
}

const insertRefund = (storage: Storage, each: Refund) => storage.transaction((records) => records.insertRefund(each));

const dueIds = async (storage: Storage, ...query: Parameters<Records['lockDueOrders']>) =>
  (await storage.transaction((records) => records.lockDueOrders(...query))).map(({ orderId }) => orderId);
const dueRefundIds = async (storage: Storage, ...query: Parameters<Records['lockDueRefunds']>) =>
  refundIds(await storage.transaction((records) => records.lockDueRefunds(...query)));
const claimedIds = async (storage: Storage, ...query: Parameters<Records['claimDueDeliveries']>) =>
  deliveryIds(await storage.transaction((records) => records.claimDueDeliveries(...query)));

const refundIds = (refunds: Refund[]) => refunds.map(({ refundOrderId }) => refundOrderId);
/** The deliveries of a merchant as the list has them, with their payloads; the list leaves nothing else out. */
async function listedDeliveries(reads: Reads, merchantId: string): Promise<DeliveryWithPayload[]> {
  const listed = await reads.listDeliveries(merchantId);
  return Promise.all(
    listed.map(async (summary) => {
      const found = await reads.findDelivery(merchantId, summary.deliveryId);
      if (!found) throw new Error(`there is no delivery ${summary.deliveryId}`);
      const { payload, ...rest } = found;
      expect(summary).toEqual(rest);
      return { payload, ...summary };
    }),
  );
}

const deliveryIds = (deliveries: Pick<Delivery, 'deliveryId'>[]) => deliveries.map(({ deliveryId }) => deliveryId);

/** Ids that are not in alphabetical order. */
const unsorted = ['id-9', 'id-10', 'id-2', 'id-1', 'id-11'];

describe.each([
  ['SQLite in memory', async () => ':memory:'],
  ['SQLite in a file', newFile],
  ['PostgreSQL', newPostgresDatabase],
])('%s', (_, newLocation) => {
  const openNew = async () => open(await newLocation());

  test('answers a ping', async () => {
    await expect((await openNew()).ping()).resolves.toBeUndefined();
  });

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

describe.each([
  ['SQLite in a file', newFile],
  ['PostgreSQL', newPostgresDatabase],
])('%s', (_, newLocation) => {
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

describe('SQLite in a file', () => {
  test('several processes can start on one new file and write to it', async () => {
    const location = await newFile();
    const program = `
      import { openStorage } from ${JSON.stringify(new URL('./open-storage.ts', import.meta.url))};
      console.log('ready');
      await new Promise((resolve) => process.stdin.once('data', resolve));
      const storage = await openStorage(${JSON.stringify(location)});
      for (let n = 0; n < 10; n += 1) {
        await storage.transaction(async (records) => {
          const found = await records.lockMerchant('m-1');
          await new Promise(setImmediate);
          if (found) await records.updateMerchant({ ...found, clockOffset: found.clockOffset + 1 });
          else await records.insertMerchant(${JSON.stringify(merchant('m-1', { clockOffset: 1 }))});
        });
      }
      await storage.close();`;
    const processes = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    );
    const ends = processes.map((each) => once(each, 'exit'));
    await Promise.all(processes.map((each) => once(each.stdout, 'data')));
    for (const each of processes) each.stdin.end('go');
    expect(await Promise.all(ends)).toEqual(processes.map(() => [0, null]));
    expect((await (await open(location)).reads.findMerchant('m-1'))?.clockOffset).toBe(40);
  });

  test('writes little for a claim and for an attempt, however large the webhooks are', async () => {
    const location = await newFile();
    const storage = await open(location);
    const { db } = openSqlite(location);
    const payload = JSON.stringify('x'.repeat(500_000));
    const deliveries = Array.from({ length: 10 }, (_, index) => delivery('m-1', `d-${index}`, { payload }));
    await given(storage, [merchant('m-1')], [], { deliveries });
    // Moves what was written into the file, so that the log holds only what comes after.
    await sql`pragma wal_checkpoint(truncate)`.execute(db).finally(() => db.destroy());
    const [claimed] = await storage.transaction((records) => records.claimDueDeliveries(1e12, 10, 2e12));
    await storage.transaction(async (records) => {
      const found = await records.lockDelivery('m-1', 'd-1');
      if (found) await records.updateDelivery({ ...found, attempts: [{ at: 1, httpStatus: 500 }] });
    });
    expect(claimed?.bytes).toBeGreaterThan(500_000);
    expect(statSync(`${location}-wal`).size).toBeLessThan(200_000);
    expect((await storage.reads.findDelivery('m-1', 'd-1'))?.payload).toBe(payload);
  });

  test('says which file cannot be opened, and does not change it', async () => {
    const file = join(directory, 'notes.txt');
    await writeFile(
      file,
      'These are notes, and long enough to be taken for the header of a database file, or nearly.\n'.repeat(20),
    );
    await expect(openStorage(file)).rejects.toThrow(`${file}: file is not a database. Check that`);
    await expect(openStorage(directory)).rejects.toThrow(directory);
  });
});

describe('PostgreSQL', () => {
  test('several servers can start on one new database', async () => {
    const location = await newPostgresDatabase();
    const storages = await Promise.all(Array.from({ length: 5 }, () => open(location)));
    await given(storages[0] as Storage, [merchant('m-1')]);
    for (const storage of storages) expect(await storage.reads.findMerchant('m-1')).toEqual(merchant('m-1'));
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

  test('survives the loss of its connections, idle and in use', async () => {
    const location = await newPostgresDatabase();
    const storage = await open(location);
    await given(storage, [merchant('m-1')]);
    const loseConnections = async () => {
      const client = new pg.Client({ connectionString: location });
      await client.connect();
      await client.query(
        'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      await client.end();
    };

    const interrupted = storage.transaction(async (records) => {
      await records.insertMerchant(merchant('m-2'));
      await loseConnections();
      await turn();
      await records.insertMerchant(merchant('m-3'));
    });
    await expect(interrupted).rejects.toThrow();
    expect(await storage.reads.findMerchant('m-2')).toBeUndefined();

    await Promise.all(Array.from({ length: 5 }, () => storage.ping()));
    await loseConnections();
    await turn();
    await given(storage, [merchant('m-2')]);
    expect(await storage.reads.findMerchant('m-2')).toEqual(merchant('m-2'));
  });

  test('goes on when a newer version has added columns', async () => {
    const location = await newPostgresDatabase();
    const storage = await open(location);
    const known = { merchant: merchant('m-1'), key: key('k-1', 'm-1'), order: order('m-1', 'o-1') };
    await given(storage, [known.merchant]);
    await storage.transaction((records) => records.insertApiKey(known.key));
    const identity = { product: 'hosted', merchantId: 'm-1', merchantOrderId: known.order.merchantOrderId } as const;
    const createAndFind = async () => [
      await storage.insertOrder(known.order),
      await storage.reads.findOrder(identity),
      await storage.reads.findApiKeyWithMerchant('k-1'),
    ];
    const { apiSecret, endsAt } = known.key;
    const found = { key: { apiSecret, endsAt }, merchant: known.merchant };
    expect(await createAndFind()).toEqual([true, known.order, found]);

    const client = new pg.Client({ connectionString: location });
    await client.connect();
    for (const table of ['merchants', 'api_keys', 'orders']) await client.query(`alter table ${table} add added text`);
    await client.end();
    expect(await createAndFind()).toEqual([false, known.order, found]);
  });

  test('says where it could not connect and what to do, without user and password', async () => {
    const failure = async (url: string) => {
      const error: unknown = await openStorage(url).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Error);
      const { message, cause } = error as Error;
      expect(`${message} ${cause}`).not.toMatch(/assayer|hunter2/);
      return message;
    };
    const existing = await newPostgresDatabase();
    const { host, port } = new URL(existing);
    expect(await failure('postgres://assayer:hunter2@127.0.0.1:1/money')).toMatch(
      /127\.0\.0\.1:1, database "money": nothing answers there\. Check that the server runs/,
    );
    expect(await failure('postgresql://assayer:hunter2@nowhere.invalid:5433/money')).toMatch(
      /nowhere\.invalid:5433, database "money": .*Check the host/,
    );
    expect(await failure(`postgres://assayer:hunter2@${host}/money`)).toMatch(
      new RegExp(`:${port}, database "money": the server refuses this user\\. Check`),
    );
    expect(await failure(existing.replace(/\w+$/, 'money'))).toMatch(/there is no such database\. Create it/);
    for (const password of ['hunter2#hunter2', '1/hunter2', '1?hunter2', '%hunter2/']) {
      expect(await failure(`postgres://assayer:${password}@host/money`)).toMatch(/percent-encode/);
    }
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

test('a file of SQLite and its folder are readable by their owner only, also a file that was not', async () => {
  const location = await newFile();
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  await (await open(location)).ping();
  expect(modeOf(dirname(location))).toBe('700');
  const files = readdirSync(dirname(location)).map((file) => modeOf(join(dirname(location), file)));
  expect(new Set(files)).toEqual(new Set(['600']));
  chmodSync(location, 0o644);
  await open(location);
  expect(modeOf(location)).toBe('600');
});
