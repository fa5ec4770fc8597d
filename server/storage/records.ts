import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { ApiKey, Merchant } from '../domain/merchant.ts';
import type { Order } from '../domain/order.ts';
import type { OrderIdentity, Reads, Records } from '../services/ports.ts';
import type { ApiKeysTable, Database, MerchantsTable, OrdersTable } from './schema.ts';

/** Lookups, in or outside a transaction. */
export class SqlReads implements Reads {
  protected readonly db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.db = db;
  }

  findMerchant(merchantId: string): Promise<Merchant | undefined> {
    return this.readMerchant(merchantId, { lock: false });
  }

  async findApiKey(apiKey: string): Promise<ApiKey | undefined> {
    if (!isStorable(apiKey)) return undefined;
    const [row] = await this.run(this.db.selectFrom('api_keys').selectAll().where('api_key', '=', apiKey));
    return row && toApiKey(row);
  }

  async listApiKeys(merchantId: string): Promise<ApiKey[]> {
    if (!isStorable(merchantId)) return [];
    const keys = this.db.selectFrom('api_keys').selectAll().where('merchant_id', '=', merchantId);
    const rows = await this.run(keys.orderBy('created_at').orderBy('api_key'));
    return rows.map(toApiKey);
  }

  async findOrder({ product, merchantId, merchantOrderId }: OrderIdentity): Promise<Order | undefined> {
    if (!isStorable(merchantId) || !isStorable(merchantOrderId)) return undefined;
    const [row] = await this.run(
      this.db
        .selectFrom('orders')
        .select('document')
        .where('product', '=', product)
        .where('merchant_id', '=', merchantId)
        .where('merchant_order_id', '=', merchantOrderId),
    );
    return row && toOrder(row);
  }

  findOrderById(merchantId: string, orderId: string): Promise<Order | undefined> {
    return this.readOrder(merchantId, orderId, { lock: false });
  }

  protected async readMerchant(merchantId: string, { lock }: { lock: boolean }): Promise<Merchant | undefined> {
    if (!isStorable(merchantId)) return undefined;
    const query = this.db.selectFrom('merchants').selectAll().where('merchant_id', '=', merchantId);
    const [row] = await this.run(lock ? query.forNoKeyUpdate() : query);
    return row && toMerchant(row);
  }

  protected async readOrder(
    merchantId: string,
    orderId: string,
    { lock }: { lock: boolean },
  ): Promise<Order | undefined> {
    if (!isStorable(merchantId) || !isStorable(orderId)) return undefined;
    const query = this.db
      .selectFrom('orders')
      .select('document')
      .where('order_id', '=', orderId)
      .where('merchant_id', '=', merchantId);
    const [row] = await this.run(lock ? query.forNoKeyUpdate() : query);
    return row && toOrder(row);
  }

  protected run<Row>(statement: Statement<Row>): Promise<Row[]> {
    return statement.execute();
  }
}

/** Lookups and writes inside one transaction. */
export class SqlRecords extends SqlReads implements Records {
  readonly #rowLocks: boolean;
  #failure: { error: unknown } | undefined;

  /**
   * Row locks, where the database has them, leave the key alone (`for no key update`): an insert that refers to a locked
   * merchant does not wait, and two creates that then lock their merchant do not block each other for good.
   */
  constructor(db: Transaction<Database>, rowLocks: boolean) {
    super(db);
    this.#rowLocks = rowLocks;
  }

  async insertMerchant(merchant: Merchant): Promise<void> {
    await this.run(this.db.insertInto('merchants').values(fromMerchant(merchant)));
  }

  async insertApiKey(apiKey: ApiKey): Promise<void> {
    await this.run(this.db.insertInto('api_keys').values(fromApiKey(apiKey)));
  }

