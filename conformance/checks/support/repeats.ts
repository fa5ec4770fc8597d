import type { RequirementId } from '../../../generated/catalogue.ts';
import { expectField, expectThat, expectUnchanged, isAccepted, statusOf } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import { isFinalStatus } from '../../contract/statuses.ts';
import { successCode } from '../../contract/success-code.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';

/** How many creates are sent at the same moment: enough that each is at another place in its work, and that all of them find a connection. */
export const manyAtOnce = 8;

/** A kind of record whose create is idempotent. */
export interface RepeatedRecord {
  /** The platform's id of the record. */
  idField: string;
  /** Fields that a repeat must not change. */
  constant: readonly string[];
  /** Fields that belong to a status, and must not change while the record keeps it. */
  ofStatus: readonly string[];
  /** The first statuses, in their order. Events that were under way may move a record on meanwhile, but never back. */
  firstStatuses: readonly [string, string];
  /** The requirement that an accepted repeat shows the same record. */
  requirement: RequirementId;
  /** The requirement that a repeat changes nothing. */
  idempotent: RequirementId;
}

/**
 * Fails unless a record is the same `before` and `after` its create was repeated, and the answer to the `repeat` shows that record where it
 * was accepted, and does not where it was refused: what shows the record is a success, whose code is that of every success.
 */
export function expectSameRecord(
  { idField, constant, ofStatus, firstStatuses, requirement, idempotent }: RepeatedRecord,
  { before, repeat, after }: { before: Answer; repeat: Answer; after: Answer },
  what: string,
): void {
  const [then, now] = [before, after].map((answer) => statusOf(answer));
  const same = then === now;
  const progress = (status: unknown) => {
    const index = firstStatuses.indexOf(String(status));
    return index < 0 ? firstStatuses.length : index;
  };
  expectThat(same || progress(now) > progress(then), after, {
    expected: `after ${what}: data.status = ${show(then)}, as before`,
    actual: `data.status = ${show(now)}`,
    requirement: idempotent,
  });
  expectUnchanged(before, after, [...constant, ...(same ? ofStatus : [])], what, idempotent);
  if (!isAccepted(repeat)) {
    const id = field(before, `data.${idField}`);
    expectThat(field(repeat, `data.${idField}`) !== id, repeat, {
      expected: `${what}: code = ${show(successCode)} where data shows the ${idField} that was made`,
      actual: `code = ${show(field(repeat, 'code'))}, data.${idField} = ${show(id)}`,
      requirement: 'general.success-code',
    });
    return;
  }
  expectField(repeat, `data.${idField}`, field(before, `data.${idField}`), requirement);
  // It may show the record as it was when it was made, in whichever word for that, or as it is.
  const shown = statusOf(repeat);
  expectThat(!isFinalStatus('orders', shown) || shown === then || shown === now, repeat, {
    expected: `${what}: no other end than data.status = ${show(now)}`,
    actual: `data.status = ${show(shown)}`,
    requirement,
  });
}

/** The accepted ones among the answers to identical creates. Throws `Inconclusive` when there is none. */
export function needSomeAccepted(answers: readonly Answer[]): readonly [Answer, ...Answer[]] {
  const [first, ...others] = answers.filter(isAccepted);
  if (!first) throw new Inconclusive(`none of ${answers.length} creates was answered with ${successCode}`);
  return [first, ...others];
}
