import type { OrderMachine } from '../domain/order.ts';
import { businessTime, catchUp } from './order-moves.ts';
import type { Clock, Storage } from './ports.ts';

const batch = 100;

/**
 * Does to every order what time has made due, a batch in each transaction. Several instances may run it at once: an order
 * that one of them holds is left out by the others. Returns how many orders were looked at.
 */
export async function moveDueOrders(parts: { storage: Storage; clock: Clock; machine: OrderMachine }): Promise<number> {
  const { storage, clock, machine } = parts;
  return storage.transaction(async (records) => {
    const real = clock();
    const orders = await records.lockDueOrders(real, batch);
    for (const order of orders) {
      const merchant = await records.findMerchant(order.merchantId);
      if (merchant) await catchUp(records, machine, order, businessTime(merchant, real));
    }
    return orders.length;
  });
}
