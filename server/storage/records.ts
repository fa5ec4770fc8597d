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
import type {
  ApiKeysTable,
  Database,
  DeliveriesTable,
  DeliveryPayloadsTable,
  MerchantsTable,
  OrdersTable,
  RefundsTable,
} from './schema.ts';
import type { SecretBox } from './secret-box.ts';
import type { Outcome, Statement, Statements } from './sql-database.ts';

/** How many webhooks of a merchant are listed at most. */
const mostListed = 1_000;

// Columns are named one by one: a newer version may have added some, and the result of a prepared statement must not change.
const merchantColumns = 'merchants.merchant_id, settings, clock_offset, merchants.created_at, ledger';
const keyColumns = 'api_key, merchant_id, api_secret, encryption_key, created_at, ends_at';

/** Lookups, inside or outside a transaction. Statements are written by hand: building one takes longer than running it. */
export class SqlReads implements Reads {
  protected readonly statements: Statements;
  protected readonly secrets: SecretBox;

  constructor(statements: Statements, secrets: SecretBox) {
    this.statements = statements;
    this.secrets = secrets;
  }

  findMerchant(merchantId: string): Promise<Merchant | undefined> {
    return this.readMerchant(merchantId, '');
  }

  async listMerchants(now: number): Promise<MerchantSummary[]> {
    const rows = await this.all<Pick<MerchantsTable, 'merchant_id' | 'created_at'> & { active_keys: number }>(
      `select merchants.merchant_id, merchants.created_at, count(api_keys.api_key) as active_keys
      from merchants left join api_keys on api_keys.merchant_id = merchants.merchant_id
        and (api_keys.ends_at is null or api_keys.ends_at > $1)
      group by merchants.merchant_id, merchants.created_at
      order by merchants.created_at, merchants.merchant_id`,
      [now],
    );
    return rows.map((row) => ({
      merchantId: row.merchant_id,
      createdAt: row.created_at,
      activeKeys: row.active_keys,
    }));
  }

  async findApiKey(apiKey: string): Promise<ApiKey | undefined> {
    if (!isStorable(apiKey)) return undefined;
    const row = await this.first<ApiKeysTable>(`select ${keyColumns} from api_keys where api_key = $1 limit 1`, [
      apiKey,
    ]);
    return row && toApiKey(row, this.secrets);
  }

  async findApiKeyWithMerchant(apiKey: string): Promise<KeyWithMerchant | undefined> {
    if (!isStorable(apiKey)) return undefined;
    const row = await this.first<Pick<ApiKeysTable, 'api_secret' | 'encryption_key' | 'ends_at'> & MerchantsTable>(
      `select api_secret, encryption_key, ends_at, ${merchantColumns}
      from api_keys join merchants on merchants.merchant_id = api_keys.merchant_id where api_key = $1 limit 1`,
      [apiKey],
    );
    if (!row) return undefined;
    const apiSecret = this.secrets.open(row, { merchantId: row.merchant_id, apiKey });
    return { key: { apiSecret, endsAt: row.ends_at }, merchant: toMerchant(row) };
  }

  async listApiKeys(merchantId: string): Promise<ApiKey[]> {
    if (!isStorable(merchantId)) return [];
    const rows = await this.all<ApiKeysTable>(
      `select ${keyColumns} from api_keys where merchant_id = $1 order by created_at, api_key`,
      [merchantId],
    );
    return rows.map((row) => toApiKey(row, this.secrets));
  }

  async findOrder({ product, merchantId, merchantOrderId }: OrderIdentity): Promise<Order | undefined> {
    if (!isStorable(merchantId) || !isStorable(merchantOrderId)) return undefined;
    const row = await this.first<Pick<OrdersTable, 'document'>>(
      'select document from orders where product = $1 and merchant_id = $2 and merchant_order_id = $3 limit 1',
      [product, merchantId, merchantOrderId],
    );
    return row && toOrder(row);
  }

