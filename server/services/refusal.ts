import type { RequirementId } from '../../generated/catalogue.ts';

/** Why a merchant's request is refused. Every area answers each of these in its own envelope. */
export type RefusalReason =
  | 'invalid-parameter'
  | 'invalid-amount'
  | 'unknown-merchant'
  | 'already-exists'
  | 'not-found'
  | 'invalid-signature'
  | 'timestamp-expired'
  | 'invalid-api-key'
  | 'system-error';

/** A request that is refused: nothing was changed. The message names the field, the rule and the cure; it holds no secret. */
export class Refusal extends Error {
  readonly reason: RefusalReason;
  readonly requirement: RequirementId | undefined;

  constructor(reason: RefusalReason, message: string, requirement?: RequirementId) {
    super(message);
    this.reason = reason;
    this.requirement = requirement;
  }
}
