import { type RequirementId, requirements } from '../../generated/catalogue.ts';

/** Why a merchant's request is refused. Each area answers those that can happen in it in its own envelope. */
export type RefusalReason =
  | CommonRefusalReason
  | OrderRefusalReason
  | HostedRefusalReason
  | CheckoutRefusalReason
  | RefundRefusalReason;

/** Reasons to refuse any request. */
export type CommonRefusalReason =
  | 'invalid-parameter'
  | 'malformed-id'
  | 'unknown-merchant'
  | 'invalid-signature'
  | 'timestamp-expired'
  | 'invalid-api-key'
  | 'rate-limit-exceeded'
  | 'system-error';

/** Further reasons for requests about an order of either product. */
export type OrderRefusalReason = 'invalid-amount' | 'already-exists' | 'not-found';

/** Further reasons for requests about a hosted order. */
export type HostedRefusalReason = 'unsupported-currency';

/** Further reasons for requests of the checkout area. */
export type CheckoutRefusalReason =
  | 'amount-out-of-range'
  | 'invalid-expiry'
  | 'expiry-too-far'
  | 'unconfigured-payment-method'
  | 'unknown-payment-method'
  | 'checkout-disabled';

/** Further reasons for requests about a refund. */
export type RefundRefusalReason =
  | 'order-not-found'
  | 'refund-not-found'
  | 'order-not-refundable'
  | 'order-already-refunded'
  | 'refund-period-expired'
  | 'insufficient-balance'
  | 'idempotency-conflict';

/** A request that is refused: nothing was changed. The message names the field, the rule and the cure; it holds no secret. */
export class Refusal extends Error {
  readonly reason: RefusalReason;
  /** Seconds after which it is worth trying again. */
  readonly retryAfter: number | undefined;

  constructor(reason: RefusalReason, message: string, { retryAfter }: { retryAfter?: number } = {}) {
    super(message);
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}

/** Requirements with a reason of their own, because their error code is an open point. */
const reasonByRequirement: Partial<Record<RequirementId, RefusalReason>> = {
  'orders.amount.currency-values': 'unsupported-currency',
  'checkout.amount.currency-values': 'unknown-payment-method',
  'checkout.create.network': 'unknown-payment-method',
  'checkout.amount.range': 'amount-out-of-range',
  'checkout.create.expires-at.limit': 'expiry-too-far',
};

/** The reason for each error code that a requirement names. */
const reasonByCode: Readonly<Record<string, RefusalReason>> = {
  '10004': 'invalid-amount',
  '10005': 'invalid-expiry',
  '10011': 'unconfigured-payment-method',
};

/** The reason to refuse a request that breaks a requirement. */
export function reasonOf(requirement: RequirementId | undefined): RefusalReason {
  const own = requirement && reasonByRequirement[requirement];
  if (own) return own;
  const code = requirements.find(({ id }) => id === requirement)?.error;
  return (code === undefined ? undefined : reasonByCode[code]) ?? 'invalid-parameter';
}

/** The refusal of a query for an order that is not there; `isPossible`: the id keeps the rules for ids. */
export function orderNotFound(id: string, isPossible: boolean): Refusal {
  const shown = id.slice(0, 80);
  if (isPossible) return new Refusal('not-found', `merchantOrderId: this merchant has no order ${shown}; check the id`);
  return new Refusal(
    'malformed-id',
    `merchantOrderId: no order is found by ${shown}; give the merchantOrderId of its create`,
  );
}

/** The refusal of a create whose merchantOrderId another order of the merchant has. */
export function orderExists(merchantOrderId: string): Refusal {
  return new Refusal('already-exists', `merchantOrderId: ${merchantOrderId} belongs to another order; use a new one`);
}
