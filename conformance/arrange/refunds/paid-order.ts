import type { Credentials } from '../../drivers/driver.ts';
import type { Answer } from '../../wire/exchange.ts';

/** A paid order without a refund. */
export interface PaidOrder {
  merchant: Credentials;
  /** Its platform id, which refunds call acquiringOrderId. */
  orderId: string;
  /** Its view after the payment; absent for a configured order that the target does not show under its platform id. */
  view?: Answer;
}
