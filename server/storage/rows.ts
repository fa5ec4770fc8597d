import type { Delivery, DeliveryWithPayload } from '../domain/delivery.ts';
import type { ApiKey, Merchant, MerchantSettings } from '../domain/merchant.ts';
import type { Order } from '../domain/order.ts';
import type { Refund } from '../domain/refund.ts';
import type {
  ApiKeysTable,
  DeliveriesTable,
  DeliveryPayloadsTable,
  MerchantsTable,
  OrdersTable,
  RefundsTable,
} from './schema.ts';
import type { SecretBox } from './secret-box.ts';

/**
 * False for text that cannot be an id because a database could not store it unchanged: PostgreSQL rejects NUL, libsql
 * reads up to the first NUL, and UTF-8 has no lone surrogates. JSON documents are safe because they hold both as
 * escapes.
 */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function storable(text: string): string {
  if (!isStorable(text)) throw new Error('An id or secret with a NUL or a lone surrogate cannot be stored.');
  return text;
}

export function fromMerchant({ merchantId, settings, clockOffset, createdAt, ledger }: Merchant): MerchantsTable {
  return {
    merchant_id: storable(merchantId),
    settings: JSON.stringify(settings),
    clock_offset: clockOffset,
    created_at: createdAt,
    ledger: JSON.stringify(ledger),
  };
}

/** Settings by their text. Almost every request reads those of its merchant, and few merchants have settings of their own. */
const knownSettings = new Map<string, MerchantSettings>();
const mostSettings = 100;

function settingsOf(text: string): MerchantSettings {
  const settings: MerchantSettings = knownSettings.get(text) ?? JSON.parse(text);
  if (knownSettings.size >= mostSettings) knownSettings.clear();
  knownSettings.set(text, settings);
  return settings;
}

export function toMerchant(row: MerchantsTable): Merchant {
  return {
    merchantId: row.merchant_id,
    settings: settingsOf(row.settings),
    clockOffset: row.clock_offset,
    createdAt: row.created_at,
    ledger: row.ledger === null ? {} : JSON.parse(row.ledger),
  };
}

export function fromApiKey(
  { apiKey, merchantId, apiSecret, createdAt, endsAt }: ApiKey,
  secrets: SecretBox,
): ApiKeysTable {
  return {
    api_key: storable(apiKey),
    merchant_id: storable(merchantId),
    ...secrets.seal(storable(apiSecret), { merchantId, apiKey }),
    created_at: createdAt,
    ends_at: endsAt,
  };
}

export function toApiKey(row: ApiKeysTable, secrets: SecretBox): ApiKey {
  return {
    apiKey: row.api_key,
    merchantId: row.merchant_id,
    apiSecret: secrets.open(row, { merchantId: row.merchant_id, apiKey: row.api_key }),
    createdAt: row.created_at,
    endsAt: row.ends_at,
  };
}

export function fromOrder(order: Order): OrdersTable {
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

export function toOrder(row: Pick<OrdersTable, 'document'>): Order {
  // An order stored before changes were announced has no `sequence`.
  return { sequence: 0, ...JSON.parse(row.document) };
}

export function fromRefund(refund: Refund): Omit<RefundsTable, 'ordinal'> {
  return {
    refund_order_id: storable(refund.refundOrderId),
    merchant_id: storable(refund.merchantId),
    merchant_refund_order_id: storable(refund.merchantRefundOrderId),
    acquiring_order_id: storable(refund.acquiringOrderId),
    due_at: refund.dueAt,
    document: JSON.stringify(refund),
  };
}

export function toRefund(row: Pick<RefundsTable, 'document'>): Refund {
  return JSON.parse(row.document);
}

/** The row of a delivery. A payload is not part of it. */
export function fromDelivery(delivery: Delivery): Omit<DeliveriesTable, 'ordinal'> {
  const { deliveryId, eventId, merchantId, subject, url, status, attempts, createdAt, dueAt, claimedUntil } = delivery;
  return {
    delivery_id: storable(deliveryId),
    merchant_id: storable(merchantId),
    due_at: dueAt,
    claimed_until: claimedUntil,
    url: isStorable(url) ? url : null,
    document: JSON.stringify({ deliveryId, eventId, merchantId, subject, url, status, attempts, createdAt, dueAt }),
  };
}

export function toDelivery(row: Pick<DeliveriesTable, 'document' | 'claimed_until'>): Delivery {
  return { ...JSON.parse(row.document), claimedUntil: row.claimed_until };
}

export function fromPayload({ deliveryId, payload }: DeliveryWithPayload): DeliveryPayloadsTable {
  return { delivery_id: storable(deliveryId), payload: JSON.stringify(payload) };
}

export function withPayload(delivery: Delivery, row: Pick<DeliveryPayloadsTable, 'payload'>): DeliveryWithPayload {
  return { ...delivery, payload: JSON.parse(row.payload) };
}
