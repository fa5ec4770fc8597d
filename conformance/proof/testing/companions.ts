import type { Variant } from '../stand/fault.ts';
import { combined } from './combined.ts';

/**
 * Variants that do not contradict each other, by id: `npm test` judges each list as one server, and `npm run proof` each variant alone.
 * What is seen of all answers comes first, since the first is the last to change an answer.
 */
export const companions: readonly (readonly string[])[] = [
  [
    ...['auth-http-401', 'microseconds', 'clock-ahead', 'pending-in-create', 'repeats-refused'],
    ...['refunds-straight', 'refunds-replayed', 'refunds-behind-a-gateway'],
    ...['checkout-http-statuses', 'checkout-repeats-existing', 'checkout-fees-beside-the-price'],
  ],
  [
    ...['auth-http-403-empty', 'zone-offset', 'clock-behind', 'merchant-order-id-only', 'repeats-existing'],
    ...['refunds-further-fields', 'refunds-repeats-refused'],
    ...['checkout-other-codes', 'checkout-repeats-identical', 'checkout-asks-for-six-places'],
  ],
  [
    ...['path-prefix', 'whole-seconds', 'clock-far-ahead', 'lenient-requests', 'repeats-identical'],
    'refunds-fewer-fields',
    ...['checkout-api-key-required', 'checkout-takes-six-places'],
  ],
  [
    ...['basic-times', 'clock-far-behind', 'edges-otherwise'],
    'refunds-strict',
    ...['checkout-api-key-ignored', 'checkout-repeats-while-open', 'checkout-null-fields'],
  ],
  [
    ...['slow', 'further-fields', 'clock-ahead-of-gateway', 'strict-requests'],
    ...['checkout-lenient-requests', 'checkout-repeats-refused', 'checkout-shared-address', 'checkout-one-method'],
  ],
  [
    ...['other-ids', 'connections-otherwise', 'clock-behind-gateway'],
    'refunds-slow',
    ...['checkout-strict-requests', 'checkout-ids-shared-by-products', 'checkout-expiry-fails'],
    'checkout-small-amounts',
  ],
  ['webhooks-otherwise', 'orders-forms-taken', 'refunds-sparing', 'checkout-few-codes'],
  ['webhooks-redirects-followed', 'orders-any-address', 'refunds-of-the-price', 'checkout-own-codes'],
  ['webhooks-one-retry', 'signatures-in-other-encodings', 'checkout-strict-items'],
  ['webhooks-repeated', 'orders-time-out', 'revocation-heard-late', 'checkout-addresses-in-capitals'],
  ['restart-slow', 'restart-503-at-first', 'restart-clock-off'],
  ['written-otherwise', 'long-forms', 'ids-like-numbers', 'behind-by-a-second'],
];

/** The servers to judge for `variants`: one for those of them that are companions, and one for each other. */
export function withCompanions(variants: readonly Variant[]): readonly Variant[] {
  const together = companions
    .map((ids) => ids.flatMap((id) => variants.find((variant) => variant.id === id) ?? []))
    .filter((members) => members.length > 0);
  return [...together.map(combined), ...variants.filter((variant) => !together.flat().includes(variant))];
}
