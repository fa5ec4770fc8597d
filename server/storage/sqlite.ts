import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CompiledQuery, QueryResult } from 'kysely';
import Libsql from 'libsql';
import { Kysely, SqliteAdapter, SqliteDialect } from './kysely.ts';
import type { Database } from './schema.ts';
import type { Outcome, SqlConnection, SqlDatabase, SqlDriver, Statement } from './sql-database.ts';

/** How long a write waits while another process has the file locked, in milliseconds. */
const busyTimeout = 5000;

/**
 * What a commit survives: `power-cut`, for which SQLite waits until the disk has written it, or `process-end`, for which it only hands it to the
 * operating system. After a power cut the file is whole in both cases, but without the last commits in the second.
 */
export type Durability = 'power-cut' | 'process-end';

/**
 * Opens a SQLite database on a single connection. All users of the connection wait their turn, so reads never see a
 * transaction that is still open.
 *
 * @param location a file, created with its directories when missing, or `:memory:`
 * @param durability what its commits survive
 * @throws Error that names the file when it cannot be opened
 */
export function openSqlite(location: string, durability: Durability = 'power-cut'): SqlDatabase {
  const connection = connect(location, durability);
  const driver = new LibsqlDriver(connection);
  return {
    db: new Kysely<Database>({ dialect: new LibsqlDialect(connection, driver) }),
    driver,
    rowLocks: false,
    // Transactions take the write lock at their start, so they queue and never conflict halfway.
    isConflict: () => false,
    migrated: () => {},
  };
}

function connect(location: string, durability: Durability): Libsql.Database {
  let connection: Libsql.Database | undefined;
  try {
    if (location !== ':memory:') keepPrivate(location);
    connection = new Libsql(location);
    connection.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
    switchToWal(connection);
    const synchronous = durability === 'power-cut' ? 'FULL' : 'NORMAL';
    connection.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA foreign_keys = ON`);
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

/**
 * Lets reads go on beside a write. Where several processes switch a new file at the same moment, SQLite refuses all but one of them
 * without regard to the busy timeout, because each of them waits for the others.
 */
function switchToWal(connection: Libsql.Database): void {
  const latest = Date.now() + busyTimeout;
  for (;;) {
    try {
      connection.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!(error instanceof Libsql.SqliteError) || error.code !== 'SQLITE_BUSY' || Date.now() > latest) throw error;
      pause(5);
    }
  }
}

/** Stands still for some milliseconds, as SQLite itself does while it waits for a lock. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Makes folder and file, readable by their owner only, because the file holds secrets. SQLite's further files get the file's mode. */
function keepPrivate(location: string): void {
  mkdirSync(dirname(location), { recursive: true, mode: 0o700 });
  closeSync(openSync(location, 'a', 0o600));
  chmodSync(location, 0o600);
}

class LibsqlDialect extends SqliteDialect {
  readonly #driver: LibsqlDriver;

  constructor(connection: Libsql.Database, driver: LibsqlDriver) {
    super({ database: connection });
    this.#driver = driver;
  }

  override createDriver(): LibsqlDriver {
    return this.#driver;
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

/** Gives the one connection to its users in turn. */
class LibsqlDriver implements SqlDriver {
  readonly #database: Libsql.Database;
  readonly #connection: LibsqlConnection;
  /** Those who wait for their turn; `undefined` while nobody has the connection. */
  #waiting: (() => void)[] | undefined;

  constructor(database: Libsql.Database) {
    this.#database = database;
    this.#connection = new LibsqlConnection(database);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<LibsqlConnection> {
    const waiting = this.#waiting;
    if (waiting) await new Promise<void>((resolve) => waiting.push(resolve));
    else this.#waiting = [];
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    const next = this.#waiting?.shift();
    if (next) next();
    else this.#waiting = undefined;
  }

  async beginTransaction(connection: LibsqlConnection): Promise<void> {
    // A plain `begin` takes the write lock at the first write, which fails at once if another process has committed.
    await connection.run({ text: 'begin immediate', values: [] });
  }

  async commitTransaction(connection: LibsqlConnection): Promise<void> {
    await connection.run({ text: 'commit', values: [] });
  }

  async rollbackTransaction(connection: LibsqlConnection): Promise<void> {
    // After some errors, such as a full disk, SQLite has already rolled back. The caller then gets that error.
    if (this.#database.inTransaction) await connection.run({ text: 'rollback', values: [] });
  }

  async destroy(): Promise<void> {
    // Closing waits for its turn: libsql ends the whole process when a connection closed in a transaction is used.
    await this.acquireConnection();
    this.#connection.close();
    await this.releaseConnection();
  }
}

/**
 * A connection that prepares each statement once, because preparing takes longer than running most statements. There are
 * few statements, because values are bound. SQLite itself prepares a statement again when the schema has changed.
 */
class LibsqlConnection implements SqlConnection {
  readonly #database: Libsql.Database;
  readonly #statements = new Map<string, Run>();
  #isClosed = false;

  constructor(database: Libsql.Database) {
    this.#database = database;
  }

  async run<Row>({ text, values }: Statement): Promise<Outcome<Row>> {
    // libsql ends the whole process when a statement of a closed connection runs.
    if (this.#isClosed) throw new Error('The database is closed.');
    const run = this.#statements.get(text) ?? prepared(this.#database, text);
    this.#statements.set(text, run);
    const { rows, changes } = run(values);
    return { rows: rows as Row[], changes };
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, changes } = await this.run<Row>({ text: sql, values: parameters });
    return { rows, numAffectedRows: BigInt(changes) };
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Nothing is read as a stream.');
  }

  close(): void {
    this.#isClosed = true;
    this.#statements.clear();
    this.#database.close();
  }
}

type Run = (values: readonly unknown[]) => Outcome<unknown>;

/**
 * A prepared statement. The libsql statement checks on every use whether it reads, and makes room for a hundred rows even
 * where there can be only one.
 */
function prepared(database: Libsql.Database, text: string): Run {
  const statement = database.prepare(text);
  if (!statement.reader) return (values) => ({ rows: [], changes: statement.run(values).changes });
  if (!/\blimit 1$/.test(text)) return (values) => ({ rows: statement.all(values), changes: 0 });
  return (values) => {
    const row: unknown = statement.get(values);
    return { rows: row === undefined ? [] : [row], changes: 0 };
  };
}
