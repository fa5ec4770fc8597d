import { setTimeout } from 'node:timers/promises';
import type { Records, Storage } from '../services/ports.ts';
import { Migrator } from './kysely.ts';
import { migrations } from './migrations/index.ts';
import { unpackBeside } from './native-part.ts';
import { SqlReads, SqlRecords } from './records.ts';
import type { ApiKeysTable } from './schema.ts';
import { type EncryptionKeys, type SecretBox, secretBox, unknownKey } from './secret-box.ts';
import type { SqlDatabase, Statements } from './sql-database.ts';
import type { Durability } from './sqlite.ts';
import { singly, transact } from './transact.ts';

/** The maximum number of attempts for a transaction that conflicts with others. */
const mostAttempts = 5;
/** The pause before such an attempt, in milliseconds. */
const retryPause = 20;

/**
 * Opens a database and brings its schema up to date.
 * With SQLite a transaction has the database to itself: `work` must use only its records and not `storage.reads`, which
 * would wait for the transaction to end. When the connection to PostgreSQL is lost during the commit itself, the
 * promise rejects although the server may have committed.
 *
 * @param location `:memory:`, the path of a SQLite file (created with its directories when missing), or
 *   `postgres://user:password@host:port/database`
 * @param encryptionKeys the keys of the merchants' secrets; without any, new secrets are stored as plain text
 * @param durability what commits to a SQLite file survive; PostgreSQL has settings of its own for this
 * @throws Error that says which database cannot be used and what to do, without user name or password
 */
export async function openStorage(
  location: string,
  encryptionKeys: EncryptionKeys = [],
  durability: Durability = 'power-cut',
): Promise<Storage> {
  const secrets = secretBox(encryptionKeys);
  const database = await open(location, durability);
  const statements = singly(database.driver);
  try {
    await ping(statements);
    await migrate(database);
    await expectKnownKeys(statements, secrets);
    database.migrated();
  } catch (error) {
    await database.driver.destroy();
    throw error;
  }
  let closed: Promise<void> | undefined;
  return {
    reads: new SqlReads(statements, secrets),
    insertOrder: (order) =>
      retryConflicts(database, () => new SqlRecords(statements, secrets, database.rowLocks).insertOrder(order)),
    transaction: (work) => retryConflicts(database, () => withRecords(database, secrets, work)),
    ping: () => ping(statements),
    close: () => {
      closed ??= database.driver.destroy();
      return closed;
    },
  };
}

/** Loads the driver of the chosen database only, because the other driver is never used. */
async function open(location: string, durability: Durability): Promise<SqlDatabase> {
  if (/^postgres(ql)?:\/\//.test(location)) return (await import('./postgres.ts')).openPostgres(location);
  // A scheme needs at least two letters because a single letter is a drive on Windows.
  const scheme = /^[a-z][a-z0-9+.-]+:/i.exec(location)?.[0];
  if (scheme !== undefined || location === '') {
    // The message shows only the scheme because the rest may hold a password.
    throw new Error(
      `The database ${scheme === undefined ? 'is not named' : `cannot be a ${scheme} address`}. ` +
        'Give :memory:, the path of a SQLite file, or postgres://USER:PASSWORD@HOST:PORT/DATABASE.',
    );
  }
  unpackBeside(location);
  return (await import('./sqlite.ts')).openSqlite(location, durability);
}

async function ping(statements: Statements): Promise<void> {
  await statements.run({ text: 'select 1', values: [] });
}

async function migrate({ db }: SqlDatabase): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const reason = error instanceof Error ? error.message : String(error);
  throw new Error(
    `The database schema cannot be brought up to date: ${reason}. ` +
      'Check that the database is for Assay alone, that its user may create tables, and that no newer version has used it.',
    { cause: error },
  );
}

/** Throws an error that names what to set when the database holds secrets under a key that was not given. */
async function expectKnownKeys(statements: Statements, secrets: SecretBox): Promise<void> {
  const { rows } = await statements.run<Pick<ApiKeysTable, 'encryption_key'>>({
    text: 'select distinct encryption_key from api_keys',
    values: [],
  });
  for (const { encryption_key: keyId } of rows) {
    if (keyId !== null && !secrets.knows(keyId)) throw unknownKey(keyId);
  }
}

function withRecords<T>(
  { driver, rowLocks }: SqlDatabase,
  secrets: SecretBox,
  work: (records: Records) => Promise<T>,
): Promise<T> {
  return transact(driver, async (statements) => {
    const records = new SqlRecords(statements, secrets, rowLocks);
    const result = await work(records);
    records.assertNothingFailed();
    return result;
  });
}

async function retryConflicts<T>(database: SqlDatabase, write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (attempt === mostAttempts || !database.isConflict(error)) throw error;
      // A short pause lets the other transaction get the locks it waits for first.
      await setTimeout(Math.random() * retryPause * attempt);
    }
  }
}
