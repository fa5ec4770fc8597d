import type { Delivery, DeliveryWithPayload } from '../domain/delivery.ts';
import type { ApiKey, Merchant } from '../domain/merchant.ts';
import type { Order, Product } from '../domain/order.ts';
import type { Refund } from '../domain/refund.ts';

/**
 * The database, as the services need it. When the promise of a write resolves, the data is on disk. When it rejects, no data
 * was written.
 */
export interface Storage {
  /** As `insertOrder` in a transaction of its own, in one statement. */
  insertOrder(order: Order): Promise<boolean>;
  /** Runs `work` in one transaction and returns what it returns. `work` may run again after a conflict with another writer. */
  transaction<T>(work: (records: Records) => Promise<T>): Promise<T>;
  /** Reads outside a transaction: each call sees the last committed state. */
  readonly reads: Reads;
  /** Resolves when the database answers, rejects when it does not. */
  ping(): Promise<void>;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** The parts of a key that authentication needs, and the key's merchant. */
export interface KeyWithMerchant {
  key: Pick<ApiKey, 'apiSecret' | 'endsAt'>;
  merchant: Merchant;
}

/** Lookups. A miss is `undefined`. */
export interface Reads {
  findMerchant(merchantId: string): Promise<Merchant | undefined>;
  /** All merchants, oldest first; a key counts as active by `now`, real time in milliseconds. */
  listMerchants(now: number): Promise<MerchantSummary[]>;
  findApiKey(apiKey: string): Promise<ApiKey | undefined>;
  /** A key together with its merchant, in one look-up, because almost every request begins with it. */
  findApiKeyWithMerchant(apiKey: string): Promise<KeyWithMerchant | undefined>;
  /** All keys of a merchant, oldest first. */
  listApiKeys(merchantId: string): Promise<ApiKey[]>;
  findOrder(identity: OrderIdentity): Promise<Order | undefined>;
  /** By platform id, whichever product; only the merchant's own. */
  findOrderById(merchantId: string, orderId: string): Promise<Order | undefined>;
  /** By platform id alone, of any merchant: the checkout page knows only the platform id. */
  findOrderOfAnyMerchant(orderId: string): Promise<Order | undefined>;
  /** By the merchant's own refund id; only the merchant's own. */
  findRefund(merchantId: string, merchantRefundOrderId: string): Promise<Refund | undefined>;
  findRefundById(merchantId: string, refundOrderId: string): Promise<Refund | undefined>;
  /** All refunds of an order, oldest first. */
  listRefundsOfOrder(merchantId: string, acquiringOrderId: string): Promise<Refund[]>;
  /** The refunds with these ids that exist, in no particular order. */
  findRefunds(merchantId: string, merchantRefundOrderIds: readonly string[]): Promise<Refund[]>;
  /** A merchant's newest webhooks, newest first, 1,000 at most. */
  listDeliveries(merchantId: string): Promise<Delivery[]>;
  findDelivery(merchantId: string, deliveryId: string): Promise<DeliveryWithPayload | undefined>;
  /** How much work there is at real time `now`, in milliseconds, in all merchants together. */
  countWork(now: number): Promise<WorkCounts>;
}

/** Lookups and writes inside one transaction. */
export interface Records extends Reads {
  insertMerchant(merchant: Merchant): Promise<void>;
  insertApiKey(apiKey: ApiKey): Promise<void>;
  /** Replaces a key; rejects when there is none of that name. */
  updateApiKey(apiKey: ApiKey): Promise<void>;
  /** Like `findMerchant`, and keeps other transactions from changing the merchant until this one ends. */
  lockMerchant(merchantId: string): Promise<Merchant | undefined>;
  /** Replaces a merchant found by `lockMerchant`. */
  updateMerchant(merchant: Merchant): Promise<void>;
  /** False, and nothing is written, when the identity is taken. A unique constraint decides that, not a check beforehand. */
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
  /** False, and nothing is written, when the merchant has a refund of that merchantRefundOrderId. A unique constraint decides that. */
  insertRefund(refund: Refund): Promise<boolean>;
  /** Like `findRefundById`, and keeps other transactions from changing the refund until this one ends. */
  lockRefund(merchantId: string, refundOrderId: string): Promise<Refund | undefined>;
  /** Replaces a refund found by `lockRefund` or `lockDueRefunds`. */
  updateRefund(refund: Refund): Promise<void>;
  /** As `lockDueOrders`, for refunds. */
  lockDueRefunds(now: number, limit: number, merchantId?: string): Promise<Refund[]>;
  insertDelivery(delivery: DeliveryWithPayload): Promise<void>;
  lockDelivery(merchantId: string, deliveryId: string): Promise<Delivery | undefined>;
  /** Replaces a delivery found by `lockDelivery`. */
  updateDelivery(delivery: Delivery): Promise<void>;
  /**
   * Deliveries whose `dueAt` is not after their merchant's business time and that no instance is at work on (their
   * `claimedUntil` is null or not after `now`). Merchants take turns, and of each merchant the earliest comes first. Each is
   * marked as claimed until `claimedUntil` (real time, milliseconds) before it is returned; those that another transaction
   * holds are left out.
   */
  claimDueDeliveries(now: number, limit: number, claimedUntil: number): Promise<ClaimedDelivery[]>;
  /** Ends claims that nobody has replaced since, so that the deliveries can be claimed again at once. */
  releaseDeliveries(claimed: readonly ClaimedDelivery[]): Promise<void>;
}

/** A delivery on which an instance works; only what it needs to wait for its turn, because many may wait. */
export interface ClaimedDelivery extends Pick<Delivery, 'merchantId' | 'deliveryId' | 'url' | 'dueAt'> {
  /** As in `Delivery`. */
  claimedUntil: number;
  /** The size of the stored payload. */
  bytes: number;
}

/** A merchant as lists show it: no settings and no secret. */
export interface MerchantSummary {
  merchantId: string;
  /** Milliseconds since the epoch, real time. */
  createdAt: number;
  activeKeys: number;
}

/** Counts of waiting work. Work is due when its time has come by its merchant's business clock. */
export interface WorkCounts {
  /** Webhooks that are not yet sent, due or not. */
  pendingDeliveries: number;
  dueDeliveries: number;
  dueOrders: number;
  dueRefunds: number;
}

/** The identity of an order: each product of each merchant has a namespace of its own (open point `id-namespaces`). */
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
  refundOrderId(): string;
  eventId(): string;
  deliveryId(): string;
  merchantId(): string;
  apiKey(): string;
  apiSecret(): string;
}
