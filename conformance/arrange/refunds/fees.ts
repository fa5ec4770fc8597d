import { compareDecimals, isDecimalText } from '../../contract/decimals.ts';
import { show } from '../../contract/show.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';

/** True where an answer shows that a refund takes from its merchant what was paid, `paid`, and no fee. */
export function hasNoFee(created: Answer, paid: string): boolean {
  const shown = field(created, 'data.merchantDeductAmount');
  return isDecimalText(shown) && compareDecimals(shown, paid) === 0;
}

/**
 * Goes on where a refund takes from its merchant what was paid, `paid`. Throws `PermittedChoice` where it takes another amount, or does not
 * show yet how much: the run does not know then how many refunds a balance covers.
 */
export function needNoFee(created: Answer, paid: string): void {
  const shown = field(created, 'data.merchantDeductAmount');
  if (shown === undefined) {
    throw new PermittedChoice('merchantDeductAmount is not shown yet (open point refund-record-fields)');
  }
  if (hasNoFee(created, paid)) return;
  throw new PermittedChoice(`a refund of ${paid} takes ${show(shown)} (open point refund-deduct-amount)`);
}
