import type { Variant } from '../stand/fault.ts';
import { coveringChoices } from './chosen-servers.ts';
import { combined } from './combined.ts';
import { variants } from './index.ts';

/**
 * Conforming servers that do not contradict each other, by id: each list is judged as one server, in `npm run proof` by every check. What is seen of all answers comes first, since the first is the last to change an answer; what makes ids comes last, so that the
 * others know them.
 */
export const companions: readonly (readonly string[])[] = [
  [
    ...['path-prefix', 'clock-far-ahead', 'auth-http-401', 'whole-seconds', 'pending-in-create'],
    ...['refunds-straight', 'refunds-replayed', 'refunds-fewer-fields', 'refunds-behind-a-gateway'],
    ...['checkout-http-statuses', 'checkout-repeats-replayed', 'checkout-shared-address'],
    ...[
      'checkout-fees-beside-the-price',
      'refunds-of-the-price',
      'checkout-takes-six-places',
      'checkout-lenient-requests',
    ],
  ],
  [
    ...['auth-http-403-empty', 'zone-offset', 'clock-far-behind', 'strict-requests'],
    ...['refunds-further-fields', 'refunds-repeats-refused', 'refunds-strict'],
    ...['refunds-refusals-remembered', 'refunds-hosted-only'],
    ...['checkout-other-codes', 'checkout-asks-for-six-places', 'checkout-processing-skipped', 'checkout-one-method'],
  ],
  [
    ...['connections-otherwise', 'other-ids', 'behind-by-a-second', 'clock-behind-gateway'],
    ...['control-without-merchants', 'checkout-fees-in-percent'],
  ],
  [
    ...['no-date-header', 'basic-times', 'control-without-clock', 'checkout-small-amounts'],
    ...['checkout-never-cancelled', 'contrary-2'],
  ],
  ['dates-of-a-gateway', 'copy-behind', 'orders-made-again', 'refund-ids-of-the-merchants'],
  [
    ...['webhooks-otherwise', 'orders-forms-taken', 'orders-time-out', 'refunds-sparing', 'refunds-for-an-hour'],
    ...['checkout-few-codes', 'checkout-strict-items', 'ids-like-numbers', 'late-timeouts'],
  ],
  [
    ...['written-otherwise', 'long-forms', 'ids-that-count', 'signatures-in-other-encodings'],
    ...['webhooks-escaped', 'webhooks-redirects-followed', 'webhooks-one-retry', 'webhooks-repeated'],
    ...['webhooks-in-turn', 'orders-any-address', 'checkout-own-codes'],
  ],
  [
    ...['fields-in-any-order', 'halves-of-pairs-replaced', 'refunds-never-given-back'],
    ...['webhooks-late', 'ids-that-count-for-each-merchant'],
  ],
  [
    ...['signatures-taken-once', 'refunds-batches-of-different-ids', 'webhooks-retried-at-once'],
    ...['checkout-repeats-identical', 'ids-after-the-merchants'],
  ],
  [
    ...['webhooks-of-current-state', 'webhooks-addresses-asked-first', 'webhooks-over-kept-connections'],
    'ids-in-the-form-of-merchants',
  ],
  ['refunds-for-a-fee', 'webhooks-in-order', 'webhooks-compressed', 'ids-of-any-characters'],
  ['last-of-orders-made-again', 'more-than-json', 'payments-confirmed-in-time'],
  [
    ...['restart-slow', 'restart-503-at-first', 'restart-clock-off', 'restart-ends-later'],
    'restart-processing-skipped',
  ],
];

/** Variants that change no answer at an open point, by id: they are judged together with `contrary`, which takes another answer at every point. */
export const besideContrary: readonly string[] = [
  ...['slow', 'further-fields', 'clock-ahead-of-gateway', 'late-views', 'revocation-heard-late'],
  ...['refunds-slow', 'checkout-addresses-in-capitals'],
];

/** Variants that `npm test` leaves to `npm run proof`, by id, each with a server that differs from the reference server in the same way, or further. */
export const doubled: Readonly<Record<string, string>> = {
  'clock-ahead': 'clock-far-ahead',
  'clock-behind': 'clock-far-behind',
  microseconds: 'long-forms',
  'restart-ends-bit-by-bit': 'restart-ends-later',
  'repeats-refused': 'contrary',
  'repeats-existing': 'orders-duplicate-id-always-existing',
  'repeats-identical': 'contrary-2',
  'merchant-order-id-only': 'contrary',
  'lenient-requests': 'contrary',
  'edges-otherwise': 'contrary',
  'checkout-null-fields': 'contrary',
  'checkout-expiry-fails': 'contrary',
  'checkout-repeats-existing': 'contrary',
  'checkout-repeats-while-open': 'checkout-repeat-while-open',
  'checkout-repeats-refused': 'checkout-repeat-always-refused',
  'checkout-api-key-required': 'contrary',
  'checkout-api-key-ignored': 'contrary-2',
  'checkout-ids-shared-by-products': 'contrary',
  'checkout-strict-requests': 'contrary',
};

/** Each list of conforming servers that do not contradict each other, as one server. */
export const combinations: readonly Variant[] = [...companions, [...besideContrary, 'contrary']].map((ids, index) => {
  const members = ids.flatMap((id) => [...variants, ...coveringChoices].find((server) => server.id === id) ?? []);
  return {
    ...combined(members),
    id: `together-${index + 1}`,
    title: `${members.length} of these differences at once.`,
  };
});

const judgedTogether = new Set([...companions.flat(), ...besideContrary, 'contrary', ...Object.keys(doubled)]);

/** Whether another conforming server of the proof is judged by every check and differs in all that this one does. */
export const isJudgedTogether = ({ id }: Variant): boolean => judgedTogether.has(id);

/** The servers to judge for these conforming ones: one for those of them that are companions, and one for each other. */
export function withCompanions(servers: readonly Variant[]): readonly Variant[] {
  const together = companions
    .map((ids) => ids.flatMap((id) => servers.find((server) => server.id === id) ?? []))
    .filter((members) => members.length > 0);
  return [...together.map(combined), ...servers.filter((server) => !together.flat().includes(server))];
}
