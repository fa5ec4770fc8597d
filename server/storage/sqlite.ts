import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseConnection, SqliteDatabase, SqliteStatement } from 'kysely';
import Libsql from 'libsql';
import { CompiledQuery, Kysely, SqliteAdapter, SqliteDialect, SqliteDriver } from './kysely.ts';
import type { Database } from './schema.ts';
import type { SqlDatabase } from './sql-database.ts';

/** How long a write waits while another process has the file locked. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens a SQLite database on a single connection. All users of the connection wait their turn, so reads never see a
 * transaction that is still open.
 *
 * @param location a file, created with its directories when missing, or `:memory:`
 * @throws Error that names the file when it cannot be opened
 */
export function openSqlite(location: string): SqlDatabase {
  const connection = connect(location);
  return {
    db: new Kysely<Database>({ dialect: new LibsqlDialect(connection) }),
    rowLocks: false,
    // Transactions take the write lock at their start, so they queue and never conflict halfway.
    isConflict: () => false,
    migrated: () => {},
  };
}

function connect(location: string): Libsql.Database {
  let connection: Libsql.Database | undefined;
  try {
    if (location !== ':memory:') keepPrivate(location);
    connection = new Libsql(location);
    // The timeout is set first because switching to WAL may itself have to wait for another process.
    connection.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
    return connection;
  } catch (error) {
    connection?.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `Cannot open the SQLite database ${location}: ${reason}. ` +
        'Check that it is a SQLite file, or does not exist yet, and that this user may write to it and its directory.',
      { cause: error },
    );
  }
}

/** Makes folder and file, readable by their owner only, because the file holds secrets. SQLite's further files get the file's mode. */
function keepPrivate(location: string): void {
  mkdirSync(dirname(location), { recursive: true, mode: 0o700 });
  closeSync(openSync(location, 'a', 0o600));
  chmodSync(location, 0o600);
}

class LibsqlDialect extends SqliteDialect {
  readonly #connection: Libsql.Database;

  constructor(connection: Libsql.Database) {
    super({ database: connection });
    this.#connection = connection;
  }

  override createDriver(): LibsqlDriver {
    return new LibsqlDriver(this.#connection);
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalDdlAdapter();
  }
}

/**
 * Lets migrations run in a transaction, so that two processes starting on one file queue up and a crash leaves no
 * migration half done.
 */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class LibsqlDriver extends SqliteDriver {
  readonly #connection: Libsql.Database;

  constructor(connection: Libsql.Database) {
    super({ database: preparedOnce(connection) });
    this.#connection = connection;
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    // A plain `begin` takes the write lock at the first write, which fails at once if another process has committed.
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // After some errors, such as a full disk, SQLite has already rolled back. The caller then gets that error.
    if (this.#connection.inTransaction) await super.rollbackTransaction(connection);
  }

  override async destroy(): Promise<void> {
    // Closing waits for its turn: libsql ends the whole process when a connection closed in a transaction is used.
    await this.acquireConnection();
    try {
      await super.destroy();
    } finally {
      await this.releaseConnection();
    }
  }
}

/**
 * The same connection, but each statement is prepared once, because preparing takes longer than running most
 * statements. There are few statements, because values are bound. SQLite itself prepares a statement again when the
 * schema has changed.
 */
function preparedOnce(connection: Libsql.Database): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    prepare(sql) {
      const statement = statements.get(sql) ?? prepared(connection, sql);
      statements.set(sql, statement);
      return statement;
    },
    close: () => connection.close(),
  };
}

/**
 * The parts of a statement that the driver needs. The libsql statement checks on every use whether it reads, and makes
 * room for a hundred rows even where there can be only one.
 */
function prepared(connection: Libsql.Database, sql: string): SqliteStatement {
  const statement = connection.prepare(sql);
  const one = (parameters: readonly unknown[]) => {
    const row: unknown = statement.get(parameters);
    return row === undefined ? [] : [row];
  };
  return {
    reader: statement.reader,
    all: /\blimit 1$/.test(sql) ? one : (parameters) => statement.all(parameters),
    run: (parameters) => statement.run(parameters),
    iterate: (parameters) => statement.iterate(parameters),
  };
}
