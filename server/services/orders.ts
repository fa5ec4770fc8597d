import type { Merchant } from '../domain/merchant.ts';
import { compareAmounts } from '../domain/money.ts';
import {
  type HostedOrder,
  isDue,
  newHostedOrder,
  type OrderCreateRequest,
  type OrderMachine,
} from '../domain/order.ts';
import { businessTime, catchUp } from './order-moves.ts';
import type { Clock, Ids, Records, Storage } from './ports.ts';
import { Refusal } from './refusal.ts';
import type { RequestRule } from './rules.ts';

export interface OrderServiceParts {
  storage: Storage;
  clock: Clock;
  ids: Ids;
  machine: OrderMachine;
  rules: readonly RequestRule<OrderCreateRequest>[];
}

export type OrderService = ReturnType<typeof orderService>;

/** Hosted orders: create and query. Both throw a `Refusal` for what the merchant has to hear. */
export function orderService({ storage, clock, ids, machine, rules }: OrderServiceParts) {
  /**
   * Creates the order, or answers with the one that exists when the same order was created before (open point
   * `orders-duplicate-id`). The request has passed the contract's schema.
   */
  async function create(merchant: Merchant, request: OrderCreateRequest): Promise<HostedOrder> {
    const now = businessTime(merchant, clock());
    for (const rule of rules) {
      const violation = rule.violation(request, { now });
      if (violation) throw new Refusal('invalid-parameter', violation, rule.requirement);
    }
    const { merchantId, settings } = merchant;
    const orderId = ids.orderId();
    const order = newHostedOrder({ orderId, merchantId, request, usdRate: settings.usdRate, now, machine });
    return storage.transaction(async (records) => {
      if (await records.insertOrder(order)) return order;
      const existing = await records.findOrder(order);
      if (existing && sameOrder(existing, order)) return current(records, existing);
      throw new Refusal(
        'already-exists',
        `merchantOrderId: ${request.merchantOrderId} belongs to another order; use a new one`,
      );
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

  /** The order after what time has done to it, the clock read under the merchant's own offset of this moment. */
  async function current(records: Records, order: HostedOrder): Promise<HostedOrder> {
    const merchant = await records.findMerchant(order.merchantId);
    const locked = await records.lockOrder(order.merchantId, order.orderId);
    if (!merchant || !locked) throw new Error(`order ${order.orderId} is gone`);
    return catchUp(records, machine, locked, businessTime(merchant, clock()));
  }

  return { create, query };
}

/** A repeat: the same amount, by value, in the same currency. */
function sameOrder(existing: HostedOrder, repeated: HostedOrder): boolean {
  const [before, now] = [existing.request.orderAmount, repeated.request.orderAmount];
  return before.currency === now.currency && compareAmounts(before.value, now.value) === 0;
}
