import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import type { Answer } from '../../wire/exchange.ts';

/** A way to ask for an order or a refund. */
export interface WayToAsk {
  /** In words that follow `by`. */
  words: string;
  /** What says that it shows the record as it is now. */
  requirement: RequirementId;
  ask(): Promise<Answer>;
  /** Whether it finds a record at all is not said, or judged elsewhere. */
  mayFindNothing?: true;
  /** The status that an answer shows. */
  statusIn(answer: Answer): unknown;
}
