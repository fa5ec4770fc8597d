/** The things that a check can require beside a merchant, in the order in which messages list them. */
export const needNames = [
  'order-events', // a driver that makes things happen to orders
  'refund-events', // a driver that makes things happen to refunds
  'clock', // a driver that moves business time
  'paid-order', // a paid order: made through a driver, or configured
  'own-merchant', // a driver that makes merchants with the settings that the check asks for
  'key-revocation', // a driver that makes merchants and revokes their keys
  'other-merchant', // a second merchant
  'checkout-disabled', // a merchant without API Checkout
  'webhook-receiver', // a target that can reach the runner's receiver
  'low-balance', // a merchant whose balance covers no refund
  'restart', // a driver that ends the target without warning and starts it again
] as const;

/** Something that a check requires beside a merchant. */
export type Need = (typeof needNames)[number];

/** A need that no MUST has: without it a run is complete nevertheless. */
export const isOptional = (need: Need): boolean => need === 'restart';
