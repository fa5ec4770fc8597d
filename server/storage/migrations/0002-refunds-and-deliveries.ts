import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import { PostgresAdapter } from '../kysely.ts';

/** Refunds, webhook deliveries, and the ledger that holds each merchant's balance. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The column has no default: a merchant from before this migration has neither paid in nor drawn anything.
  await db.schema.alterTable('merchants').addColumn('ledger', 'text').execute();

  const ordinal = ordinalColumn(db);
  await db.schema
    .createTable('refunds')
    .addColumn('ordinal', ordinal.type, ordinal.build)
    .addColumn('refund_order_id', 'text', (column) => column.notNull().unique())
    .addColumn('merchant_id', 'text', (column) => column.notNull().references('merchants.merchant_id'))
    .addColumn('merchant_refund_order_id', 'text', (column) => column.notNull())
    .addColumn('acquiring_order_id', 'text', (column) => column.notNull())
    .addColumn('due_at', 'bigint')
    .addColumn('document', 'text', (column) => column.notNull())
    .addUniqueConstraint('refunds_identity', ['merchant_id', 'merchant_refund_order_id'])
    .execute();
  await db.schema
    .createIndex('refunds_order')
    .on('refunds')
    .columns(['merchant_id', 'acquiring_order_id', 'ordinal'])
    .execute();
  await db.schema
    .createIndex('refunds_due')
    .on('refunds')
    .columns(['merchant_id', 'due_at'])
    .where('due_at', 'is not', null)
    .execute();

  await db.schema
    .createTable('deliveries')
    .addColumn('ordinal', ordinal.type, ordinal.build)
    .addColumn('delivery_id', 'text', (column) => column.notNull().unique())
    .addColumn('merchant_id', 'text', (column) => column.notNull().references('merchants.merchant_id'))
    .addColumn('due_at', 'bigint')
    .addColumn('claimed_until', 'bigint')
    .addColumn('document', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('deliveries_merchant').on('deliveries').columns(['merchant_id', 'ordinal']).execute();
  await db.schema
    .createIndex('deliveries_due')
    .on('deliveries')
    .columns(['merchant_id', 'due_at'])
    .where('due_at', 'is not', null)
    .execute();
}

/**
 * A number that the database gives each new row, larger than all earlier ones. It is the primary key because SQLite can
 * only number a primary key, and only one of exactly this type.
 */
function ordinalColumn(db: Kysely<unknown>) {
  const postgres = db.getExecutor().adapter instanceof PostgresAdapter;
  return {
    type: postgres ? 'bigint' : 'integer',
    build: (column: ColumnDefinitionBuilder) =>
      postgres ? column.generatedAlwaysAsIdentity().primaryKey() : column.autoIncrement().primaryKey(),
  } as const;
}
