import type { Credentials } from '../../drivers/driver.ts';

/** A paid order without a refund. */
export interface PaidOrder {
  merchant: Credentials;
  /** Its platform id, which refunds call acquiringOrderId. */
  orderId: string;
  /** The id that the merchant gave it; absent for a configured order. */
  merchantOrderId?: string;
  /**
   * What was paid, by what the run itself did: by the driver's word, or else the price in USDT. Absent where neither tells it:
   * for a configured order, and for one priced in USD whose driver does not say what was paid.
   */
  paid?: Payment;
}

/** An amount as decimal text, with its currency. */
export interface Payment {
  value: string;
  currency: string;
}
