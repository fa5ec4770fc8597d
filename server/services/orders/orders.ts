import type { Choices } from '../../../generated/catalogue.ts';
import { businessTime, type Merchant } from '../../domain/merchant.ts';
import { atRate, type HostedOrder, newHostedOrder, type Order } from '../../domain/order.ts';
import type { Reads } from '../ports.ts';
import { orderNotFound } from '../refusal.ts';
import { isPossibleId } from './id-forms.ts';
import { type OrderServiceParts, orderKeeper } from './order-keeper.ts';
import { hostedRepeats } from './repeats.ts';

export type OrderService = ReturnType<typeof orderService>;

/** An order with the facts that its checkout page shows. */
export interface OpenedCheckout {
  order: HostedOrder;
  merchant: Merchant;
  /** Business time in milliseconds. */
  now: number;
}

/** By which ids a query finds an order (open point `orders-query-id`). */
const lookups: Readonly<
  Record<
    Choices['orders-query-id'],
    { find(reads: Reads, merchantId: string, id: string): Promise<Order | undefined>; couldFind(id: string): boolean }
  >
> = {
  both: {
    find: async (reads, merchantId, id) =>
      (await byMerchantOrderId(reads, merchantId, id)) ?? (await reads.findOrderById(merchantId, id)),
    couldFind: (id) => isPossibleId.merchantOrderId(id, 'hosted') || isPossibleId.orderId(id),
  },
  'merchant-order-id-only': {
    find: byMerchantOrderId,
    couldFind: (id) => isPossibleId.merchantOrderId(id, 'hosted'),
  },
};

function byMerchantOrderId(reads: Reads, merchantId: string, merchantOrderId: string): Promise<Order | undefined> {
  return reads.findOrder({ product: 'hosted', merchantId, merchantOrderId });
}

/** Hosted orders. `create` and `query` throw a `Refusal` for a request that the merchant got wrong. */
export function orderService(parts: OrderServiceParts<'hosted'>) {
  const { storage, clock, ids, machine, choices } = parts;
  const lookup = lookups[choices['orders-query-id']];
  const { create, asOfNow } = orderKeeper(parts, {
    product: 'hosted',
    isProduct: isHosted,
    newOrder: ({ merchantId, settings }, request, now) =>
      newHostedOrder({ orderId: ids.orderId(), merchantId, request, usdRate: settings.usdRate, now, machine }),
    isRepeat: hostedRepeats[choices['orders-duplicate-id']],
  });

  /** The order as it stands now, by an id that the choice `orders-query-id` allows. */
  async function query(merchant: Merchant, id: string): Promise<HostedOrder> {
    const order = await lookup.find(storage.reads, merchant.merchantId, id);
    if (!isHosted(order)) throw orderNotFound(id, lookup.couldFind(id));
    return asOfNow(merchant, order);
  }

  /**
   * The order as it stands now, by platform id, for the customer who has the address of its checkout page; with its merchant
   * and that merchant's business time in milliseconds. A price in USD is shown at the present rate until a payment is detected.
   * `undefined` when no hosted order has this id.
   */
  async function openCheckout(orderId: string): Promise<OpenedCheckout | undefined> {
    const order = await storage.reads.findOrderOfAnyMerchant(orderId);
    if (!isHosted(order)) return undefined;
    const merchant = await storage.reads.findMerchant(order.merchantId);
    if (!merchant) throw new Error(`the merchant of order ${orderId} is gone`);
    const shown = atRate(await asOfNow(merchant, order), merchant.settings.usdRate);
    return { order: shown, merchant, now: businessTime(merchant, clock()) };
  }

  return { create, query, openCheckout };
}

function isHosted(order: Order | undefined): order is HostedOrder {
  return order?.product === 'hosted';
}
