import type { Kysely } from 'kysely';
import type { Database } from './schema.ts';

/** An open database, and the properties in which the two kinds differ. */
export interface SqlDatabase {
  db: Kysely<Database>;
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
