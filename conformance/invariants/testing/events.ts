import type { ClockRecord, OrderEventRecord, RefundEventRecord } from '../../history/records.ts';
import { merchantId } from './histories.ts';

/** What the driver was asked to let happen to order `ord.1`. It begins at `start`, takes 1 ms and is done unless `result` says otherwise. */
export function orderEvent(
  start: number,
  event: OrderEventRecord['event'],
  change: Partial<OrderEventRecord> = {},
): OrderEventRecord {
  const result = { done: true } as const;
  return {
    kind: 'driver',
    step: 'orderEvent',
    start,
    end: start + 1,
    merchantId,
    orderId: 'ord.1',
    event,
    result,
    ...change,
  };
}

/** The same for refund `ref.1`. */
export function refundEvent(start: number, type: string): RefundEventRecord {
  const [event, result] = [{ type }, { done: true } as const];
  return {
    kind: 'driver',
    step: 'refundEvent',
    start,
    end: start + 1,
    merchantId,
    refundOrderId: 'ref.1',
    event,
    result,
  };
}

/** A move of the merchant's business time. */
export const clockMove = (start: number, seconds: number): ClockRecord => ({
  kind: 'clock',
  start,
  end: start + 1,
  merchantId,
  seconds,
});
