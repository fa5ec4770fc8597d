import type { OpenPointId, RequirementId } from '../../generated/catalogue.ts';
import type { HistoryRecord } from '../history/records.ts';
import type { Book } from './book.ts';

/** One rule that an invariant holds for one operation, or for the webhooks of one kind: a check of its own in every report. */
export interface InvariantRule {
  /** Permanent. Its first word is the area. */
  readonly id: string;
  /** What is true of an implementation that keeps the rule, as a sentence. */
  readonly title: string;
  /** What is broken when the rule is; the first one's level is the rule's. */
  readonly requirements: readonly [RequirementId, ...RequirementId[]];
  readonly openPoint?: OpenPointId;
}

/** One look at the history under a rule. */
export interface Judgement {
  /** Id of the rule. */
  rule: string;
  /** What shows it; the last record is the decisive one. */
  records: readonly HistoryRecord[];
  /** Absent: the rule is kept. */
  fault?: Fault;
}

/** How a rule is broken, in words. */
export interface Fault {
  expected: string;
  actual: string;
  /** Where it is not the rule's first. */
  requirement?: RequirementId;
}

/**
 * Something that holds of every history of a conforming implementation. Pure: no input or output, no clock, no target.
 * What cannot be told from the history is not judged.
 */
export interface Invariant {
  readonly name: string;
  readonly rules: readonly InvariantRule[];
  /** Every look that the history allows. */
  judge(book: Book): Iterable<Judgement>;
}
