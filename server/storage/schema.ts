import type { Generated } from 'kysely';
import type { Product } from '../domain/order.ts';

/** The tables, the same in both databases. Times are in milliseconds since the epoch. */
export interface Database {
  merchants: MerchantsTable;
  api_keys: ApiKeysTable;
  orders: OrdersTable;
  refunds: RefundsTable;
  deliveries: DeliveriesTable;
  delivery_payloads: DeliveryPayloadsTable;
}

export interface MerchantsTable {
  merchant_id: string;
  /** `MerchantSettings` as JSON. */
  settings: string;
  clock_offset: number;
  created_at: number;
  /** `Ledger` as JSON; null means an empty ledger. */
  ledger: string | null;
}

export interface ApiKeysTable {
  api_key: string;
  merchant_id: string;
  /** As `encryption_key` says: plain text, or encrypted (`SecretBox`). */
  api_secret: string;
  /** The id of the key under which the secret is encrypted. Null: it is plain text. */
  encryption_key: string | null;
  created_at: number;
  ends_at: number | null;
}

/**
 * In this table and those below, `document` is the record. The other columns are copies of the fields used in searches.
 */
export interface OrdersTable {
  order_id: string;
  product: Product;
  merchant_id: string;
  merchant_order_id: string;
  status: string;
  due_at: number | null;
  /** The whole `Order` as JSON. */
  document: string;
}

export interface RefundsTable {
  /** Grows with each row: the order in which rows were created, also within a millisecond. */
  ordinal: Generated<number>;
  refund_order_id: string;
  merchant_id: string;
  merchant_refund_order_id: string;
  acquiring_order_id: string;
  due_at: number | null;
  /** The whole `Refund` as JSON. */
  document: string;
}

export interface DeliveriesTable {
  /** As in refunds. */
  ordinal: Generated<number>;
  delivery_id: string;
  merchant_id: string;
  due_at: number | null;
  claimed_until: number | null;
  /** Null when the text cannot be stored, and in rows that were no longer due when this column was added. */
  url: string | null;
  /** The `Delivery` as JSON, without its claim. Databases of before may have an old claim in it. */
  document: string;
}

/** The large part of a delivery, which never changes. A row of `deliveries` is written anew for each claim and attempt. */
export interface DeliveryPayloadsTable {
  delivery_id: string;
  /** The payload as JSON: text in quotes, because not every database can store all characters. */
  payload: string;
}
