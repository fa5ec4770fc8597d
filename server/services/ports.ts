import type { ApiKey, Merchant } from '../domain/merchant.ts';
import type { Order, Product } from '../domain/order.ts';

/**
 * What the services need from a database. Every write goes through `transaction`; when its promise resolves, what was
 * written is on disk, and when it rejects, nothing was.
 */
export interface Storage {
  /** Runs `work` in one transaction and returns what it returns. `work` may run again after a conflict with another writer. */
  transaction<T>(work: (records: Records) => Promise<T>): Promise<T>;
  /** Reads outside a transaction: each call sees the last committed state. */
  readonly reads: Reads;
  /** Resolves when the database answers, rejects when it does not. */
  ping(): Promise<void>;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Lookups. A miss is `undefined`. */
export interface Reads {
  findMerchant(merchantId: string): Promise<Merchant | undefined>;
  findApiKey(apiKey: string): Promise<ApiKey | undefined>;
  /** All keys of a merchant, oldest first. */
  listApiKeys(merchantId: string): Promise<ApiKey[]>;
  findOrder(identity: OrderIdentity): Promise<Order | undefined>;
  /** By platform id, whichever product; only the merchant's own. */
  findOrderById(merchantId: string, orderId: string): Promise<Order | undefined>;
}

/** Lookups and writes inside one transaction. */
export interface Records extends Reads {
  insertMerchant(merchant: Merchant): Promise<void>;
  insertApiKey(apiKey: ApiKey): Promise<void>;
  /** Like `findMerchant`, and keeps other transactions from changing the merchant until this one ends. */
  lockMerchant(merchantId: string): Promise<Merchant | undefined>;
  /** Replaces a merchant found by `lockMerchant`. */
  updateMerchant(merchant: Merchant): Promise<void>;
  /** False, and nothing is written, when the identity is taken: that is a unique constraint, not a check before. */
  insertOrder(order: Order): Promise<boolean>;
  /** Like `findOrderById`, and keeps other transactions from changing the order until this one ends. */
  lockOrder(merchantId: string, orderId: string): Promise<Order | undefined>;
  /** Replaces an order found by `lockOrder` or `lockDueOrders`. */
  updateOrder(order: Order): Promise<void>;
  /**
   * Orders whose `dueAt` is not after their merchant's business time (`now` + the merchant's `clockOffset`,
   * milliseconds), earliest first, locked; orders that another transaction holds are left out.
   */
  lockDueOrders(now: number, limit: number, merchantId?: string): Promise<Order[]>;
}

/** What makes an order the same order: one namespace for each product and merchant (open point `id-namespaces`). */
export interface OrderIdentity {
  product: Product;
  merchantId: string;
  merchantOrderId: string;
}

/** Real time, in milliseconds since the epoch. */
export type Clock = () => number;

/** New identifiers. Each call gives one that was never given before and that nobody can guess. */
export interface Ids {
  orderId(): string;
  merchantId(): string;
  apiKey(): string;
  apiSecret(): string;
}
