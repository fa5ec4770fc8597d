import { addAmounts, compareAmounts, subtractAmounts } from './money.ts';

/** A merchant's settlement balance in one currency, decimal text each. Their sum is always what was put in. */
export interface Account {
  /** What refunds can draw on. */
  available: string;
  /** Held for refunds under way. */
  reserved: string;
  /** Paid out by refunds that succeeded. */
  deducted: string;
}

/** A merchant's accounts by currency. A currency that is not there has 0. */
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
  const account = accountOf(ledger, currency);
  if (compareAmounts(account.available, amount) < 0) return undefined;
  return {
    ...ledger,
    [currency]: {
      ...account,
      available: subtractAmounts(account.available, amount),
      reserved: addAmounts(account.reserved, amount),
    },
  };
}

/** Takes a reserved amount for good. */
export function deduct(ledger: Ledger, currency: string, amount: string): Ledger {
  const account = accountOf(ledger, currency);
  return {
    ...ledger,
    [currency]: {
      ...account,
      reserved: subtractAmounts(account.reserved, amount),
      deducted: addAmounts(account.deducted, amount),
    },
  };
}

/** Gives a reserved amount back. */
export function release(ledger: Ledger, currency: string, amount: string): Ledger {
  const account = accountOf(ledger, currency);
  return {
    ...ledger,
    [currency]: {
      ...account,
      reserved: subtractAmounts(account.reserved, amount),
      available: addAmounts(account.available, amount),
    },
  };
}
