import { expect } from 'vitest';
import type { Delivery, DeliveryWithPayload } from '../../domain/delivery.ts';
import type { ApiKey, Merchant } from '../../domain/merchant.ts';
import type { CheckoutOrder, HostedOrder, Order } from '../../domain/order.ts';
import type { Refund } from '../../domain/refund.ts';
import type { Reads, Records, Storage } from '../../services/ports.ts';

/** A merchant that is right. */
export function merchant(merchantId: string, changes: Partial<Merchant> = {}): Merchant {
  return {
    merchantId,
    settings: { checkoutEnabled: true, balances: {}, paymentMethods: [], usdRate: '1', automatic: true },
    clockOffset: 0,
    createdAt: 1_700_000_000_000,
    ledger: {},
    ...changes,
  };
}

/** A key of a merchant, active for ever. */
export function key(apiKey: string, merchantId: string, changes: Partial<ApiKey> = {}): ApiKey {
  return {
    apiKey,
    merchantId,
    apiSecret: `secret of ${apiKey}`,
    createdAt: 1_700_000_000_000,
    endsAt: null,
    ...changes,
  };
}

/** A hosted order that nobody has paid. */
export function order(merchantId: string, orderId: string, changes: Partial<HostedOrder> = {}): HostedOrder {
  const merchantOrderId = changes.merchantOrderId ?? `merchant-order-${orderId}`;
  return {
    product: 'hosted',
    orderId,
    merchantId,
    merchantOrderId,
    status: 'INIT',
    request: {
      merchantOrderId,
      orderAmount: { value: '10', currency: 'USDT' },
      expiresAt: '2030-01-01T00:00:00.000Z',
      returnUrl: 'https://shop.example/return',
    },
    due: { value: '10', currency: 'USDT' },
    createdAt: 1_700_000_000_000,
    expiresAt: 1_893_456_000_000,
    dueAt: null,
    payment: null,
    paidAt: null,
    sequence: 0,
    ...changes,
  };
}

/** A checkout order that nobody has paid. */
export function checkoutOrder(merchantId: string, orderId: string, merchantOrderId: string): CheckoutOrder {
  const orderAmount = { value: '10', currency: 'USDC' } as const;
  return {
    ...order(merchantId, orderId, { merchantOrderId }),
    product: 'checkout',
    request: {
      merchantOrderId,
      orderAmount,
      paymentMethodType: 'ON_CHAIN_TRANSFER',
      network: 'base',
      expiresAt: '2030-01-01T00:00:00.000Z',
    },
    due: orderAmount,
    depositAddress: '0x1',
  };
}

/** A refund that is pending. */
export function refund(merchantId: string, refundOrderId: string, changes: Partial<Refund> = {}): Refund {
  const merchantRefundOrderId = changes.merchantRefundOrderId ?? `merchant-refund-${refundOrderId}`;
  const acquiringOrderId = changes.acquiringOrderId ?? 'o-1';
  return {
    refundOrderId,
    merchantId,
    merchantRefundOrderId,
    acquiringOrderId,
    merchantOrderId: 'merchant-order-o-1',
    status: 'PENDING',
    request: { merchantRefundOrderId, acquiringOrderId, refundReason: 'Wrong size' },
    amount: { value: '10', currency: 'USDT' },
    deductAmount: '10',
    paymentMethod: 'ON_CHAIN_TRANSFER',
    createdAt: 1_700_000_000_000,
    estimatedCompletionAt: 1_700_000_003_000,
    endedAt: null,
    failure: null,
    dueAt: null,
    sequence: 0,
    ...changes,
  };
}

/** A webhook that is due. */
export function delivery(
  merchantId: string,
  deliveryId: string,
  changes: Partial<DeliveryWithPayload> = {},
): DeliveryWithPayload {
  return {
    deliveryId,
    eventId: `event of ${deliveryId}`,
    merchantId,
    subject: { orderId: 'o-1' },
    url: 'https://shop.example/webhooks',
    payload: '{}',
    status: 'pending',
    attempts: [],
    createdAt: 1_700_000_000_000,
    dueAt: 0,
    claimedUntil: null,
    ...changes,
  };
}

/** Writes the initial records of a test, in the order given. */
export async function given(
  storage: Storage,
  merchants: Merchant[],
  orders: Order[] = [],
  { refunds = [], deliveries = [] }: { refunds?: Refund[]; deliveries?: DeliveryWithPayload[] } = {},
): Promise<void> {
  await storage.transaction(async (records) => {
    for (const each of merchants) await records.insertMerchant(each);
    for (const each of orders) expect(await records.insertOrder(each)).toBe(true);
    for (const each of refunds) expect(await records.insertRefund(each)).toBe(true);
    for (const each of deliveries) await records.insertDelivery(each);
  });
}

/** Inserts a refund in a transaction of its own; false when its id is taken. */
export const insertRefund = (storage: Storage, each: Refund) =>
  storage.transaction((records) => records.insertRefund(each));

/** The ids of the orders that are due. */
export const dueIds = async (storage: Storage, ...query: Parameters<Records['lockDueOrders']>) =>
  (await storage.transaction((records) => records.lockDueOrders(...query))).map(({ orderId }) => orderId);

/** The ids of the refunds that are due. */
export const dueRefundIds = async (storage: Storage, ...query: Parameters<Records['lockDueRefunds']>) =>
  refundIds(await storage.transaction((records) => records.lockDueRefunds(...query)));

/** The ids of the webhooks that a claim gets. */
export const claimedIds = async (storage: Storage, ...query: Parameters<Records['claimDueDeliveries']>) =>
  deliveryIds(await storage.transaction((records) => records.claimDueDeliveries(...query)));

/** The ids of refunds, in their order. */
export const refundIds = (refunds: Refund[]) => refunds.map(({ refundOrderId }) => refundOrderId);

/** The deliveries of a merchant as the list has them, with their payloads; the list leaves nothing else out. */
export async function listedDeliveries(reads: Reads, merchantId: string): Promise<DeliveryWithPayload[]> {
  const listed = await reads.listDeliveries(merchantId);
  return Promise.all(
    listed.map(async (summary) => {
      const found = await reads.findDelivery(merchantId, summary.deliveryId);
      if (!found) throw new Error(`there is no delivery ${summary.deliveryId}`);
      const { payload, ...rest } = found;
      expect(summary).toEqual(rest);
      return { payload, ...summary };
    }),
  );
}

/** The ids of webhooks, in their order. */
export const deliveryIds = (deliveries: Pick<Delivery, 'deliveryId'>[]) =>
  deliveries.map(({ deliveryId }) => deliveryId);

/** Ids that are not in alphabetical order. */
export const unsorted = ['id-9', 'id-10', 'id-2', 'id-1', 'id-11'];
