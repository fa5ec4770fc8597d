import type { Product } from '../domain/order.ts';

/** The tables, as both databases have them. Times are in milliseconds since the epoch. */
export interface Database {
  merchants: MerchantsTable;
  api_keys: ApiKeysTable;
  orders: OrdersTable;
}

export interface MerchantsTable {
  merchant_id: string;
  /** `MerchantSettings` as JSON. */
  settings: string;
  clock_offset: number;
  created_at: number;
}

export interface ApiKeysTable {
  api_key: string;
  merchant_id: string;
  api_secret: string;
  created_at: number;
  ends_at: number | null;
}

/** `document` is the record; the other columns are copies of what is searched by. */
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
