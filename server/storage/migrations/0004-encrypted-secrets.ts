import type { Kysely } from 'kysely';

/** The id of the key under which a secret is encrypted. Null: the secret is plain text, as all were before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('api_keys').addColumn('encryption_key', 'text').execute();
}
