import type { Choices } from '../../../generated/catalogue.ts';
import { isDue } from '../../domain/due.ts';
import { businessTime, type Merchant } from '../../domain/merchant.ts';
import type { Order, OrderMachine, Product } from '../../domain/order.ts';
import type { Clock, Ids, Records, Storage } from '../ports.ts';
import { orderExists } from '../refusal.ts';
import type { Moves } from './moves.ts';
import { insertOrders } from './namespaces.ts';
import type { Repeats } from './repeats.ts';
import { brokenRule, type RequestRule } from './rules.ts';

/** The orders of one product. */
export type OrderOf<P extends Product> = Extract<Order, { product: P }>;

/** What the services of both products are made of. */
export interface OrderServiceParts<P extends Product> {
  storage: Storage;
  clock: Clock;
  ids: Ids;
  machine: OrderMachine;
  moves: Moves;
  rules: readonly RequestRule<OrderOf<P>['request']>[];
  choices: Choices;
}

/** How a product makes its orders, and when it answers a repeated create with the order that exists. */
interface ProductOrders<P extends Product> {
  product: P;
  isProduct(order: Order | undefined): order is OrderOf<P>;
  /** `now` is business time in milliseconds. */
  newOrder(merchant: Merchant, request: OrderOf<P>['request'], now: number): OrderOf<P>;
  isRepeat: Repeats<OrderOf<P>>;
}

/** Creates the orders of one product and brings them up to date. */
export function orderKeeper<P extends Product>(parts: OrderServiceParts<P>, own: ProductOrders<P>) {
  const { storage, clock, machine, moves, rules, choices } = parts;
  const { product, isProduct, newOrder, isRepeat } = own;
  const insert = insertOrders[choices['id-namespaces']];

  /**
   * Creates the order, or resolves with the order that exists under its merchantOrderId. The request has passed the
   * contract's schema. Throws a `Refusal` for a request that breaks a rule and for an id that is taken.
   */
  async function create(merchant: Merchant, request: OrderOf<P>['request']): Promise<OrderOf<P>> {
    const now = businessTime(merchant, clock());
    const { merchantId } = merchant;
    const { merchantOrderId } = request;
    const problem = brokenRule(rules, request, { now, merchant, choices });
    if (!problem) {
      const order = newOrder(merchant, request, now);
      if (await insert(storage, order)) return order;
    }
    return storage.transaction(async (records) => {
      // A repeat gets the order that it repeats, even if the time of expiry in the request has passed since.
      const first = await records.findOrder({ product, merchantId, merchantOrderId });
      if (!isProduct(first)) throw problem ?? orderExists(merchantOrderId);
      const existing = await current(records, first);
      if (isRepeat(existing, request, machine)) return existing;
      throw orderExists(merchantOrderId);
    });
  }

  /** The order as it stands now: time may have made a change due, which is done first. */
  async function asOfNow(merchant: Merchant, order: OrderOf<P>): Promise<OrderOf<P>> {
    if (!isDue(order, businessTime(merchant, clock()))) return order;
    return storage.transaction((records) => current(records, order));
  }

  /** The order after all that is due by the merchant's clock, which is read anew. */
  async function current(records: Records, { merchantId, orderId }: OrderOf<P>): Promise<OrderOf<P>> {
    const merchant = await records.findMerchant(merchantId);
    const locked = await records.lockOrder(merchantId, orderId);
    if (!merchant || !isProduct(locked)) throw new Error(`order ${orderId} is gone`);
    return moves.catchUpOrder(records, locked, businessTime(merchant, clock()));
  }

  return { create, asOfNow };
}
