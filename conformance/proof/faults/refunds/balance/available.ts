import type { Merchant } from '../../../../../server/domain/merchant.ts';

/** The merchant with the available amount of each currency changed by `change`. */
export const withAvailable = (
  merchant: Merchant,
  change: (available: string, currency: string) => string,
): Merchant => {
  const accounts = Object.entries(merchant.ledger).map(([currency, account]) => [
    currency,
    { ...account, available: change(account.available, currency) },
  ]);
  return { ...merchant, ledger: Object.fromEntries(accounts) };
};
