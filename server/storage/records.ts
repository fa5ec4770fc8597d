import { CompiledQuery, type Kysely, type QueryResult, type SqlBool, sql } from 'kysely';
import type { Delivery } from '../domain/delivery.ts';
import type { ApiKey, Merchant } from '../domain/merchant.ts';
import type { Order } from '../domain/order.ts';
import type { Refund } from '../domain/refund.ts';
import type { MerchantSummary, OrderIdentity, Reads, Records, WorkCounts } from '../services/ports.ts';
import {
  fromApiKey,
  fromDelivery,
  fromMerchant,
  fromOrder,
  fromRefund,
  isStorable,
  toApiKey,
  toDelivery,
  toMerchant,
  toOrder,
  toRefund,
} from './rows.ts';
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

  async listMerchants(now: number): Promise<MerchantSummary[]> {
    const rows = await this.run(
      this.db
        .selectFrom('merchants')
        .leftJoin('api_keys', (join) =>
          join
            .onRef('api_keys.merchant_id', '=', 'merchants.merchant_id')
            .on(({ or, eb }) => or([eb('api_keys.ends_at', 'is', null), eb('api_keys.ends_at', '>', now)])),
        )
        .select(['merchants.merchant_id', 'merchants.created_at'])
        .select(({ fn }) => fn.count<number>('api_keys.api_key').as('active_keys'))
        .groupBy(['merchants.merchant_id', 'merchants.created_at'])
        .orderBy('merchants.created_at')
        .orderBy('merchants.merchant_id'),
    );
    return rows.map((row) => ({
      merchantId: row.merchant_id,
      createdAt: row.created_at,
      activeKeys: row.active_keys,
    }));
  }

  async findApiKey(apiKey: string): Promise<ApiKey | undefined> {
    if (!isStorable(apiKey)) return undefined;
    const [row] = await this.run(this.db.selectFrom('api_keys').selectAll().where('api_key', '=', apiKey));
    return row && toApiKey(row);
  }

  async findApiKeyWithMerchant(apiKey: string): Promise<{ key: ApiKey; merchant: Merchant } | undefined> {
    if (!isStorable(apiKey)) return undefined;
    const { rows } = await this.runText<ApiKeysTable & MerchantsTable & { key_created_at: number }>(
      `select api_key, api_secret, ends_at, api_keys.created_at as key_created_at,
        merchants.merchant_id, settings, clock_offset, merchants.created_at, ledger
      from api_keys join merchants on merchants.merchant_id = api_keys.merchant_id where api_key = $1 limit 1`,
      [apiKey],
    );
    const [row] = rows;
    return row && { key: toApiKey({ ...row, created_at: row.key_created_at }), merchant: toMerchant(row) };
  }

  async listApiKeys(merchantId: string): Promise<ApiKey[]> {
    if (!isStorable(merchantId)) return [];
    const keys = this.db.selectFrom('api_keys').selectAll().where('merchant_id', '=', merchantId);
    const rows = await this.run(keys.orderBy('created_at').orderBy('api_key'));
    return rows.map(toApiKey);
  }

  async findOrder({ product, merchantId, merchantOrderId }: OrderIdentity): Promise<Order | undefined> {
    if (!isStorable(merchantId) || !isStorable(merchantOrderId)) return undefined;
    const { rows } = await this.runText<Pick<OrdersTable, 'document'>>(
      'select document from orders where product = $1 and merchant_id = $2 and merchant_order_id = $3 limit 1',
      [product, merchantId, merchantOrderId],
    );
    return rows[0] && toOrder(rows[0]);
  }

  findOrderById(merchantId: string, orderId: string): Promise<Order | undefined> {
    return this.readOrder(merchantId, orderId, { lock: false });
  }

  async findOrderOfAnyMerchant(orderId: string): Promise<Order | undefined> {
    if (!isStorable(orderId)) return undefined;
    const [row] = await this.run(this.db.selectFrom('orders').select('document').where('order_id', '=', orderId));
    return row && toOrder(row);
  }

  async findRefund(merchantId: string, merchantRefundOrderId: string): Promise<Refund | undefined> {
    const [refund] = await this.findRefunds(merchantId, [merchantRefundOrderId]);
    return refund;
  }

  findRefundById(merchantId: string, refundOrderId: string): Promise<Refund | undefined> {
    return this.readRefund(merchantId, refundOrderId, { lock: false });
  }

  async listRefundsOfOrder(merchantId: string, acquiringOrderId: string): Promise<Refund[]> {
    if (!isStorable(merchantId) || !isStorable(acquiringOrderId)) return [];
    const rows = await this.run(
      this.db
        .selectFrom('refunds')
        .select('document')
        .where('merchant_id', '=', merchantId)
        .where('acquiring_order_id', '=', acquiringOrderId)
        .orderBy('ordinal'),
    );
    return rows.map(toRefund);
  }

  async findRefunds(merchantId: string, merchantRefundOrderIds: readonly string[]): Promise<Refund[]> {
    const ids = merchantRefundOrderIds.filter(isStorable);
    if (!isStorable(merchantId) || ids.length === 0) return [];
    const rows = await this.run(
      this.db
        .selectFrom('refunds')
        .select('document')
        .where('merchant_id', '=', merchantId)
        .where('merchant_refund_order_id', 'in', ids),
    );
    return rows.map(toRefund);
  }

  async listDeliveries(merchantId: string): Promise<Delivery[]> {
    if (!isStorable(merchantId)) return [];
    const deliveries = this.db.selectFrom('deliveries').select('document').where('merchant_id', '=', merchantId);
    const rows = await this.run(deliveries.orderBy('ordinal', 'desc'));
    return rows.map(toDelivery);
  }

  async countWork(now: number): Promise<WorkCounts> {
    const [row] = await this.run(
      this.db.selectNoFrom(({ selectFrom, fn }) => {
        const count = fn.countAll<number>().as('count');
        const merchants = selectFrom('merchants').select(count);
        return [
          selectFrom('deliveries').select(count).where('due_at', 'is not', null).as('pendingDeliveries'),
          merchants.crossJoin('deliveries').where(isDue('deliveries', now)).as('dueDeliveries'),
          merchants.crossJoin('orders').where(isDue('orders', now)).as('dueOrders'),
          merchants.crossJoin('refunds').where(isDue('refunds', now)).as('dueRefunds'),
        ];
      }),
    );
    const { pendingDeliveries, dueDeliveries, dueOrders, dueRefunds } = row ?? {};
    return {
      pendingDeliveries: pendingDeliveries ?? 0,
      dueDeliveries: dueDeliveries ?? 0,
      dueOrders: dueOrders ?? 0,
      dueRefunds: dueRefunds ?? 0,
    };
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

  protected async readRefund(
    merchantId: string,
    refundOrderId: string,
    { lock }: { lock: boolean },
  ): Promise<Refund | undefined> {
    if (!isStorable(merchantId) || !isStorable(refundOrderId)) return undefined;
    const query = this.db
      .selectFrom('refunds')
      .select('document')
      .where('refund_order_id', '=', refundOrderId)
      .where('merchant_id', '=', merchantId);
    const [row] = await this.run(lock ? query.forNoKeyUpdate() : query);
    return row && toRefund(row);
  }

  /**
   * Runs a statement that is written out, as those are that almost every request needs: to build one takes longer than to run
   * it. `$1`, `$2` … stand for the values, each once and in this order, which both databases understand.
   */
  protected runText<Row>(text: string, values: readonly unknown[]): Promise<QueryResult<Row>> {
    return this.run({ execute: () => this.db.executeQuery<Row>(CompiledQuery.raw(text, [...values])) });
  }

  protected run<Result>(statement: Statement<Result>): Promise<Result> {
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
  constructor(db: Kysely<Database>, rowLocks: boolean) {
    super(db);
    this.#rowLocks = rowLocks;
  }

  async insertMerchant(merchant: Merchant): Promise<void> {
    await this.run(this.db.insertInto('merchants').values(fromMerchant(merchant)));
  }

  async insertApiKey(apiKey: ApiKey): Promise<void> {
    await this.run(this.db.insertInto('api_keys').values(fromApiKey(apiKey)));
  }

  async updateApiKey(apiKey: ApiKey): Promise<void> {
    const { api_key, ...values } = fromApiKey(apiKey);
    const [result] = await this.run(this.db.updateTable('api_keys').set(values).where('api_key', '=', api_key));
    // The key is not named: errors are logged.
    if (result?.numUpdatedRows !== 1n) throw new Error(`There is no such key of merchant ${apiKey.merchantId}.`);
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
    const row = fromOrder(order);
    const { numAffectedRows } = await this.runText(
      `insert into orders (order_id, product, merchant_id, merchant_order_id, status, due_at, document)
      values ($1, $2, $3, $4, $5, $6, $7)
      on conflict (product, merchant_id, merchant_order_id) do nothing`,
      [row.order_id, row.product, row.merchant_id, row.merchant_order_id, row.status, row.due_at, row.document],
    );
    return numAffectedRows === 1n;
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
      .selectFrom('merchants')
      .crossJoin('orders')
      .select('orders.document')
      .where(isDue('orders', now))
      .orderBy('orders.due_at')
      .orderBy('orders.order_id')
      .limit(limit);
    if (merchantId !== undefined) query = query.where('merchants.merchant_id', '=', merchantId);
    const rows = await this.run(this.#rowLocks ? query.forNoKeyUpdate('orders').skipLocked() : query);
    return rows.map(toOrder);
  }

  async insertRefund(refund: Refund): Promise<boolean> {
    const [result] = await this.run(
      this.db
        .insertInto('refunds')
        .values(fromRefund(refund))
        .onConflict((conflict) => conflict.columns(['merchant_id', 'merchant_refund_order_id']).doNothing()),
    );
    return result?.numInsertedOrUpdatedRows === 1n;
  }

  lockRefund(merchantId: string, refundOrderId: string): Promise<Refund | undefined> {
    return this.readRefund(merchantId, refundOrderId, { lock: this.#rowLocks });
  }

  async updateRefund(refund: Refund): Promise<void> {
    const { refund_order_id, ...values } = fromRefund(refund);
    const [result] = await this.run(
      this.db.updateTable('refunds').set(values).where('refund_order_id', '=', refund_order_id),
    );
    if (result?.numUpdatedRows !== 1n) throw new Error(`There is no refund ${refund_order_id} to update.`);
  }

  async lockDueRefunds(now: number, limit: number, merchantId?: string): Promise<Refund[]> {
    if (merchantId !== undefined && !isStorable(merchantId)) return [];
    let query = this.db
      .selectFrom('merchants')
      .crossJoin('refunds')
      .select('refunds.document')
      .where(isDue('refunds', now))
      .orderBy('refunds.due_at')
      .orderBy('refunds.ordinal')
      .limit(limit);
    if (merchantId !== undefined) query = query.where('merchants.merchant_id', '=', merchantId);
    const rows = await this.run(this.#rowLocks ? query.forNoKeyUpdate('refunds').skipLocked() : query);
    return rows.map(toRefund);
  }

  async insertDelivery(delivery: Delivery): Promise<void> {
    await this.run(this.db.insertInto('deliveries').values(fromDelivery(delivery)));
  }

  async lockDelivery(merchantId: string, deliveryId: string): Promise<Delivery | undefined> {
    if (!isStorable(merchantId) || !isStorable(deliveryId)) return undefined;
    const query = this.db
      .selectFrom('deliveries')
      .select('document')
      .where('delivery_id', '=', deliveryId)
      .where('merchant_id', '=', merchantId);
    const [row] = await this.run(this.#rowLocks ? query.forNoKeyUpdate() : query);
    return row && toDelivery(row);
  }

  async updateDelivery(delivery: Delivery): Promise<void> {
    const { delivery_id, ...values } = fromDelivery(delivery);
    const [result] = await this.run(
      this.db.updateTable('deliveries').set(values).where('delivery_id', '=', delivery_id),
    );
    if (result?.numUpdatedRows !== 1n) throw new Error(`There is no delivery ${delivery_id} to update.`);
  }

  async claimDueDeliveries(now: number, limit: number, claimedUntil: number): Promise<Delivery[]> {
    const query = this.db
      .selectFrom('merchants')
      .crossJoin('deliveries')
      .select('deliveries.document')
      .where(isDue('deliveries', now))
      .where(({ or, eb }) =>
        or([eb('deliveries.claimed_until', 'is', null), eb('deliveries.claimed_until', '<=', now)]),
      )
      .orderBy('deliveries.due_at')
      .orderBy('deliveries.ordinal')
      .limit(limit);
    const rows = await this.run(this.#rowLocks ? query.forNoKeyUpdate('deliveries').skipLocked() : query);
    const claimed = rows.map((row) => ({ ...toDelivery(row), claimedUntil }));
    for (const delivery of claimed) await this.updateDelivery(delivery);
    return claimed;
  }

  /**
   * Throws the first error of a statement, also when the work caught it: PostgreSQL then undoes everything at commit
   * without a word, SQLite would keep the rest.
   */
  assertNothingFailed(): void {
    if (this.#failure) throw this.#failure.error;
  }

  protected override async run<Result>(statement: Statement<Result>): Promise<Result> {
    try {
      return await super.run(statement);
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }
}

interface Statement<Result> {
  execute(): Promise<Result>;
}

/**
 * Joins a table to merchants and keeps what is due by the merchant's clock, `now` being real time. Use it in a cross join
 * with merchants first: SQLite keeps to that order, so that the index finds each merchant's due rows.
 */
function isDue(table: 'orders' | 'refunds' | 'deliveries', now: number) {
  const due = sql.ref(`${table}.due_at`);
  return sql<SqlBool>`${sql.ref(`${table}.merchant_id`)} = merchants.merchant_id and ${due} is not null
    and ${due} <= cast(${now} as bigint) + merchants.clock_offset`;
}
