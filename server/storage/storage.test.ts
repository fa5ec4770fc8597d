import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ApiKey, Merchant } from '../domain/merchant.ts';
import type { Order } from '../domain/order.ts';
import type { Records, Storage } from '../services/ports.ts';
import { openStorage } from './open-storage.ts';
import { startPostgres, type TestPostgres } from './testing/postgres.ts';

let postgres: TestPostgres;
let directory: string;
let databases = 0;
const opened: Storage[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-storage-'));
  postgres = await startPostgres();
}, 60_000);

afterAll(async () => {
  await postgres.stop();
  await rm(directory, { recursive: true });
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((storage) => storage.close()));
});

const newFile = async () => join(directory, `${++databases}`, 'assay.db');
const newDatabase = () => postgres.createDatabase(`test_${++databases}`);

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

function order(merchantId: string, orderId: string, changes: Partial<Order> = {}): Order {
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
    ...changes,
  };
}

/** Writes what a test starts from. */
async function given(storage: Storage, merchants: Merchant[], orders: Order[] = []): Promise<void> {
  await storage.transaction(async (records) => {
    for (const each of merchants) await records.insertMerchant(each);
    for (const each of orders) expect(await records.insertOrder(each)).toBe(true);
  });
}

const insert = (storage: Storage, each: Order) => storage.transaction((records) => records.insertOrder(each));

const dueIds = async (storage: Storage, ...query: Parameters<Records['lockDueOrders']>) =>
  (await storage.transaction((records) => records.lockDueOrders(...query))).map(({ orderId }) => orderId);