  findOrderById(merchantId: string, orderId: string): Promise<Order | undefined> {
    return this.readOrder(merchantId, orderId, '');
  }

  async findOrderOfAnyMerchant(orderId: string): Promise<Order | undefined> {
    if (!isStorable(orderId)) return undefined;
    const row = await this.first<Pick<OrdersTable, 'document'>>(
      'select document from orders where order_id = $1 limit 1',
      [orderId],
    );
    return row && toOrder(row);
  }

  async findRefund(merchantId: string, merchantRefundOrderId: string): Promise<Refund | undefined> {
    if (!isStorable(merchantId) || !isStorable(merchantRefundOrderId)) return undefined;
    const row = await this.first<Pick<RefundsTable, 'document'>>(
      'select document from refunds where merchant_id = $1 and merchant_refund_order_id = $2 limit 1',
      [merchantId, merchantRefundOrderId],
    );
    return row && toRefund(row);
  }

  findRefundById(merchantId: string, refundOrderId: string): Promise<Refund | undefined> {
    return this.readRefund(merchantId, refundOrderId, '');
  }

  async listRefundsOfOrder(merchantId: string, acquiringOrderId: string): Promise<Refund[]> {
    if (!isStorable(merchantId) || !isStorable(acquiringOrderId)) return [];
    const rows = await this.all<Pick<RefundsTable, 'document'>>(
      'select document from refunds where merchant_id = $1 and acquiring_order_id = $2 order by ordinal',
      [merchantId, acquiringOrderId],
    );
    return rows.map(toRefund);
  }

  async findRefunds(merchantId: string, merchantRefundOrderIds: readonly string[]): Promise<Refund[]> {
    const ids = merchantRefundOrderIds.filter(isStorable);
    if (!isStorable(merchantId) || ids.length === 0) return [];
    const { rows } = await this.run<Pick<RefundsTable, 'document'>>({
      text: `select document from refunds where merchant_id = $1 and merchant_refund_order_id in (${placeholders(ids, 2)})`,
      values: [merchantId, ...ids],
      varies: true,
    });
    return rows.map(toRefund);
  }

  async listDeliveries(merchantId: string): Promise<Delivery[]> {
    if (!isStorable(merchantId)) return [];
    const rows = await this.all<Pick<DeliveriesTable, 'document' | 'claimed_until'>>(
      `select document, claimed_until from deliveries where merchant_id = $1 order by ordinal desc limit ${mostListed}`,
      [merchantId],
    );
    return rows.map(toDelivery);
  }

  async findDelivery(merchantId: string, deliveryId: string): Promise<DeliveryWithPayload | undefined> {
    if (!isStorable(merchantId) || !isStorable(deliveryId)) return undefined;
    const row = await this.first<
      Pick<DeliveriesTable, 'document' | 'claimed_until'> & Pick<DeliveryPayloadsTable, 'payload'>
    >(
      `select document, claimed_until, payload from deliveries
      join delivery_payloads on delivery_payloads.delivery_id = deliveries.delivery_id
      where deliveries.delivery_id = $1 and merchant_id = $2 limit 1`,
      [deliveryId, merchantId],
    );
    return row && withPayload(toDelivery(row), row);
  }

  async countWork(now: number): Promise<WorkCounts> {
    // The statement counts merchant by merchant, for the reason given at `#lockDue`.
    const countDue = (table: DueTable, parameter: string) =>
      `(select cast(coalesce(sum((select count(*) from ${table} where ${isDue(table, parameter)})), 0) as bigint) from merchants)`;
    const [counts] = await this.all<WorkCounts>(
      `select
        (select count(*) from deliveries where due_at is not null) as "pendingDeliveries",
        ${countDue('deliveries', '$1')} as "dueDeliveries",
        ${countDue('orders', '$2')} as "dueOrders",
        ${countDue('refunds', '$3')} as "dueRefunds"`,
      [now, now, now],
    );
    if (!counts) throw new Error('The database counted nothing.');
    return counts;
  }

