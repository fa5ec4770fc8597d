/**
 * What the storage uses of Kysely. `npm run build` puts Kysely itself into this module, since loading Kysely's 240 files took a sixth of
 * the start of the server.
 */
export {
  Kysely,
  Migrator,
  PostgresAdapter,
  PostgresDialect,
  SqliteAdapter,
  SqliteDialect,
  sql,
} from 'kysely';
