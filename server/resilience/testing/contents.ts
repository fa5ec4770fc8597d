import type { Kysely } from 'kysely';
import type { DeliveryWithPayload } from '../../domain/delivery.ts';
import type { Merchant } from '../../domain/merchant.ts';
import type { Order } from '../../domain/order.ts';
import type { Refund } from '../../domain/refund.ts';
import { sql } from '../../storage/kysely.ts';
import { openPostgres } from '../../storage/postgres.ts';
import { toDelivery, toMerchant, toOrder, toRefund, withPayload } from '../../storage/rows.ts';
import type { Database } from '../../storage/schema.ts';
import { openSqlite } from '../../storage/sqlite.ts';

/** All merchant data of a database, in the order of its keys. */
export interface Contents {
  merchants: Merchant[];
  orders: Order[];
  refunds: Refund[];
  deliveries: DeliveryWithPayload[];
}

/** Opens a separate connection to a database, past the server. */
export function openDatabase(location: string): Kysely<Database> {
  return (location.startsWith('postgres') ? openPostgres(location) : openSqlite(location)).db;
}

/** Reads the contents of a database. Nothing may be written meanwhile, because the tables are read one by one. */
export async function readContents(db: Kysely<Database>): Promise<Contents> {
  return {
    merchants: (await db.selectFrom('merchants').selectAll().orderBy('merchant_id').execute()).map(toMerchant),
    orders: (await db.selectFrom('orders').selectAll().orderBy('order_id').execute()).map(toOrder),
    refunds: (await db.selectFrom('refunds').selectAll().orderBy('ordinal').execute()).map(toRefund),
    deliveries: (
      await db
        .selectFrom('deliveries')
        .innerJoin('delivery_payloads', 'delivery_payloads.delivery_id', 'deliveries.delivery_id')
        .select(['document', 'claimed_until', 'payload'])
        .orderBy('ordinal')
        .execute()
    ).map((row) => withPayload(toDelivery(row), row)),
  };
}

/**
 * The contents of the database at a location as they are at one moment: PostgreSQL may still carry out what a server had asked for before
 * it was killed.
 */
export async function contentsOf(location: string): Promise<Contents> {
  const db = openDatabase(location);
  const begin = location.startsWith('postgres') ? sql`begin isolation level repeatable read` : sql`begin`;
  return db
    .connection()
    .execute(async (connection) => {
      await begin.execute(connection);
      const contents = await readContents(connection);
      await sql`commit`.execute(connection);
      return contents;
    })
    .finally(() => db.destroy());
}
