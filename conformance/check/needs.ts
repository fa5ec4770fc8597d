/** What a check cannot do without, beside a merchant. */
export type Need =
  | 'order-events' // a driver that makes things happen to orders
  | 'refund-events' // a driver that makes things happen to refunds
  | 'clock' // a driver that moves business time
  | 'paid-order' // a paid order: made through a driver, or configured
  | 'own-merchant' // a driver that makes merchants to the check's wishes
  | 'other-merchant' // a second merchant
  | 'checkout-disabled' // a merchant without API Checkout
  | 'webhook-receiver' // a target that can reach the runner's receiver
  | 'low-balance'; // a merchant whose balance covers no refund
