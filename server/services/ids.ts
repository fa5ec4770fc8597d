import { randomBytes } from 'node:crypto';
import type { Ids } from './ports.ts';

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** `length` random characters of base32, 5 bits each. */
function base32(length: number): string {
  return Array.from(randomBytes(length), (byte) => alphabet.charAt(byte & 31)).join('');
}

/** How the platform's own ids look. */
export const platformIdForms = { orderId: /^ord\.[a-z2-7]{26}$/, refundOrderId: /^ref\.[a-z2-7]{26}$/ };

/**
 * Random identifiers. A platform order id starts with `ord.`: the dot is no legal character of a merchantOrderId, so that
 * the two can never be mistaken for each other (open point `orders-query-id`).
 */
export const randomIds: Ids = {
  orderId: () => `ord.${base32(26)}`,
  refundOrderId: () => `ref.${base32(26)}`,
  eventId: () => `evt.${base32(26)}`,
  deliveryId: () => `dlv.${base32(26)}`,
  merchantId: () => `M-${base32(16)}`,
  apiKey: () => `ak_${base32(26)}`,
  apiSecret: () => randomBytes(32).toString('hex'),
};