  /** `lock` ends the statement. */
  protected async readMerchant(merchantId: string, lock: string): Promise<Merchant | undefined> {
    if (!isStorable(merchantId)) return undefined;
    const row = await this.first<MerchantsTable>(
      `select ${merchantColumns} from merchants where merchant_id = $1 limit 1${lock}`,
      [merchantId],
    );
    return row && toMerchant(row);
  }

  protected async readOrder(merchantId: string, orderId: string, lock: string): Promise<Order | undefined> {
    if (!isStorable(merchantId) || !isStorable(orderId)) return undefined;
    const row = await this.first<Pick<OrdersTable, 'document'>>(
      `select document from orders where order_id = $1 and merchant_id = $2 limit 1${lock}`,
      [orderId, merchantId],
    );
    return row && toOrder(row);
  }

  protected async readRefund(merchantId: string, refundOrderId: string, lock: string): Promise<Refund | undefined> {
    if (!isStorable(merchantId) || !isStorable(refundOrderId)) return undefined;
    const row = await this.first<Pick<RefundsTable, 'document'>>(
      `select document from refunds where refund_order_id = $1 and merchant_id = $2 limit 1${lock}`,
      [refundOrderId, merchantId],
    );
    return row && toRefund(row);
  }

  /** The row that a statement finds, whose text limits it to one. */
  protected async first<Row>(text: string, values: readonly unknown[]): Promise<Row | undefined> {
    const { rows } = await this.run<Row>({ text, values });
    return rows[0];
  }

  protected async all<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const { rows } = await this.run<Row>({ text, values });
    return rows;
  }

  protected run<Row>(statement: Statement): Promise<Outcome<Row>> {
    return this.statements.run(statement);
  }
}

/** Lookups and writes inside one transaction. */
export class SqlRecords extends SqlReads implements Records {
  readonly #rowLocks: boolean;
  /** The end of a statement that locks the rows that it finds. */
  readonly #lock: string;
  #failure: { error: unknown } | undefined;

  /**
   * Row locks, where the database has them, do not lock the key (`for no key update`): an insert that refers to a
   * locked merchant does not wait, and two creates that then lock their merchant do not deadlock.
   */
  constructor(statements: Statements, secrets: SecretBox, rowLocks: boolean) {
    super(statements, secrets);
    this.#rowLocks = rowLocks;
    this.#lock = rowLocks ? ' for no key update' : '';
  }

  async insertMerchant(merchant: Merchant): Promise<void> {
    await this.#insert('merchants', fromMerchant(merchant));
  }

  async insertApiKey(apiKey: ApiKey): Promise<void> {
    await this.#insert('api_keys', fromApiKey(apiKey, this.secrets));
  }

