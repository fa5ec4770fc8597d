import type { Kysely } from 'kysely';
import { sql } from '../kysely.ts';

/** How many deliveries are read at once; each may be large. */
const batch = 20;

/**
 * The URL of a delivery beside its document, so that work can be claimed and shared among receivers without reading
 * payloads. Deliveries that are no longer due get it when they change.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('deliveries').addColumn('url', 'text').execute();
  for (;;) {
    const { rows } = await sql<{ delivery_id: string; document: string }>`
      select delivery_id, document from deliveries where due_at is not null and url is null limit ${sql.lit(batch)}
    `.execute(db);
    for (const { delivery_id, document } of rows) {
      const url = String(JSON.parse(document).url);
      await sql`update deliveries set url = ${url} where delivery_id = ${delivery_id}`.execute(db);
    }
    if (rows.length < batch) return;
  }
}
