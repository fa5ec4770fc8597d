import type { Kysely } from 'kysely';
import type { Database } from './schema.ts';

/** A database that is open, and what sets it apart from the other kind. */
export interface SqlDatabase {
  db: Kysely<Database>;
  /** True: several transactions run at once and rows are locked one by one. False: a transaction has the database to itself. */
  rowLocks: boolean;
  /** True for an error after which the same transaction may succeed when it is run again. */
  isConflict(error: unknown): boolean;
  /** To be called once the schema is up to date: from then on no statement takes long. */
  migrated(): void;
}
