import { setImmediate as turn } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import type { Storage } from '../services/ports.ts';
import { openStorage } from './open-storage.ts';
import { newStorages } from './testing/new-storages.ts';
import { newPostgresDatabase } from './testing/postgres.ts';
import { given, key, merchant, order } from './testing/records.ts';

const { open } = newStorages();

describe('PostgreSQL', () => {
  test('several servers can start on one new database', async () => {
    const location = await newPostgresDatabase();
    const storages = await Promise.all(Array.from({ length: 5 }, () => open(location)));
    await given(storages[0] as Storage, [merchant('m-1')]);
    for (const storage of storages) expect(await storage.reads.findMerchant('m-1')).toEqual(merchant('m-1'));
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
