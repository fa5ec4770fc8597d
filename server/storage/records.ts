import type { Kysely, QueryResult, SqlBool } from 'kysely';
import type { Delivery, DeliveryWithPayload } from '../domain/delivery.ts';
import type { ApiKey, Merchant } from '../domain/merchant.ts';
import type { Order } from '../domain/order.ts';
import type { Refund } from '../domain/refund.ts';
import type {
  ClaimedDelivery,
  KeyWithMerchant,
  MerchantSummary,
  OrderIdentity,
  Reads,
  Records,
  WorkCounts,
} from '../services/ports.ts';
import { CompiledQuery, sql } from './kysely.ts';
import {
  fromApiKey,
  fromDelivery,
  fromMerchant,
  fromOrder,
  fromPayload,
  fromRefund,
  isStorable,
  toApiKey,
  toDelivery,
  toMerchant,
  toOrder,
  toRefund,
  withPayload,
} from './rows.ts';
import type { ApiKeysTable, Database, DeliveriesTable, MerchantsTable, OrdersTable } from './schema.ts';
import type { SecretBox } from './secret-box.ts';

/** How many webhooks of a merchant are listed at most. */
const mostListed = 1_000;

/** Lookups, inside or outside a transaction. */
export class SqlReads implements Reads {
  protected readonly db: Kysely<Database>;
  protected readonly secrets: SecretBox;

  constructor(db: Kysely<Database>, secrets: SecretBox) {
    this.db = db;
    this.secrets = secrets;
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
    return row && toApiKey(row, this.secrets);
  }

  async findApiKeyWithMerchant(apiKey: string): Promise<KeyWithMerchant | undefined> {
    if (!isStorable(apiKey)) return undefined;
    const { rows } = await this.runText<
      Pick<ApiKeysTable, 'api_secret' | 'encryption_key' | 'ends_at'> & MerchantsTable
    >(
      `select api_secret, encryption_key, ends_at, merchants.merchant_id, settings, clock_offset, merchants.created_at, ledger
      from api_keys join merchants on merchants.merchant_id = api_keys.merchant_id where api_key = $1 limit 1`,
      [apiKey],
    );
    const [row] = rows;
    if (!row) return undefined;
    const apiSecret = this.secrets.open(row, { merchantId: row.merchant_id, apiKey });
    return { key: { apiSecret, endsAt: row.ends_at }, merchant: toMerchant(row) };
  }

  async listApiKeys(merchantId: string): Promise<ApiKey[]> {
    if (!isStorable(merchantId)) return [];
    const keys = this.db.selectFrom('api_keys').selectAll().where('merchant_id', '=', merchantId);
    const rows = await this.run(keys.orderBy('created_at').orderBy('api_key'));
    return rows.map((row) => toApiKey(row, this.secrets));
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
    const newest = this.db
      .selectFrom('deliveries')
      .select(['document', 'claimed_until'])
      .where('merchant_id', '=', merchantId)
      .orderBy('ordinal', 'desc')
      .limit(mostListed);
    return (await this.run(newest)).map(toDelivery);
  }

  async findDelivery(merchantId: string, deliveryId: string): Promise<DeliveryWithPayload | undefined> {
    if (!isStorable(merchantId) || !isStorable(deliveryId)) return undefined;
    const [row] = await this.run(
      this.db
        .selectFrom('deliveries')
        .innerJoin('delivery_payloads', 'delivery_payloads.delivery_id', 'deliveries.delivery_id')
        .select(['document', 'claimed_until', 'payload'])
        .where('deliveries.delivery_id', '=', deliveryId)
        .where('merchant_id', '=', merchantId),
    );
    return row && withPayload(toDelivery(row), row);
  }

