import type { RequirementId } from '../../../../generated/catalogue.ts';
import { expectThat, isAccepted, statusOf } from '../../../check/expect.ts';
import { isFinalStatus } from '../../../contract/statuses.ts';
import type { Answer } from '../../../wire/exchange.ts';

/** What forbids the moves of a kind of record. */
export interface Moves {
  final: RequirementId;
  /** Absent: the contract has no table of the other moves. */
  table?: RequirementId;
}

/** The requirement that a move breaks; `undefined`: it may be one of the table's, or several of them. */
function illegalMove(from: string, to: string, { final, table }: Moves): RequirementId | undefined {
  if (isFinalStatus('orders', from)) return final;
  return from === 'PROCESSING' && (to === 'INIT' || to === 'CLOSED') ? table : undefined;
}

/** Fails when an answer shows a state to which no moves lead from the one in an answer before. */
export function expectPath(answers: readonly Answer[], rules: Moves): void {
  let before: string | undefined;
  for (const answer of answers) {
    const status = statusOf(answer);
    if (typeof status !== 'string' || !isAccepted(answer)) continue;
    const left = before !== undefined && before !== status ? before : undefined;
    const requirement = left !== undefined && illegalMove(left, status, rules);
    expectThat(!requirement, answer, {
      expected: `data.status = ${before}, as an answer before showed, or a state to which moves lead from there`,
      actual: `data.status = ${status}`,
      ...(requirement && { requirement }),
    });
    before = status;
  }
}
