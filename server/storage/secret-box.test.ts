import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { merchantService } from '../services/control/merchants.ts';
import { randomIds } from '../services/ids.ts';
import { openMerchantAdmin } from '../setup/merchant-admin.ts';
import { openStorage } from './open-storage.ts';
import { openPostgres } from './postgres.ts';
import { type EncryptionKeys, readEncryptionKeys } from './secret-box.ts';
import { openSqlite } from './sqlite.ts';
import { newStorages } from './testing/new-storages.ts';
import { newPostgresDatabase } from './testing/postgres.ts';

const { newFile } = newStorages();
const [first, second] = [randomBytes(32), randomBytes(32)];

const kinds = {
  SQLite: {
    create: newFile,
    connect: (location: string) => openSqlite(location),
  },
  PostgreSQL: {
    create: newPostgresDatabase,
    connect: (location: string) => openPostgres(location),
  },
};

describe.each(['SQLite', 'PostgreSQL'] as const)('secrets in %s', (kind) => {
  const { create, connect } = kinds[kind];

  /** The rows of keys as the database holds them. */
  async function rawKeys(location: string) {
    const { db } = await connect(location);
    try {
      return await db.selectFrom('api_keys').selectAll().orderBy('api_key').execute();
    } finally {
      await db.destroy();
    }
  }

  async function overwrite(location: string, apiKey: string, api_secret: string) {
    const { db } = await connect(location);
    await db.updateTable('api_keys').set({ api_secret }).where('api_key', '=', apiKey).execute();
    await db.destroy();
  }

  async function newMerchant(location: string, keys: EncryptionKeys) {
    const storage = await openStorage(location, keys);
    const service = merchantService({ storage, clock: Date.now, ids: randomIds });
    const merchant = await service.createMerchant({});
    await storage.close();
    return merchant;
  }

  /** The secret of a key as the server reads it, by each of the two ways. */
  async function secretsOf(location: string, keys: EncryptionKeys, apiKey: string) {
    const storage = await openStorage(location, keys);
    try {
      const found = await storage.reads.findApiKeyWithMerchant(apiKey);
      return [found?.key.apiSecret, (await storage.reads.findApiKey(apiKey))?.apiSecret];
    } finally {
      await storage.close();
    }
  }

  test('are plain text without a key, and can be read by anybody who has the database', async () => {
    const location = await create();
    const { apiSecret } = await newMerchant(location, []);
    expect(await rawKeys(location)).toMatchObject([{ api_secret: apiSecret, encryption_key: null }]);
  });

  test('stand nowhere in the database with a key, and are read with it', async () => {
    const location = await create();
    const { apiKey, apiSecret } = await newMerchant(location, [first]);
    const [row] = await rawKeys(location);
    expect(row?.encryption_key).toMatch(/^[0-9a-f]{16}$/);
    expect(JSON.stringify(row)).not.toContain(apiSecret);
    if (kind === 'SQLite') {
      const folder = join(location, '..');
      const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
      expect(files.some((content) => content.includes(apiKey))).toBe(true);
      expect(files.some((content) => content.includes(apiSecret))).toBe(false);
    }
    expect(await secretsOf(location, [first], apiKey)).toEqual([apiSecret, apiSecret]);
  });

  test('of one length and text differ when they are encrypted twice', async () => {
    const location = await create();
    await newMerchant(location, [first]);
    const [before] = await rawKeys(location);
    await reEncrypt(location, [first]);
    const [after] = await rawKeys(location);
    expect(after?.encryption_key).toBe(before?.encryption_key);
    expect(after?.api_secret).not.toBe(before?.api_secret);
  });

  test.each([
    ['without a key', []],
    ['with another key', [second]],
  ])('make a start %s fail, with the variable to set', async (_, keys) => {
    const location = await create();
    const { apiSecret } = await newMerchant(location, [first]);
    const error = await openStorage(location, keys).catch((reason: unknown) => reason);
    expect(String(error)).toMatch(
      /encrypted under key [0-9a-f]{16}.*ASSAY_ENCRYPTION_KEY\b.*ASSAY_ENCRYPTION_KEYS_OLD/,
    );
    expect(String(error)).not.toContain(apiSecret);
  });

  test('move to a new key by encrypting them again, and from plain text to a key', async () => {
    const location = await create();
    const plain = await newMerchant(location, []);
    const old = await newMerchant(location, [first]);
    const keys = [second, first];
    const late = await newMerchant(location, keys);
    for (const { apiKey, apiSecret } of [plain, old, late])
      expect(await secretsOf(location, keys, apiKey)).toEqual([apiSecret, apiSecret]);
    expect(new Set((await rawKeys(location)).map(({ encryption_key }) => encryption_key)).size).toBe(3);

    expect(await reEncrypt(location, keys)).toBe(3);
    const ids = (await rawKeys(location)).map(({ encryption_key }) => encryption_key);
    expect(new Set(ids).size).toBe(1);
    for (const { apiKey, apiSecret } of [plain, old, late])
      expect(await secretsOf(location, [second], apiKey)).toEqual([apiSecret, apiSecret]);
    await expect(openStorage(location, [first])).rejects.toThrow('ASSAY_ENCRYPTION_KEY');
  });

  test('open only in their own row and unchanged', async () => {
    const location = await create();
    const [one, other] = [await newMerchant(location, [first]), await newMerchant(location, [first])];
    const raw = await rawKeys(location);
    const sealed = raw.find((row) => row.api_key === one.apiKey)?.api_secret ?? '';
    await overwrite(location, other.apiKey, sealed);
    await expect(secretsOf(location, [first], other.apiKey)).rejects.toThrow('was changed, or is another key');
    await overwrite(location, one.apiKey, `${sealed.startsWith('A') ? 'B' : 'A'}${sealed.slice(1)}`);
    await expect(secretsOf(location, [first], one.apiKey)).rejects.toThrow('was changed, or is another key');
  });

  async function reEncrypt(location: string, keys: EncryptionKeys): Promise<number> {
    const admin = await openMerchantAdmin(location, keys);
    try {
      return await admin.reEncrypt();
    } finally {
      await admin.close();
    }
  }
});

