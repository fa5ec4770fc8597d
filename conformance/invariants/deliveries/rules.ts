import type { RequirementId } from '../../../generated/catalogue.ts';
import type { OperationArea } from '../../contract/operations.ts';
import type { InvariantRule } from '../invariant.ts';

/** What webhooks of an area are called, in ids and in sentences. */
const kinds: Readonly<Record<OperationArea, { id: string; noun: string }>> = {
  orders: { id: 'order', noun: 'a hosted order' },
  checkout: { id: 'checkout-order', noun: 'a checkout order' },
  refunds: { id: 'refund', noun: 'a refund' },
};

const ofOrder: Readonly<Record<string, readonly [RequirementId, (noun: string) => string]>> = {
  address: ['webhooks.order.post', (noun) => `Webhooks about ${noun} come to its callbackUrl and to no other address`],
  query: ['webhooks.order.post', (noun) => `Webhooks about ${noun} come with the query of its callbackUrl, unchanged`],
  path: [
    'webhooks.order.post',
    (noun) => `Webhooks about ${noun} come with the path of its callbackUrl, with its escapes and slashes as they are`,
  ],
  method: ['webhooks.order.post', (noun) => `Webhooks about ${noun} are POST requests`],
  identifies: [
    'webhooks.order.identifies',
    (noun) => `A webhook at the callbackUrl of ${noun} names one of its two ids`,
  ],
  'content-type': [
    'webhooks.content-type',
    (noun) => `The Content-Type of a webhook about ${noun} says that its body is JSON where it is`,
  ],
  'after-change': [
    'webhooks.order.after-change',
    (noun) => `No webhook tells of a status of ${noun} before the order can have it`,
  ],
  status: [
    'webhooks.order.status',
    (noun) => `A status that a webhook about ${noun} names is one that the order has had`,
  ],
  paid: ['webhooks.order.paid', (noun) => `That ${noun} was paid has been announced`],
  failed: ['webhooks.order.failed', (noun) => `That ${noun} has failed has been announced`],
  expired: ['webhooks.order.expired', (noun) => `That ${noun} has expired has been announced`],
};

const ofHostedOrder: typeof ofOrder = {
  ...ofOrder,
  cancelled: ['webhooks.order.cancelled', (noun) => `That ${noun} was cancelled has been announced`],
};

const ofRefund: typeof ofOrder = {
  address: [
    'webhooks.refund.notify-url',
    (noun) => `Webhooks about ${noun} come to its notifyUrl, or without one to the merchant's default address`,
  ],
  query: [
    'webhooks.refund.notify-url',
    (noun) => `Webhooks about ${noun} come with the query of their address, unchanged`,
  ],
  path: [
    'webhooks.refund.notify-url',
    (noun) => `Webhooks about ${noun} come with the path of their address, with its escapes and slashes as they are`,
  ],
  method: ['webhooks.refund.notify-url', (noun) => `Webhooks about ${noun} are POST requests`],
  identifies: ['webhooks.refund.identifies', (noun) => `A webhook at the notifyUrl of ${noun} names it or its order`],
  'content-type': [
    'webhooks.content-type',
    (noun) => `The Content-Type of a webhook about ${noun} says that its body is JSON where it is`,
  ],
  'after-change': [
    'webhooks.refund.after-result',
    (noun) => `No webhook tells of a result of ${noun} before the refund has it`,
  ],
  status: [
    'webhooks.refund.status',
    (noun) => `A status that a webhook about ${noun} names is one that the refund has had`,
  ],
  succeeded: ['webhooks.refund.notify-url', (noun) => `That ${noun} has succeeded has been announced`],
  failed: ['webhooks.refund.notify-url', (noun) => `That ${noun} has failed has been announced`],
};

const rulesOf: Readonly<Record<OperationArea, typeof ofOrder>> = {
  orders: ofHostedOrder,
  checkout: ofOrder,
  refunds: ofRefund,
};

const areas: readonly OperationArea[] = ['orders', 'checkout', 'refunds'];

/** The name of a rule, the last word of its id. */
export type RuleName =
  | 'address'
  | 'query'
  | 'path'
  | 'method'
  | 'identifies'
  | 'content-type'
  | 'after-change'
  | 'status'
  | 'paid'
  | 'failed'
  | 'expired'
  | 'cancelled'
  | 'succeeded';

/** The id of a rule for the webhooks about the entities of an area. */
export const ruleId = (area: OperationArea, name: RuleName): string => `webhooks.${kinds[area].id}.deliveries.${name}`;

/** The rules of the webhooks of all areas. */
export const deliveryRules: readonly InvariantRule[] = areas.flatMap((area) =>
  Object.entries(rulesOf[area]).map(([name, [requirement, title]]) => ({
    id: `webhooks.${kinds[area].id}.deliveries.${name}`,
    title: title(kinds[area].noun),
    requirements: [requirement] as const,
    ...(area === 'refunds' &&
      name === 'address' && { requirements: [requirement, 'webhooks.refund.default-address'] as const }),
  })),
);
