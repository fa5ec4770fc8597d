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
    ...['checkout-other-codes', 'checkout-repeats-identical', 'checkout-asks-for-six-places', 'checkout-expiry-fails'],
  ],
  [
    ...['path-prefix', 'whole-seconds', 'clock-far-ahead', 'lenient-requests', 'repeats-identical'],
    'refunds-fewer-fields',
    ...['checkout-api-key-required', 'checkout-takes-six-places', 'checkout-repeats-replayed'],
    'checkout-ids-shared-by-products',
  ],
  [
    ...['basic-times', 'clock-far-behind', 'edges-otherwise'],
    'refunds-strict',
    ...['checkout-api-key-ignored', 'checkout-repeats-while-open', 'checkout-null-fields'],
    ...['checkout-strict-requests', 'checkout-processing-skipped'],
  ],
  [
    ...['slow', 'further-fields', 'clock-ahead-of-gateway', 'late-views', 'strict-requests'],
    'refunds-slow',
    ...['checkout-lenient-requests', 'checkout-repeats-refused', 'checkout-shared-address', 'checkout-one-method'],
  ],
  [
    ...['connections-otherwise', 'other-ids', 'behind-by-a-second', 'clock-behind-gateway'],
    'control-without-merchants',
  ],
  ['no-date-header', 'control-without-clock', 'checkout-small-amounts', 'checkout-never-cancelled'],
  [
    ...['webhooks-otherwise', 'orders-forms-taken', 'refunds-sparing'],
    ...['checkout-few-codes', 'checkout-strict-items'],
  ],
  [
    ...['written-otherwise', 'long-forms', 'ids-like-numbers', 'signatures-in-other-encodings'],
    ...['webhooks-redirects-followed', 'webhooks-one-retry', 'webhooks-repeated'],
    ...['orders-any-address', 'refunds-of-the-price', 'checkout-own-codes'],
  ],
  ['orders-time-out', 'revocation-heard-late', 'checkout-addresses-in-capitals', 'ids-that-count'],
  ['restart-slow', 'restart-503-at-first', 'restart-clock-off'],
];

/** The servers to judge for `variants`: one for those of them that are companions, and one for each other. */
export function withCompanions(variants: readonly Variant[]): readonly Variant[] {
  const together = companions
    .map((ids) => ids.flatMap((id) => variants.find((variant) => variant.id === id) ?? []))
    .filter((members) => members.length > 0);
  return [...together.map(combined), ...variants.filter((variant) => !together.flat().includes(variant))];
}
