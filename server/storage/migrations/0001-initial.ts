import type { Kysely } from 'kysely';

/** Merchants, their keys, and orders. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('merchants')
    .addColumn('merchant_id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('settings', 'text', (column) => column.notNull())
    .addColumn('clock_offset', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('api_keys')
    .addColumn('api_key', 'text', (column) => column.notNull().primaryKey())
    .addColumn('merchant_id', 'text', (column) => column.notNull().references('merchants.merchant_id'))
    .addColumn('api_secret', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('ends_at', 'bigint')
    .execute();
  await db.schema.createIndex('api_keys_merchant').on('api_keys').column('merchant_id').execute();

  // JSON is stored in text columns because jsonb would reorder fields and refuse an escaped NUL.
  await db.schema
    .createTable('orders')
    .addColumn('order_id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('product', 'text', (column) => column.notNull())
    .addColumn('merchant_id', 'text', (column) => column.notNull().references('merchants.merchant_id'))
    .addColumn('merchant_order_id', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('due_at', 'bigint')
    .addColumn('document', 'text', (column) => column.notNull())
    .addUniqueConstraint('orders_identity', ['product', 'merchant_id', 'merchant_order_id'])
    .execute();
  await db.schema
    .createIndex('orders_due')
    .on('orders')
    .columns(['merchant_id', 'due_at'])
    .where('due_at', 'is not', null)
    .execute();
}
