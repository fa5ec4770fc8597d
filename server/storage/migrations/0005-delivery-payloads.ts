import type { Kysely } from 'kysely';
import { sql } from '../kysely.ts';

/** How many deliveries are read at once; each may be large. */
const batch = 20;

/**
 * The payloads of deliveries in a table of their own, out of their documents. A database writes a whole row for each claim and
 * each attempt, and a payload never changes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('delivery_payloads')
    .addColumn('delivery_id', 'text', (column) => column.notNull().primaryKey().references('deliveries.delivery_id'))
    .addColumn('payload', 'text', (column) => column.notNull())
    .execute();
  for (let last = 0; ; ) {
    const { rows } = await sql<{ ordinal: number; delivery_id: string; document: string }>`
      select ordinal, delivery_id, document from deliveries where ordinal > ${last} order by ordinal limit ${sql.lit(batch)}
    `.execute(db);
    for (const { ordinal, delivery_id, document } of rows) {
      const { payload, ...rest } = JSON.parse(document);
      await sql`insert into delivery_payloads (delivery_id, payload) values (${delivery_id}, ${JSON.stringify(payload)})`.execute(
        db,
      );
      await sql`update deliveries set document = ${JSON.stringify(rest)} where ordinal = ${ordinal}`.execute(db);
      last = ordinal;
    }
    if (rows.length < batch) return;
  }
}