describe.each([
  ['SQLite in memory', async () => ':memory:'],
  ['SQLite in a file', newFile],
  ['PostgreSQL', newDatabase],
])('%s', (_, newLocation) => {
  const openNew = async () => open(await newLocation());

  test('answers a ping', async () => {
    await expect((await openNew()).ping()).resolves.toBeUndefined();
  });

  test('gives back a merchant as it was written, and as it was changed', async () => {
    const storage = await openNew();
    const full = merchant('m-1', {
      clockOffset: 2 ** 52,
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
  });

  test('finds nothing under an unknown id', async () => {
    const storage = await openNew();
    await given(storage, [merchant('m-1'), merchant('m-2')], [order('m-1', 'o-1', { merchantOrderId: 'mo-1' })]);
    const { reads } = storage;
    expect(await reads.findMerchant('M-1')).toBeUndefined();
    expect(await reads.findApiKey('k')).toBeUndefined();
    expect(await reads.listApiKeys('m-1')).toEqual([]);
    expect(await reads.findOrder({ product: 'checkout', merchantId: 'm-1', merchantOrderId: 'mo-1' })).toBeUndefined();
    expect(await reads.findOrder({ product: 'hosted', merchantId: 'm-2', merchantOrderId: 'mo-1' })).toBeUndefined();
    expect(await reads.findOrder({ product: 'hosted', merchantId: 'm-1', merchantOrderId: 'MO-1' })).toBeUndefined();
    expect(await reads.findOrderById('m-2', 'o-1')).toBeUndefined();
    await storage.transaction(async (records) => {
      expect(await records.lockMerchant('m-3')).toBeUndefined();
      expect(await records.lockOrder('m-2', 'o-1')).toBeUndefined();
    });
  });

  test('refuses to change what is not there', async () => {
    const storage = await openNew();
    await given(storage, [merchant('m-1')]);
    await expect(storage.transaction((records) => records.updateMerchant(merchant('m-2')))).rejects.toThrow('m-2');
    await expect(storage.transaction((records) => records.updateOrder(order('m-1', 'o-1')))).rejects.toThrow('o-1');
  });

  test.each([
    ['NUL', 'id\0'],
    // U+FFFD is what UTF-8 encoders write for a lone surrogate, and a legal id of its own.
    ['a lone surrogate', 'id\ud800'],
  ])('finds nothing under an id with %s, and stores none', async (_what, id) => {
    const storage = await openNew();
    const similar = ['id', 'id\ufffd'];
    await given(
      storage,
      similar.map((each) => merchant(each)),
      similar.map((each) => order(each, each, { merchantOrderId: each })),
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
    }
    expect(await dueIds(storage, 0, 10, id)).toEqual([]);

    await expect(insert(storage, order('id', id))).rejects.toThrow('cannot be stored');
    await expect(insert(storage, order('id', 'o', { merchantOrderId: id }))).rejects.toThrow('cannot be stored');
    await expect(storage.transaction((records) => records.insertMerchant(merchant(id)))).rejects.toThrow(
      'cannot be stored',
    );
  });

  test('of 20 creates of one order at once, one wins', async () => {
    const storage = await openNew();
    await given(storage, [merchant('m-1'), merchant('m-2')]);
    const twins = Array.from({ length: 20 }, (_each, n) => order('m-1', `o-${n}`, { merchantOrderId: 'mo' }));
    const results = await Promise.all(
      twins.map((twin) =>
        storage.transaction(async (records) => {
          const inserted = await records.insertOrder(twin);
          const found = await records.findOrder({ product: 'hosted', merchantId: 'm-1', merchantOrderId: 'mo' });
          return { inserted, id: twin.orderId, found: found?.orderId };
        }),
      ),
    );
    const [winner, ...others] = results.filter(({ inserted }) => inserted);
    expect(others).toEqual([]);
    expect(results.map(({ found }) => found)).toEqual(results.map(() => winner?.id));

    // The same id with another merchant is another order.
    expect(await insert(storage, order('m-2', 'o-20', { merchantOrderId: 'mo' }))).toBe(true);
  });

  test('does not take a platform id for a second order, nor an order of an unknown merchant', async () => {
    const storage = await openNew();
    await given(storage, [merchant('m-1')], [order('m-1', 'o-1')]);
    await expect(insert(storage, order('m-1', 'o-1', { merchantOrderId: 'another' }))).rejects.toThrow();
    await expect(insert(storage, order('m-2', 'o-2'))).rejects.toThrow();
    await expect(storage.transaction((records) => records.insertApiKey(key('k', 'm-2')))).rejects.toThrow();
    expect(await storage.reads.findOrderById('m-1', 'o-1')).toEqual(order('m-1', 'o-1'));
  });

  test('keeps nothing of a transaction that fails, and shows nothing of one that is open', async () => {
    const storage = await openNew();
    await given(storage, [merchant('m-1')], [order('m-1', 'o-1')]);
    const seen: Promise<unknown>[] = [];
    const failing = storage.transaction(async (records) => {
      await records.insertMerchant(merchant('m-2'));
      await records.insertApiKey(key('k', 'm-2'));
      await records.insertOrder(order('m-2', 'o-2'));
      await records.updateOrder(order('m-1', 'o-1', { status: 'CLOSED' }));
      expect(await records.findOrderById('m-2', 'o-2')).toBeDefined();
      seen.push(storage.reads.findMerchant('m-2'), storage.reads.findOrderById('m-2', 'o-2'));
      await turn();
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await Promise.all(seen)).toEqual([undefined, undefined]);
    expect(await storage.reads.findApiKey('k')).toBeUndefined();
    expect(await storage.reads.findOrderById('m-1', 'o-1')).toEqual(order('m-1', 'o-1'));
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

  test('changes made at once to one merchant and one order all count', async () => {
    const storage = await openNew();
    await given(storage, [merchant('m-1')], [order('m-1', 'o-1', { expiresAt: 0 })]);
    const change = async (records: Records) => {
      const found = await records.lockMerchant('m-1');
      await turn();
      if (found) await records.updateMerchant({ ...found, clockOffset: found.clockOffset + 1 });
    };
    const changeOrder = async (records: Records) => {
      const found = await records.lockOrder('m-1', 'o-1');
      await turn();
      if (found) await records.updateOrder({ ...found, expiresAt: found.expiresAt + 1 });
    };
    await Promise.all(
      Array.from({ length: 30 }, (_each, n) => storage.transaction(n % 2 === 0 ? change : changeOrder)),
    );
    expect((await storage.reads.findMerchant('m-1'))?.clockOffset).toBe(15);
    expect((await storage.reads.findOrderById('m-1', 'o-1'))?.expiresAt).toBe(15);
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

    // What is done is not due again.
    await storage.transaction(async (records) => {
      for (const due of await records.lockDueOrders(5000, 2)) await records.updateOrder({ ...due, dueAt: null });
    });
    expect(await dueIds(storage, 5000, 10)).toEqual(all.slice(2));
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
  ['PostgreSQL', newDatabase],
])('%s', (_, newLocation) => {
  test('keeps its data when it is closed and opened again', async () => {
    const location = await newLocation();
    const first = await openStorage(location);
    await given(first, [merchant('m-1')], [order('m-1', 'o-1')]);
    await first.close();
    const second = await open(location);
    expect(await second.reads.findMerchant('m-1')).toEqual(merchant('m-1'));
    expect(await second.reads.findOrderById('m-1', 'o-1')).toEqual(order('m-1', 'o-1'));
  });
});

describe('SQLite in a file', () => {
  test('several processes can start on one new file and write to it', { timeout: 60_000 }, async () => {
    const location = await newFile();
    const program = `
      import { openStorage } from ${JSON.stringify(new URL('./open-storage.ts', import.meta.url))};
      console.log('ready');
      await new Promise((resolve) => process.stdin.once('data', resolve));
      const storage = await openStorage(${JSON.stringify(location)});
      for (let n = 0; n < 25; n += 1) {
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
    expect((await (await open(location)).reads.findMerchant('m-1'))?.clockOffset).toBe(100);
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
    const location = await newDatabase();
    const storages = await Promise.all(Array.from({ length: 5 }, () => open(location)));
    await given(storages[0] as Storage, [merchant('m-1')]);
    for (const storage of storages) expect(await storage.reads.findMerchant('m-1')).toEqual(merchant('m-1'));
  });

  test('two transactions never hold the same due order', async () => {
    const storage = await open(await newDatabase());
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

  test('runs a transaction again that the server stopped because of a deadlock', async () => {
    const storage = await open(await newDatabase());
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
    const storage = await open(`${await newDatabase()}?options=-c%20default_transaction_isolation%3Dserializable`);
    await given(storage, [merchant('m-1')]);
    const identity = { product: 'hosted', merchantId: 'm-1', merchantOrderId: 'mo' } as const;
    let runs = 0;
    await storage.transaction(async (records) => {
      runs += 1;
      expect(await records.findOrder(identity)).toBeUndefined();
      expect(await insert(storage, order('m-1', 'o-1', identity))).toBe(true);
      expect(await records.insertOrder(order('m-1', 'o-2', identity))).toBe(false);
      expect((await records.findOrder(identity))?.orderId).toBe('o-1');
    });
    expect(runs).toBe(1);
  });

  test('survives the loss of its connections, idle and in use', async () => {
    const location = await newDatabase();
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

  test('says where it could not connect and what to do, without user and password', async () => {
    const failure = async (url: string) => {
      const error: unknown = await openStorage(url).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Error);
      const { message, cause } = error as Error;
      expect(`${message} ${cause}`).not.toMatch(/assayer|hunter2/);
      return message;
    };
    const { host, port } = new URL(postgres.url);
    expect(await failure('postgres://assayer:hunter2@127.0.0.1:1/money')).toMatch(
      /127\.0\.0\.1:1, database "money": nothing answers there\. Check that the server runs/,
    );
    expect(await failure('postgresql://assayer:hunter2@nowhere.invalid:5433/money')).toMatch(
      /nowhere\.invalid:5433, database "money": .*Check the host/,
    );
    expect(await failure(`postgres://assayer:hunter2@${host}/money`)).toMatch(
      new RegExp(`:${port}, database "money": the server refuses this user\\. Check`),
    );
    expect(await failure(postgres.url.replace(/\w+$/, 'money'))).toMatch(/there is no such database\. Create it/);
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