describe('the keys of the environment', () => {
  const [one, two, three] = [first, second, randomBytes(32)].map((key) => key.toString('base64'));

  test('are the present one and the old ones', () => {
    expect(readEncryptionKeys({})).toEqual([]);
    expect(readEncryptionKeys({ ASSAY_ENCRYPTION_KEY: one })).toEqual([first]);
    const keys = readEncryptionKeys({ ASSAY_ENCRYPTION_KEY: one, ASSAY_ENCRYPTION_KEYS_OLD: `${two}, ${three}` });
    expect(keys.map((key) => key.toString('base64'))).toEqual([one, two, three]);
  });

  test.each([
    ['a short key', { ASSAY_ENCRYPTION_KEY: randomBytes(16).toString('base64') }, 'ASSAY_ENCRYPTION_KEY must be 32'],
    ['hexadecimal', { ASSAY_ENCRYPTION_KEY: first.toString('hex') }, 'ASSAY_ENCRYPTION_KEY must be 32'],
    ['text', { ASSAY_ENCRYPTION_KEY: 'correct horse battery' }, 'ASSAY_ENCRYPTION_KEY must be 32'],
    ['an old key alone', { ASSAY_ENCRYPTION_KEYS_OLD: one }, 'needs ASSAY_ENCRYPTION_KEY'],
    [
      'an old key that is none',
      { ASSAY_ENCRYPTION_KEY: one, ASSAY_ENCRYPTION_KEYS_OLD: 'short' },
      'ASSAY_ENCRYPTION_KEYS_OLD must be 32',
    ],
  ])('refuse %s, without its value', (_, environment, message) => {
    expect(() => readEncryptionKeys(environment)).toThrow(message);
    for (const value of Object.values(environment).filter((text) => text !== undefined))
      expect(() => readEncryptionKeys(environment)).not.toThrow(value);
  });
});