  async updateApiKey(apiKey: ApiKey): Promise<void> {
    const row = fromApiKey(apiKey, this.secrets);
    // The message does not name the key because errors are logged.
    if (!(await this.#update('api_keys', 'api_key', row))) {
      throw new Error(`There is no such key of merchant ${apiKey.merchantId}.`);
    }
  }

  lockMerchant(merchantId: string): Promise<Merchant | undefined> {
    return this.readMerchant(merchantId, this.#lock);
  }

  async updateMerchant(merchant: Merchant): Promise<void> {
    const row = fromMerchant(merchant);
    if (await this.#update('merchants', 'merchant_id', row)) return;
    throw new Error(`There is no merchant ${row.merchant_id} to update.`);
  }

  insertOrder(order: Order): Promise<boolean> {
    return this.#insert('orders', fromOrder(order), 'on conflict (product, merchant_id, merchant_order_id) do nothing');
  }

  lockOrder(merchantId: string, orderId: string): Promise<Order | undefined> {
    return this.readOrder(merchantId, orderId, this.#lock);
  }

  async updateOrder(order: Order): Promise<void> {
    const row = fromOrder(order);
    if (await this.#update('orders', 'order_id', row)) return;
    throw new Error(`There is no order ${row.order_id} to update.`);
  }

  async lockDueOrders(now: number, limit: number, merchantId?: string): Promise<Order[]> {
    return (await this.#lockDue('orders', { now, limit, merchantId })).map(toOrder);
  }

  insertRefund(refund: Refund): Promise<boolean> {
    return this.#insert(
      'refunds',
      fromRefund(refund),
      'on conflict (merchant_id, merchant_refund_order_id) do nothing',
    );
  }

  lockRefund(merchantId: string, refundOrderId: string): Promise<Refund | undefined> {
    return this.readRefund(merchantId, refundOrderId, this.#lock);
  }

  async updateRefund(refund: Refund): Promise<void> {
    const row = fromRefund(refund);
    if (await this.#update('refunds', 'refund_order_id', row)) return;
    throw new Error(`There is no refund ${row.refund_order_id} to update.`);
  }

  async lockDueRefunds(now: number, limit: number, merchantId?: string): Promise<Refund[]> {
    return (await this.#lockDue('refunds', { now, limit, merchantId })).map(toRefund);
  }

  async insertDelivery(delivery: DeliveryWithPayload): Promise<void> {
    await this.#insert('deliveries', fromDelivery(delivery));
    await this.#insert('delivery_payloads', fromPayload(delivery));
  }

  async lockDelivery(merchantId: string, deliveryId: string): Promise<Delivery | undefined> {
    if (!isStorable(merchantId) || !isStorable(deliveryId)) return undefined;
    const row = await this.first<Pick<DeliveriesTable, 'document' | 'claimed_until'>>(
      `select document, claimed_until from deliveries where delivery_id = $1 and merchant_id = $2 limit 1${this.#lock}`,
      [deliveryId, merchantId],
    );
    return row && toDelivery(row);
  }

  async updateDelivery(delivery: Delivery): Promise<void> {
    const row = fromDelivery(delivery);
    if (await this.#update('deliveries', 'delivery_id', row)) return;
    throw new Error(`There is no delivery ${row.delivery_id} to update.`);
  }

  async claimDueDeliveries(now: number, limit: number, claimedUntil: number): Promise<ClaimedDelivery[]> {
    const rows = await this.#lockDueDeliveries(now, limit);
    const ids = rows.map((row) => row.delivery_id);
    if (ids.length === 0) return [];
    await this.run({
      text: `update deliveries set claimed_until = $1 where delivery_id in (${placeholders(ids, 2)})`,
      values: [claimedUntil, ...ids],
      varies: true,
    });
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
      await this.run({
        text: 'update deliveries set claimed_until = null where delivery_id = $1 and merchant_id = $2 and claimed_until = $3',
        values: [deliveryId, merchantId, claimedUntil],
      });
    }
  }

  /** Inserts a row; false when `otherwise`, the end of the statement, has kept it out. The names of columns come from the schema. */
  async #insert<Name extends keyof Database>(
    table: Name,
    row: Partial<Database[Name]>,
    otherwise = '',
  ): Promise<boolean> {
    const values = Object.values(row);
    const text = `insert into ${table} (${Object.keys(row).join(', ')}) values (${placeholders(values)}) ${otherwise}`;
    return (await this.run({ text, values })).changes === 1;
  }

  /** Replaces the row whose `key` is that of `row`; false when there is none. */
  async #update<Name extends keyof Database>(
    table: Name,
    key: keyof Database[Name] & string,
    row: Partial<Database[Name]>,
  ): Promise<boolean> {
    const changed = Object.entries(row).filter(([column]) => column !== key);
    const settings = changed.map(([column], index) => `${column} = $${index + 1}`).join(', ');
    const text = `update ${table} set ${settings} where ${key} = $${changed.length + 1}`;
    return (await this.run({ text, values: [...changed.map(([, value]) => value), row[key]] })).changes === 1;
  }

  /**
   * As `#lockDue`, for deliveries that nobody has claimed, and without their documents and payloads. At most `limit` of each merchant are
   * considered, and all merchants' first ones come before any second one. This is asked after every change that makes a webhook, so it
   * goes by index from one merchant with waiting deliveries to the next, and past all others.
   */
  #lockDueDeliveries(now: number, limit: number): Promise<DueDelivery[]> {
    const due = `${isDue('deliveries', '$1')} and (deliveries.claimed_until is null or deliveries.claimed_until <= $2)`;
    const earliest = `order by deliveries.due_at, deliveries.ordinal limit ${limit}`;
    const waiting = 'select min(deliveries.merchant_id) from deliveries where deliveries.due_at is not null';
    const found = this.#rowLocks
      ? `cross join lateral (
          select * from deliveries where ${due} ${earliest} for no key update skip locked
        ) as due`
      : `cross join deliveries as due
        where due.ordinal in (select ordinal from deliveries where ${due} ${earliest})`;
    return this.all(
      `with recursive waiting (merchant_id) as (
        ${waiting}
        union all
        select (${waiting} and deliveries.merchant_id > waiting.merchant_id)
        from waiting where waiting.merchant_id is not null
      )
      select due.merchant_id, due.delivery_id, due.url, due.due_at,
        (select octet_length(payload) from delivery_payloads where delivery_id = due.delivery_id) as bytes,
        row_number() over (partition by due.merchant_id order by due.due_at, due.ordinal) as turn
      from waiting join merchants on merchants.merchant_id = waiting.merchant_id ${found}
      order by turn, due.due_at, due.ordinal limit ${limit}`,
      [now, now],
    );
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
    const due = isDue(table, '$1');
    const order = tieBreakers[table];
    const ofMerchant = merchantId === undefined ? '' : 'and merchants.merchant_id = $2';
    return this.all(
      this.#rowLocks
        ? `select due.document from merchants cross join lateral (
            select document, due_at, ${order} as tie from ${table} where ${due}
            order by due_at, tie limit ${limit} for no key update skip locked
          ) as due
          where true ${ofMerchant} order by due.due_at, due.tie limit ${limit}`
        : `select document from merchants cross join ${table} where ${due} ${ofMerchant}
          order by due_at, ${order} limit ${limit}`,
      merchantId === undefined ? [now] : [now, merchantId],
    );
  }

  /**
   * Throws the first error of a statement, even when the work caught it. Otherwise PostgreSQL would silently undo
   * everything at commit, and SQLite would keep the rest.
   */
  assertNothingFailed(): void {
    if (this.#failure) throw this.#failure.error;
  }

  protected override async run<Row>(statement: Statement): Promise<Outcome<Row>> {
    try {
      return await super.run<Row>(statement);
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }
}

/** Tables whose rows become due, each with the column that orders rows due at the same moment. */
const tieBreakers = { orders: 'order_id', refunds: 'ordinal' } as const;

type DueTable = keyof typeof tieBreakers | 'deliveries';

/** A due delivery without its document. */
type DueDelivery = Pick<DeliveriesTable, 'merchant_id' | 'delivery_id' | 'url' | 'due_at'> & { bytes: number };

/** Whether a row belongs to the joined merchant and is due by that merchant's clock. `parameter` stands for real time. */
function isDue(table: DueTable, parameter: string): string {
  return `${table}.merchant_id = merchants.merchant_id and ${table}.due_at is not null
    and ${table}.due_at <= cast(${parameter} as bigint) + merchants.clock_offset`;
}

/** The places of values in a statement, counted from `first`. */
function placeholders(values: readonly unknown[], first = 1): string {
  return values.map((_, index) => `$${first + index}`).join(', ');
}
