import { type RequirementId, requirements } from '../../generated/catalogue.ts';

/** Why a merchant's request is refused. Each area answers those that can happen in it in its own envelope. */
export type RefusalReason = CommonRefusalReason | OrderRefusalReason | CheckoutRefusalReason | RefundRefusalReason;

/** What can be wrong with any request. */
export type CommonRefusalReason =
  | 'invalid-parameter'
  | 'unknown-merchant'
  | 'invalid-signature'
  | 'timestamp-expired'
  | 'invalid-api-key'
  | 'system-error';

/** What can be wrong with a request about an order. */
export type OrderRefusalReason = 'invalid-amount' | 'already-exists' | 'not-found';

/** What can be wrong with a checkout request, beside that. */
export type CheckoutRefusalReason = 'invalid-expiry' | 'unconfigured-payment-method' | 'checkout-disabled';

/** What can be wrong with a request about a refund. */
export type RefundRefusalReason =
  | 'order-not-found'
  | 'refund-not-found'
  | 'order-not-refundable'
  | 'order-already-refunded'
  | 'refund-period-expired'
  | 'insufficient-balance'
  | 'idempotency-conflict'
  | 'rate-limit-exceeded';

/** A request that is refused: nothing was changed. The message names the field, the rule and the cure; it holds no secret. */
export class Refusal extends Error {
  readonly reason: RefusalReason;
  readonly requirement: RequirementId | undefined;
  /** Seconds after which it is worth trying again. */
  readonly retryAfter: number | undefined;

  constructor(
    reason: RefusalReason,
    message: string,
    { requirement, retryAfter }: { requirement?: RequirementId; retryAfter?: number } = {},
  ) {
    super(message);
    this.reason = reason;
    this.requirement = requirement;
    this.retryAfter = retryAfter;
  }
}

/** The reasons that a requirement's own error code stands for. */
const reasonByCode: Readonly<Record<string, RefusalReason>> = {
  '10004': 'invalid-amount',
  '10005': 'invalid-expiry',
  '10011': 'unconfigured-payment-method',
};

/** The reason to refuse a request that breaks a requirement, by the error code that the catalogue gives it. */
export function reasonOf(requirement: RequirementId | undefined): RefusalReason {
  const code = requirements.find(({ id }) => id === requirement)?.error;
  return (code === undefined ? undefined : reasonByCode[code]) ?? 'invalid-parameter';
}

/** The refusal of a create whose merchantOrderId another order of the merchant has. */
export function orderExists(merchantOrderId: string): Refusal {
  return new Refusal('already-exists', `merchantOrderId: ${merchantOrderId} belongs to another order; use a new one`);
}
