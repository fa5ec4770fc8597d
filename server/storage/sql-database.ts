import type { DatabaseConnection, Driver, Kysely } from 'kysely';
import type { Database } from './schema.ts';

/** An open database, and the properties in which the two kinds differ. */
export interface SqlDatabase {
  /** For migrations. It uses the driver too. */
  db: Kysely<Database>;
  driver: SqlDriver;
  /**
   * True: several transactions run at once and rows are locked one by one. False: a transaction has the database to
   * itself.
   */
  rowLocks: boolean;
  /** True for an error after which the same transaction may succeed when it is run again. */
  isConflict(error: unknown): boolean;
  /** Must be called once the schema is up to date. From then on no statement takes long. */
  migrated(): void;
}

/** Gives connections, each to one user at a time. */
export interface SqlDriver extends Driver {
  acquireConnection(): Promise<SqlConnection>;
}

/** A connection that runs hand-written statements, too. */
export interface SqlConnection extends DatabaseConnection, Statements {}

/** A hand-written statement. `$1`, `$2` … stand for the values, each once and in this order, which both databases understand. */
export interface Statement {
  text: string;
  values: readonly unknown[];
  /** Whether the text changes with the number of the values. The database does not keep such a statement prepared. */
  varies?: boolean;
}

/** The outcome of a statement: the rows that it finds, and the number of those that it writes. */
export interface Outcome<Row> {
  rows: Row[];
  changes: number;
}

/** Runs statements. */
export interface Statements {
  run<Row>(statement: Statement): Promise<Outcome<Row>>;
}
