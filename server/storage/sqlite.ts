import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely';
import Libsql from 'libsql';
import type { Database } from './schema.ts';
import type { SqlDatabase } from './sql-database.ts';

/** How long a write waits for another process that has the file locked. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens a SQLite database on its one connection. Everything that uses it waits its turn, so reads never see a transaction
 * that is still open.
 *
 * @param location a file, made when missing together with its directories, or `:memory:`
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
    if (location !== ':memory:') mkdirSync(dirname(location), { recursive: true });
    connection = new Libsql(location);
    // First, because switching to WAL may itself have to wait for another process.
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

/** Lets migrations run in a transaction, so that two processes that start on one file queue and a crash leaves nothing half done. */
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
    // A plain `begin` takes the write lock at the first write, where another process's commit would make it fail at once.
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // After some errors, such as a full disk, SQLite has rolled back already; then that error is the one to report.
    if (this.#connection.inTransaction) await super.rollbackTransaction(connection);
  }

  override async destroy(): Promise<void> {
    // Waits for its turn: libsql ends the whole process when a connection is used that was closed in a transaction.
    await this.acquireConnection();
    try {
      await super.destroy();
    } finally {
      await this.releaseConnection();
    }
  }
}

/**
 * The same connection, which prepares each statement once: preparing takes longer than most statements. Statements are few,
 * because values are bound; SQLite itself prepares one anew when the schema has changed.
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
 * What the driver needs of a statement. The statement itself finds out at every use whether it reads, and makes room for a
 * hundred rows also where there can only be one.
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
