import { Decimal } from 'decimal.js';
import type { Ledger } from '../../../../../server/domain/ledger.ts';
import { addDecimals, subtractDecimals } from '../../../../contract/decimals.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../../stand/fault.ts';
import { keepingRefunds, withFee } from '../../../stand/refund-changes.ts';
import { withAvailable } from './available.ts';

const fault = faultsCaughtBy('');

/** A server that reads available balances as `change` makes them. */
const seeing = (change: (available: string) => string): Make =>
  keepingRefunds((records) => ({
    lockMerchant: async (merchantId) => {
      const merchant = await records.lockMerchant(merchantId);
      return merchant && withAvailable(merchant, change);
    },
  }));

/** A server that gives one and the same balance to all merchants of which no balance was said. */
function sharingTheUsualBalance(): Make {
  const sharing = new Set<string>();
  let shared: Ledger | undefined;
  return keepingRefunds((records) => ({
    insertMerchant: async (merchant) => {
      if (Object.values(merchant.ledger).every(({ available }) => available === '1000000')) {
        sharing.add(merchant.merchantId);
        shared ??= merchant.ledger;
      }
      await records.insertMerchant(merchant);
    },
    lockMerchant: async (merchantId) => {
      const merchant = await records.lockMerchant(merchantId);
      return merchant && shared && sharing.has(merchantId) ? { ...merchant, ledger: shared } : merchant;
    },
    updateMerchant: async (merchant) => {
      if (sharing.has(merchant.merchantId)) shared = merchant.ledger;
      await records.updateMerchant(merchant);
    },
  }));
}

/** A server that counts balances in binary floating point. */
const countingInDoubles: Make = keepingRefunds((records) => ({
  updateMerchant: async (merchant) => {
    const before = await records.findMerchant(merchant.merchantId);
    const counted = withAvailable(merchant, (available, currency) => {
      const had = before?.ledger[currency]?.available ?? available;
      return String(Number(had) - Number(subtractDecimals(had, available)));
    });
    await records.updateMerchant(counted);
  },
}));

/** A server that reads a copy of the balance that is up to five seconds old. */
function lookingAtACopy(): Make {
  const copies = new Map<string, { ledger: Ledger; at: number }>();
  return keepingRefunds((records) => ({
    lockMerchant: async (merchantId) => {
      const merchant = await records.lockMerchant(merchantId);
      if (!merchant) return merchant;
      const copy = copies.get(merchantId);
      if (copy && Date.now() - copy.at < 5000) return { ...merchant, ledger: copy.ledger };
      copies.set(merchantId, { ledger: merchant.ledger, at: Date.now() });
      return merchant;
    },
  }));
}

/** Wrong servers that count balances inexactly, or look at an old one. */
export const balanceCountingFaults: readonly Fault[] = [
  fault(
    'balance-in-doubles',
    'Counts balances in binary floating point.',
    'refunds.create.accepted',
    'refunds.balance.exact',
    countingInDoubles,
  ),
  fault(
    'balance-never-used-up',
    'Wants something of the balance to be left.',
    'refunds.create.accepted',
    'refunds.balance.exact',
    seeing((available) => (Number(available) > 0.000001 ? subtractDecimals(available, '0.000001') : available)),
  ),
  fault(
    'usual-balance-shared',
    'Gives one and the same balance to all merchants that are made without one.',
    'refunds.create.accepted',
    'refunds.balance.of-each-merchant',
    sharingTheUsualBalance(),
  ),
  fault(
    'balance-in-cents',
    'Rounds balances to hundredths.',
    'refunds.create.reserves-funds',
    'refunds.balance.too-little',
    seeing((available) => Number(available).toFixed(2)),
  ),
  fault(
    'balance-in-cents-with-fee',
    'Takes a fee for refunds, and rounds balances to hundredths.',
    'refunds.create.reserves-funds',
    'refunds.balance.too-little',
    withFee(seeing((available) => Number(available).toFixed(2))),
  ),
  fault(
    'balance-nearly-enough',
    'Takes a balance for enough that lacks less than a millionth of a millionth.',
    'refunds.create.reserves-funds',
    'refunds.balance.too-little',
    seeing((available) => addDecimals([available, '0.000000000001'])),
  ),
  fault(
    'balance-to-28-digits',
    'Rounds balances up to 28 digits.',
    'refunds.create.reserves-funds',
    'refunds.balance.too-little',
    seeing((available) => new Decimal(available).toSignificantDigits(28, Decimal.ROUND_UP).toFixed()),
  ),
  fault(
    'balance-from-a-copy',
    'Looks at a copy of the balance, which is a few seconds old.',
    'refunds.create.reserves-funds',
    'refunds.balance.parallel',
    lookingAtACopy(),
  ),
];