  async countWork(now: number): Promise<WorkCounts> {
    // The statement counts merchant by merchant, for the reason given at `#lockDue`.
    const countDue = (table: DueTable) =>
      sql<number>`(select cast(coalesce(sum((select count(*) from ${sql.table(table)} where ${isDue(table, now)})), 0) as bigint)
        from merchants)`;
    const { rows } = await this.run({
      execute: () =>
        sql<WorkCounts>`select
          (select count(*) from deliveries where due_at is not null) as "pendingDeliveries",
          ${countDue('deliveries')} as "dueDeliveries",
          ${countDue('orders')} as "dueOrders",
          ${countDue('refunds')} as "dueRefunds"`.execute(this.db),
    });
    const [counts] = rows;
    if (!counts) throw new Error('The database counted nothing.');
    return counts;
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
   * Runs a hand-written statement. Almost every request needs such statements, and building one takes longer than
   * running it. `$1`, `$2` … stand for the values, each once and in this order, which both databases understand.
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
   * Row locks, where the database has them, do not lock the key (`for no key update`): an insert that refers to a
   * locked merchant does not wait, and two creates that then lock their merchant do not deadlock.
   */
  constructor(db: Kysely<Database>, secrets: SecretBox, rowLocks: boolean) {
    super(db, secrets);
    this.#rowLocks = rowLocks;
  }

  async insertMerchant(merchant: Merchant): Promise<void> {
    await this.run(this.db.insertInto('merchants').values(fromMerchant(merchant)));
  }

  async insertApiKey(apiKey: ApiKey): Promise<void> {
    await this.run(this.db.insertInto('api_keys').values(fromApiKey(apiKey, this.secrets)));
  }

  async updateApiKey(apiKey: ApiKey): Promise<void> {
    const { api_key, ...values } = fromApiKey(apiKey, this.secrets);
    const [result] = await this.run(this.db.updateTable('api_keys').set(values).where('api_key', '=', api_key));
    // The message does not name the key because errors are logged.
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
    return (await this.#lockDue('orders', { now, limit, merchantId })).map(toOrder);
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
    return (await this.#lockDue('refunds', { now, limit, merchantId })).map(toRefund);
  }

  async insertDelivery(delivery: DeliveryWithPayload): Promise<void> {
    await this.run(this.db.insertInto('deliveries').values(fromDelivery(delivery)));
    await this.run(this.db.insertInto('delivery_payloads').values(fromPayload(delivery)));
  }

  async lockDelivery(merchantId: string, deliveryId: string): Promise<Delivery | undefined> {
    if (!isStorable(merchantId) || !isStorable(deliveryId)) return undefined;
    const query = this.db
      .selectFrom('deliveries')
      .select(['document', 'claimed_until'])
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

  async claimDueDeliveries(now: number, limit: number, claimedUntil: number): Promise<ClaimedDelivery[]> {
    const rows = await this.#lockDueDeliveries(now, limit);
    const ids = rows.map((row) => row.delivery_id);
    if (ids.length === 0) return [];
    await this.run(
      this.db.updateTable('deliveries').set({ claimed_until: claimedUntil }).where('delivery_id', 'in', ids),
    );
    return rows.map((row) => ({
      merchantId: row.merchant_id,
      deliveryId: row.delivery_id,
      url: row.url ?? '',
      dueAt: row.due_at,
      claimedUntil,
      bytes: row.bytes,
    }));
  }

  async releaseDeliveries(claimed: readonly ClaimedDelivery[]): Promise<void> {
    for (const { merchantId, deliveryId, claimedUntil } of claimed) {
      await this.run(
        this.db
          .updateTable('deliveries')
          .set({ claimed_until: null })
          .where('delivery_id', '=', deliveryId)
          .where('merchant_id', '=', merchantId)
          .where('claimed_until', '=', claimedUntil),
      );
    }
  }

  /**
   * As `#lockDue`, for deliveries that nobody has claimed, and without their documents and payloads. At most `limit` of each merchant are
   * considered, and all merchants' first ones come before any second one.
   */
  async #lockDueDeliveries(now: number, limit: number): Promise<DueDelivery[]> {
    const due = sql`${isDue('deliveries', now)} and (deliveries.claimed_until is null or deliveries.claimed_until <= ${now})`;
    const earliest = sql`order by deliveries.due_at, deliveries.ordinal limit ${sql.lit(limit)}`;
    const columns = sql`due.merchant_id, due.delivery_id, due.url, due.due_at, 
      (select octet_length(payload) from delivery_payloads where delivery_id = due.delivery_id) as bytes,
      row_number() over (partition by due.merchant_id order by due.due_at, due.ordinal) as turn`;
    const inTurn = sql`order by turn, due.due_at, due.ordinal limit ${sql.lit(limit)}`;
    const statement = this.#rowLocks
      ? sql<DueDelivery>`
          select ${columns} from merchants cross join lateral (
            select * from deliveries where ${due} ${earliest} for no key update skip locked
          ) as due ${inTurn}`
      : sql<DueDelivery>`
          select ${columns} from merchants cross join deliveries as due
          where due.ordinal in (select ordinal from deliveries where ${due} ${earliest}) ${inTurn}`;
    return (await this.run({ execute: () => statement.execute(this.db) })).rows;
  }

  /**
   * Locks the rows that are due by their merchant's clock and not locked by others, the earliest first. `now` is real
   * time. Both statements make the database go from merchants to the due rows of each by index. SQLite keeps to the
   * order of a cross join. PostgreSQL would read the whole table, since it cannot tell how few of its rows are due.
   */
  async #lockDue(
    table: 'orders' | 'refunds',
    { now, limit, merchantId }: { now: number; limit: number; merchantId?: string | undefined },
  ): Promise<{ document: string }[]> {
    if (merchantId !== undefined && !isStorable(merchantId)) return [];
    const due = isDue(table, now);
    const merchants = merchantId === undefined ? sql`` : sql`and merchants.merchant_id = ${merchantId}`;
    const order = sql.ref(tieBreakers[table]);
    const most = sql.lit(limit);
    const statement = this.#rowLocks
      ? sql<{ document: string }>`
          select due.document from merchants cross join lateral (
            select document, due_at, ${order} as tie from ${sql.table(table)} where ${due}
            order by due_at, tie limit ${most} for no key update skip locked
          ) as due
          where true ${merchants} order by due.due_at, due.tie limit ${most}`
      : sql<{ document: string }>`
          select document from merchants cross join ${sql.table(table)} where ${due} ${merchants}
          order by due_at, ${order} limit ${most}`;
    return (await this.run({ execute: () => statement.execute(this.db) })).rows;
  }

  /**
   * Throws the first error of a statement, even when the work caught it. Otherwise PostgreSQL would silently undo
   * everything at commit, and SQLite would keep the rest.
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

/** Tables whose rows become due, each with the column that orders rows due at the same moment. */
const tieBreakers = { orders: 'order_id', refunds: 'ordinal' } as const;

type DueTable = keyof typeof tieBreakers | 'deliveries';

/** A due delivery without its document. */
type DueDelivery = Pick<DeliveriesTable, 'merchant_id' | 'delivery_id' | 'url' | 'due_at'> & { bytes: number };

/** Whether a row belongs to the joined merchant and is due by that merchant's clock. `now` is real time. */
function isDue(table: DueTable, now: number) {
  const due = sql.ref(`${table}.due_at`);
  return sql<SqlBool>`${sql.ref(`${table}.merchant_id`)} = merchants.merchant_id and ${due} is not null
    and ${due} <= cast(${now} as bigint) + merchants.clock_offset`;
}
