import { businessTime } from '../../domain/merchant.ts';
import type { Clock, Records, Storage } from '../ports.ts';
import type { Moves } from './moves.ts';

/** How many records one transaction moves at most. They are few because each may be as large as a whole request. */
const batch = 20;

/**
 * Makes all due moves of orders and refunds. Several instances may run this at once: each leaves out the records that another
 * one has locked. It ends when no order is due any more.
 */
export async function moveDue(parts: { storage: Storage; clock: Clock; moves: Moves }): Promise<void> {
  while ((await moveDueOrders(parts)) === batch);
  await moveDueRefunds(parts);
}

/** Moves one batch of due orders and resolves with the number of moved ones. An order without a possible move stays as it is. */
async function moveDueOrders({ storage, clock, moves }: Parameters<typeof moveDue>[0]): Promise<number> {
  return storage.transaction(async (records) => {
    const real = clock();
    let moved = 0;
    for (const order of await records.lockDueOrders(real, batch)) {
      const merchant = await records.findMerchant(order.merchantId);
      if (!merchant) continue;
      const after = await moves.catchUpOrder(records, order, businessTime(merchant, real));
      if (after !== order) moved += 1;
    }
    return moved;
  });
}

/** Moves due refunds one by one, because each changes its merchant's ledger, and the merchant must be locked first. */
async function moveDueRefunds({ storage, clock, moves }: Parameters<typeof moveDue>[0]): Promise<void> {
  const due = await storage.transaction((records) => records.lockDueRefunds(clock(), batch));
  for (const { merchantId, refundOrderId } of due) {
    await storage.transaction((records) => catchUpRefund(records, moves, clock(), merchantId, refundOrderId));
  }
}

/** Locks a refund, its merchant first, and makes the moves that are due at real time `real`. */
async function catchUpRefund(records: Records, moves: Moves, real: number, merchantId: string, refundOrderId: string) {
  const merchant = await records.lockMerchant(merchantId);
  const refund = merchant && (await records.lockRefund(merchantId, refundOrderId));
  if (merchant && refund) await moves.catchUpRefund(records, merchant, refund, businessTime(merchant, real));
}
