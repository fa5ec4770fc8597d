import type { Choices } from '../../../generated/catalogue.ts';
import type { Order, Product } from '../../domain/order.ts';
import type { Storage } from '../ports.ts';

/** Writes a new order; false, and nothing is written, when its merchantOrderId is taken. */
type InsertOrder = (storage: Storage, order: Order) => Promise<boolean>;

const otherProduct: Readonly<Record<Product, Product>> = { hosted: 'checkout', checkout: 'hosted' };

/** Among which orders a merchantOrderId is taken (open point `id-namespaces`). */
export const insertOrders: Readonly<Record<Choices['id-namespaces'], InsertOrder>> = {
  separate: (storage, order) => storage.insertOrder(order),
  'shared-products': (storage, order) =>
    storage.transaction(async (records) => {
      const { merchantId, merchantOrderId } = order;
      // The lock keeps a create of the other product waiting. It could otherwise take the id after the look-up.
      await records.lockMerchant(merchantId);
      const product = otherProduct[order.product];
      if (await records.findOrder({ product, merchantId, merchantOrderId })) return false;
      return records.insertOrder(order);
    }),
};
