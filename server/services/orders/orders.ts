import type { Choices } from '../../../generated/catalogue.ts';
import type { Merchant } from '../../domain/merchant.ts';
import {
  type HostedOrder,
  isDue,
  newHostedOrder,
  type Order,
  type OrderCreateRequest,
  type OrderMachine,
} from '../../domain/order.ts';
import type { Clock, Ids, Reads, Records, Storage } from '../ports.ts';
import { orderExists, orderNotFound } from '../refusal.ts';
import { couldBe } from './id-forms.ts';
import { businessTime, type Moves } from './moves.ts';
import { insertOrders } from './namespaces.ts';
import { hostedRepeats } from './repeats.ts';
import { brokenRule, type RequestRule } from './rules.ts';

export type OrderService = ReturnType<typeof orderService>;

/** An order with what its checkout page is made of. */
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
    couldFind: (id) => couldBe.merchantOrderId(id, 'hosted') || couldBe.orderId(id),
  },
  'merchant-order-id-only': {
    find: byMerchantOrderId,
    couldFind: (id) => couldBe.merchantOrderId(id, 'hosted'),
  },
};

function byMerchantOrderId(reads: Reads, merchantId: string, merchantOrderId: string): Promise<Order | undefined> {
  return reads.findOrder({ product: 'hosted', merchantId, merchantOrderId });
}

/** Hosted orders. `create` and `query` throw a `Refusal` for what the merchant has to hear. */
export function orderService(parts: {
  storage: Storage;
  clock: Clock;
  ids: Ids;
  machine: OrderMachine;
  moves: Moves;
  rules: readonly RequestRule<OrderCreateRequest>[];
  choices: Choices;
}) {
  const { storage, clock, ids, machine, moves, rules, choices } = parts;
  const insert = insertOrders[choices['id-namespaces']];
  const isRepeat = hostedRepeats[choices['orders-duplicate-id']];
  const lookup = lookups[choices['orders-query-id']];

  /** Creates the order, or answers with the one that exists. The request has passed the contract's schema. */
  async function create(merchant: Merchant, request: OrderCreateRequest): Promise<HostedOrder> {
    const now = businessTime(merchant, clock());
    const { merchantId, settings } = merchant;
    const { merchantOrderId } = request;
    const problem = brokenRule(rules, request, { now, merchant, choices });
    if (!problem) {
      const orderId = ids.orderId();
      const order = newHostedOrder({ orderId, merchantId, request, usdRate: settings.usdRate, now, machine });
      if (await insert(storage, order)) return order;
    }
    return storage.transaction(async (records) => {
      // A repeat is answered as what it repeats, though its expiry may have passed since.
      const first = await records.findOrder({ product: 'hosted', merchantId, merchantOrderId });
      if (first?.product !== 'hosted') throw problem ?? orderExists(merchantOrderId);
      const existing = await current(records, first);
      if (isRepeat(existing, request, machine)) return existing;
      throw orderExists(merchantOrderId);
    });
  }

  /** The order as it stands now. */
  async function query(merchant: Merchant, id: string): Promise<HostedOrder> {
    const { merchantId } = merchant;
    const order = await lookup.find(storage.reads, merchantId, id);
    if (order?.product !== 'hosted') throw orderNotFound(id, lookup.couldFind(id));
    return asOfNow(merchant, order);
  }

  /**
   * What the customer sees who has the address of the order's checkout page: the order as it stands now, its merchant, and
   * that merchant's business time in milliseconds. `undefined` when no hosted order has this platform id.
   */
  async function openCheckout(orderId: string): Promise<OpenedCheckout | undefined> {
    const order = await storage.reads.findOrderOfAnyMerchant(orderId);
    if (order?.product !== 'hosted') return undefined;
    const merchant = await storage.reads.findMerchant(order.merchantId);
    if (!merchant) throw new Error(`the merchant of order ${orderId} is gone`);
    return { order: await asOfNow(merchant, order), merchant, now: businessTime(merchant, clock()) };
  }

  /** The order, moved first where time has made that due. */
  async function asOfNow(merchant: Merchant, order: HostedOrder): Promise<HostedOrder> {
    if (!isDue(order, businessTime(merchant, clock()))) return order;
    return storage.transaction((records) => current(records, order));
  }

  /** The order after what time has done to it, by the merchant's clock as it is now. */
  async function current(records: Records, order: HostedOrder): Promise<HostedOrder> {
    const merchant = await records.findMerchant(order.merchantId);
    const locked = await records.lockOrder(order.merchantId, order.orderId);
    if (!merchant || locked?.product !== 'hosted') throw new Error(`order ${order.orderId} is gone`);
    return moves.catchUpOrder(records, locked, businessTime(merchant, clock()));
  }

  return { create, query, openCheckout };
}
