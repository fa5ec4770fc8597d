import { addAmounts, compareAmounts, subtractAmounts } from './money.ts';

/** A merchant's settlement balance in one currency, in three parts of decimal text. The sum of the parts never changes. */
export interface Account {
  /** Free for refunds. */
  available: string;
  /** Held for refunds under way. */
  reserved: string;
  /** Paid out by refunds that succeeded. */
  deducted: string;
}

/** A merchant's accounts by currency. A missing currency has 0. */
export type Ledger = Readonly<Record<string, Account>>;

const empty: Account = { available: '0', reserved: '0', deducted: '0' };

export function accountOf(ledger: Ledger, currency: string): Account {
  return ledger[currency] ?? empty;
}

/** A ledger in which these amounts, decimal text by currency, are available. */
export function openLedger(balances: Readonly<Record<string, string>>): Ledger {
  return Object.fromEntries(
    Object.entries(balances).map(([currency, available]) => [currency, { ...empty, available }]),
  );
}

/** Sets an amount aside for a refund; `undefined` when less than that is available. */
export function reserve(ledger: Ledger, currency: string, amount: string): Ledger | undefined {
  const { available } = accountOf(ledger, currency);
  return compareAmounts(available, amount) < 0
    ? undefined
    : transfer(ledger, currency, amount, 'available', 'reserved');
}

/** Takes a reserved amount for good. */
export function deduct(ledger: Ledger, currency: string, amount: string): Ledger {
  return transfer(ledger, currency, amount, 'reserved', 'deducted');
}

/** Gives a reserved amount back. */
export function release(ledger: Ledger, currency: string, amount: string): Ledger {
  return transfer(ledger, currency, amount, 'reserved', 'available');
}

/** Moves an amount from one part of an account to another. Throws when the first part has less. */
function transfer(ledger: Ledger, currency: string, amount: string, from: keyof Account, to: keyof Account): Ledger {
  const account = accountOf(ledger, currency);
  const changed = { [from]: subtractAmounts(account[from], amount), [to]: addAmounts(account[to], amount) };
  return { ...ledger, [currency]: { ...account, ...changed } };
}
