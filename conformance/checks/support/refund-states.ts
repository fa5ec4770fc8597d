import type { RequirementId } from '../../../generated/catalogue.ts';
import type { ReachableRefundState } from '../../arrange/refunds/refunds.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';

/** Fields that belong to one state only, with the requirement that says so. */
export const ownFields: readonly {
  state: ReachableRefundState;
  requirement: RequirementId;
  names: readonly string[];
}[] = [
  { state: 'SUCCEEDED', requirement: 'refunds.record.completed', names: ['completedTime'] },
  { state: 'FAILED', requirement: 'refunds.record.failed', names: ['failedTime', 'errorCode', 'errorMessage'] },
  { state: 'CLOSED', requirement: 'refunds.record.closed', names: ['closedTime'] },
];

/** Nothing where the contract lets a target leave a state out. */
export function leftOut(error: unknown): undefined {
  if (!(error instanceof PermittedChoice)) throw error;
}