  lockMerchant(merchantId: string): Promise<Merchant | undefined> {
    return this.readMerchant(merchantId, { lock: this.#rowLocks });
  }

  async updateMerchant(merchant: Merchant): Promise<void> {
    const { merchant_id, ...values } = fromMerchant(merchant);
    const [result] = await this.run(
      this.db.updateTable('merchants').set(values).where('merchant_id', '=', merchant_id),
    );
    if (result?.numUpdatedRows !== 1n) throw new Error(`There is no merchant ${merchant_id} to update.`);
  }

  async insertOrder(order: Order): Promise<boolean> {
    const [result] = await this.run(
      this.db
        .insertInto('orders')
        .values(fromOrder(order))
        .onConflict((conflict) => conflict.columns(['product', 'merchant_id', 'merchant_order_id']).doNothing()),
    );
    return result?.numInsertedOrUpdatedRows === 1n;
  }

  lockOrder(merchantId: string, orderId: string): Promise<Order | undefined> {
    return this.readOrder(merchantId, orderId, { lock: this.#rowLocks });
  }

  async updateOrder(order: Order): Promise<void> {
    const { order_id, ...values } = fromOrder(order);
    const [result] = await this.run(this.db.updateTable('orders').set(values).where('order_id', '=', order_id));
    if (result?.numUpdatedRows !== 1n) throw new Error(`There is no order ${order_id} to update.`);
  }

  async lockDueOrders(now: number, limit: number, merchantId?: string): Promise<Order[]> {
    if (merchantId !== undefined && !isStorable(merchantId)) return [];
    let query = this.db
      // A cross join keeps SQLite to this order, merchants outside, so that the index finds each one's due orders.
      .selectFrom('merchants')
      .crossJoin('orders')
      .select('orders.document')
      .whereRef('orders.merchant_id', '=', 'merchants.merchant_id')
      .where('orders.due_at', 'is not', null)
      .where('orders.due_at', '<=', sql<number>`cast(${now} as bigint) + ${sql.ref('merchants.clock_offset')}`)
      .orderBy('orders.due_at')
      .orderBy('orders.order_id')
      .limit(limit);
    if (merchantId !== undefined) query = query.where('merchants.merchant_id', '=', merchantId);
    const rows = await this.run(this.#rowLocks ? query.forNoKeyUpdate('orders').skipLocked() : query);
    return rows.map(toOrder);
  }

  /**
   * Throws the first error of a statement, also when the work caught it: PostgreSQL then undoes everything at commit
   * without a word, SQLite would keep the rest.
   */
  assertNothingFailed(): void {
    if (this.#failure) throw this.#failure.error;
  }

  protected override async run<Row>(statement: Statement<Row>): Promise<Row[]> {
    try {
      return await super.run(statement);
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }
}

interface Statement<Row> {
  execute(): Promise<Row[]>;
}

/**
 * False for text that no id can be, because a database could not keep it as it is: PostgreSQL takes no NUL, libsql reads
 * up to the first one, and UTF-8 has no lone surrogates. JSON documents are safe: they hold both as escapes.
 */
function isStorable(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}

function storable(text: string): string {
  if (!isStorable(text)) throw new Error('An id or secret with a NUL or a lone surrogate cannot be stored.');
  return text;
}

function fromMerchant({ merchantId, settings, clockOffset, createdAt }: Merchant): MerchantsTable {
  return {
    merchant_id: storable(merchantId),
    settings: JSON.stringify(settings),
    clock_offset: clockOffset,
    created_at: createdAt,
  };
}

function toMerchant(row: MerchantsTable): Merchant {
  return {
    merchantId: row.merchant_id,
    settings: JSON.parse(row.settings),
    clockOffset: row.clock_offset,
    createdAt: row.created_at,
  };
}

function fromApiKey({ apiKey, merchantId, apiSecret, createdAt, endsAt }: ApiKey): ApiKeysTable {
  return {
    api_key: storable(apiKey),
    merchant_id: storable(merchantId),
    api_secret: storable(apiSecret),
    created_at: createdAt,
    ends_at: endsAt,
  };
}

function toApiKey(row: ApiKeysTable): ApiKey {
  return {
    apiKey: row.api_key,
    merchantId: row.merchant_id,
    apiSecret: row.api_secret,
    createdAt: row.created_at,
    endsAt: row.ends_at,
  };
}

function fromOrder(order: Order): OrdersTable {
  return {
    order_id: storable(order.orderId),
    product: order.product,
    merchant_id: storable(order.merchantId),
    merchant_order_id: storable(order.merchantOrderId),
    status: order.status,
    due_at: order.dueAt,
    document: JSON.stringify(order),
  };
}

function toOrder(row: Pick<OrdersTable, 'document'>): Order {
  return JSON.parse(row.document);
}
