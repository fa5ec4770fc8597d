import { addDecimals, compareDecimals, isDecimalText } from '../../contract/decimals.ts';
import { show } from '../../contract/show.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';

/** What a refund takes from its merchant, where the answer to its create shows it as decimal text. */
export function shownDeduction(created: Answer): string | undefined {
  const shown = field(created, 'data.merchantDeductAmount');
  return isDecimalText(shown) ? shown : undefined;
}

/** True where the refund shows what it takes, and `balance` covers just `count` refunds that take as much, and not one more. */
export function coversJust(balance: string, count: number, created: Answer): boolean {
  const taken = shownDeduction(created);
  if (taken === undefined) return false;
  const sum = addDecimals(Array.from({ length: count }, () => taken));
  return compareDecimals(sum, balance) <= 0 && compareDecimals(addDecimals([sum, taken]), balance) > 0;
}

/** Goes on where `balance` covers just `count` refunds that take what this one takes. Throws `PermittedChoice` elsewhere. */
export function needCovering(balance: string, count: number, created: Answer): void {
  needShown(created);
  if (coversJust(balance, count, created)) return;
  throw new PermittedChoice(
    `${balance} does not cover just ${count} refunds that take ${shownText(created)} (open point refund-deduct-amount)`,
  );
}

/**
 * Goes on where a refund takes `expected` from its merchant: what was paid, or what one like it has taken. Throws `PermittedChoice` where it
 * takes another amount, or does not show yet how much: the run does not know then what exactly a balance covers.
 */
export function needTaking(created: Answer, expected: string): void {
  const taken = needDeduction(created);
  if (compareDecimals(taken, expected) === 0) return;
  throw new PermittedChoice(`a refund takes ${taken} and not ${expected} (open point refund-deduct-amount)`);
}

/** What a refund takes from its merchant, as decimal text. Throws `PermittedChoice` where the answer to its create does not show it. */
export function needDeduction(created: Answer): string {
  needShown(created);
  const taken = shownDeduction(created);
  if (taken !== undefined) return taken;
  throw new PermittedChoice(
    `merchantDeductAmount = ${shownText(created)} is no amount (open point refund-deduct-amount)`,
  );
}

function needShown(created: Answer): void {
  if (field(created, 'data.merchantDeductAmount') !== undefined) return;
  throw new PermittedChoice('merchantDeductAmount is not shown yet (open point refund-record-fields)');
}

const shownText = (created: Answer) => show(field(created, 'data.merchantDeductAmount'));
