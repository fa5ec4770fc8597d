import { contractOperations } from '../contract/operations.ts';
import type { Book } from './book.ts';

/** Why a history shows nothing of a rule, named by its id: what was not done in the run, in the same words for rules that miss the same. */
export function whyUnseen(id: string, { exchanged, unanswered, webhooks }: Book): string {
  const operation = contractOperations.find(({ name }) => id.startsWith(`${name}.`))?.name;
  if (operation === undefined) {
    return webhooks.length === 0
      ? 'no webhook arrived, so there was none to judge'
      : 'webhooks arrived, but none in the situation that this rule judges';
  }
  const answers = exchanged.filter((each) => each.operation === operation);
  if (answers.some(({ accepted }) => accepted)) {
    return 'the operation was called with success, but never in the situation that this rule judges';
  }
  if (answers.length > 0) return 'the operation was called, but never with success, so there was no success to judge';
  return unanswered.some((each) => each.operation === operation)
    ? 'the operation was called, but the target never answered, so there was no answer to judge'
    : 'the operation was never called, because each check that calls it was left out, was skipped or stopped earlier';
}
