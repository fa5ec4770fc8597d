import type { Merchant } from '../domain/merchant.ts';
import { compareAmounts } from '../domain/money.ts';
import {
  type HostedOrder,
  isDue,
  newHostedOrder,
  type OrderCreateRequest,
  type OrderMachine,
} from '../domain/order.ts';
import { businessTime, type Moves } from './moves.ts';
import type { Clock, Ids, Records, Storage } from './ports.ts';
import { orderExists, Refusal } from './refusal.ts';
import { brokenRule, type RequestRule } from './rules.ts';

export type OrderService = ReturnType<typeof orderService>;

/** Hosted orders: create and query. Both throw a `Refusal` for what the merchant has to hear. */
export function orderService(parts: {
  storage: Storage;
  clock: Clock;
  ids: Ids;
  machine: OrderMachine;
  moves: Moves;
  rules: readonly RequestRule<OrderCreateRequest>[];
}) {
  const { storage, clock, ids, machine, moves, rules } = parts;

  /**
   * Creates the order, or answers with the one that exists when the same order was created before (open point
   * `orders-duplicate-id`). The request has passed the contract's schema.
   */
  async function create(merchant: Merchant, request: OrderCreateRequest): Promise<HostedOrder> {
    const now = businessTime(merchant, clock());
    const { merchantId, settings } = merchant;
    const { merchantOrderId } = request;
    const problem = brokenRule(rules, request, { now, merchant });
    return storage.transaction(async (records) => {
      if (!problem) {
        const orderId = ids.orderId();
        const order = newHostedOrder({ orderId, merchantId, request, usdRate: settings.usdRate, now, machine });
        if (await records.insertOrder(order)) return order;
      }
      // A repeat is answered as what it repeats, though its expiry may have passed since.
      const first = await records.findOrder({ product: 'hosted', merchantId, merchantOrderId });
      if (first?.product === 'hosted' && isRepeat(first, request)) return current(records, first);
      throw problem ?? orderExists(merchantOrderId);
    });
  }

  /** The order as it stands now, by merchantOrderId or by platform id. */
  async function query(merchant: Merchant, id: string): Promise<HostedOrder> {
    const { merchantId } = merchant;
    const order =
      (await storage.reads.findOrder({ product: 'hosted', merchantId, merchantOrderId: id })) ??
      (await storage.reads.findOrderById(merchantId, id));
    if (order?.product !== 'hosted') {
      throw new Refusal('not-found', `merchantOrderId: there is no order ${id.slice(0, 80)}`);
    }
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

  return { create, query };
}

/** A repeat: the same amount, by value, in the same currency. */
function isRepeat({ request: { orderAmount } }: HostedOrder, repeated: OrderCreateRequest): boolean {
  return (
    orderAmount.currency === repeated.orderAmount.currency &&
    compareAmounts(orderAmount.value, repeated.orderAmount.value) === 0
  );
}
