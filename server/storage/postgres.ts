import { createHash } from 'node:crypto';
import { Socket } from 'node:net';
import type { CompiledQuery, QueryResult } from 'kysely';
import pg from 'pg';
import { Kysely, PostgresDialect } from './kysely.ts';
import type { Database } from './schema.ts';
import type { Outcome, SqlConnection, SqlDatabase, SqlDriver, Statement } from './sql-database.ts';

/** The most connections of one server. */
const poolSize = 20;

/** How long a connection may take to be made, and a statement to be answered, in milliseconds. */
const connectTimeout = 10_000;
const answerTimeout = 10_000;

/** serialization_failure and deadlock_detected: the server rolled the transaction back because of another one. */
const conflicts = new Set(['40001', '40P01']);

/**
 * Creates a pool of connections to a PostgreSQL server. The first query connects.
 *
 * @param url `postgres://user:password@host:port/database`
 * @throws Error, without the address, when the address cannot be understood
 */
export function openPostgres(url: string): SqlDatabase {
  const server = describeServer(url);
  let isMigrated = false;
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    // Without this timeout, queries to a server that vanished silently would wait for hours.
    stream: () => {
      const socket = new Socket();
      return socket.setTimeout(answerTimeout, () => {
        if (isMigrated) socket.destroy(new Error(`PostgreSQL did not answer within ${answerTimeout / 1000} s`));
      });
    },
    types: safeIntegers(),
  });
  // Losing a connection must not end the process, whether the connection is idle in the pool or between two queries of
  // a transaction. The pool drops the connection, and the next query on it fails, which tells its user.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const driver = new PoolDriver(pool, server);
  return {
    db: new Kysely<Database>({ dialect: new PoolDialect(pool, driver) }),
    driver,
    rowLocks: true,
    isConflict: (error) => conflicts.has(errorCode(error)),
    migrated: () => {
      isMigrated = true;
    },
  };
}

/** The place of a server, and the credentials that must not be shown. */
interface Server {
  place: string;
  secrets: string[];
}

function describeServer(url: string): Server {
  try {
    // An unencoded slash in a password would end the host early, and the rest would be shown as port and database.
    if (/^\w+:\/\/[^/?#]*[/?#].*@/.test(url)) throw new Error('unencoded');
    // The client applies the same defaults and environment variables as the pool.
    const { host, port, database, user, password } = new pg.Client({ connectionString: url });
    return {
      place: `${host}:${port}, database "${database}"`,
      secrets: [user ?? '', password ?? ''].filter((text) => text !== ''),
    };
  } catch {
    // The original error would show the address, and with it the password.
    throw new Error(
      'The PostgreSQL address cannot be understood. Write it as postgres://USER:PASSWORD@HOST:PORT/DATABASE, ' +
        'and percent-encode special characters in the user name and the password.',
    );
  }
}

/** Reads bigint columns, which arrive as text, as numbers. This applies to this pool only. */
function safeIntegers(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, (text) => {
    const value = Number(text);
    if (!Number.isSafeInteger(value)) throw new Error(`The database holds an integer that is too large: ${text}`);
    return value;
  });
  return types;
}

class PoolDialect extends PostgresDialect {
  readonly #driver: PoolDriver;

  constructor(pool: pg.Pool, driver: PoolDriver) {
    super({ pool });
    this.#driver = driver;
  }

  override createDriver(): PoolDriver {
    return this.#driver;
  }
}

class PoolDriver implements SqlDriver {
  readonly #pool: pg.Pool;
  readonly #server: Server;
  /** One connection object for each client, because Kysely keeps its state of a connection with the object. */
  readonly #connections = new WeakMap<pg.PoolClient, PoolConnection>();

  constructor(pool: pg.Pool, server: Server) {
    this.#pool = pool;
    this.#server = server;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PoolConnection> {
    try {
      const client = await this.#pool.connect();
      const connection = this.#connections.get(client) ?? new PoolConnection(client);
      this.#connections.set(client, connection);
      return connection;
    } catch (error) {
      // The cause is left out because it may name the user.
      throw new Error(
        `Cannot connect to PostgreSQL at ${this.#server.place}: ${connectReason(error, this.#server.secrets)}`,
      );
    }
  }

  async beginTransaction({ client }: PoolConnection): Promise<void> {
    // The isolation level is explicit because a server can have another default. Rows that must not change are locked.
    // At a higher level, a create that lost against its twin could not see the order that won.
    await client.query('start transaction isolation level read committed');
  }

  async commitTransaction({ client }: PoolConnection): Promise<void> {
    await client.query('commit');
  }

  async rollbackTransaction({ client }: PoolConnection): Promise<void> {
    // A rollback fails when the connection is lost. The server then rolls back by itself, and the first error says
    // more.
    await client.query('rollback').catch(() => {});
  }

  async releaseConnection({ client }: PoolConnection): Promise<void> {
    client.release();
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}

class PoolConnection implements SqlConnection {
  readonly client: pg.PoolClient;

  constructor(client: pg.PoolClient) {
    this.client = client;
  }

  async run<Row>({ text, values, varies = false }: Statement): Promise<Outcome<Row>> {
    // A statement is prepared once on each connection because planning takes longer than the rest.
    const statement = { text, values: [...values] };
    const result = await this.client.query(varies ? statement : { name: nameOf(text), ...statement });
    return { rows: result.rows, changes: result.rowCount ?? 0 };
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, changes } = await this.run<Row>({ text: sql, values: parameters, varies: true });
    return { rows, numAffectedRows: BigInt(changes) };
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Nothing is read as a stream.');
  }
}

const names = new Map<string, string>();

/** A statement name that is unique, also among other programs behind the same pool of connections. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `assay_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  names.set(text, name);
  return name;
}

function connectReason(error: unknown, secrets: string[]): string {
  switch (errorCode(error)) {
    case 'ECONNREFUSED':
      return 'nothing answers there. Check that the server runs, and the host and port.';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host name is not known. Check the host.';
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'the host cannot be reached. Check the host, the network and firewalls.';
    case '28P01':
    case '28000':
      return 'the server refuses this user. Check the user name, the password and the rules in pg_hba.conf.';
    case '3D000':
      return 'there is no such database. Create it, or check its name.';
    case '53300':
      return `the server has no connection left. Raise its max_connections; each Assay server takes up to ${poolSize}.`;
    default: {
      const message = error instanceof Error && error.message !== '' ? error.message : 'no reason given';
      const shown = secrets.some((secret) => message.includes(secret)) ? 'the server refuses' : message;
      return `${shown}. Check the address, and the load and the log of the server.`;
    }
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
