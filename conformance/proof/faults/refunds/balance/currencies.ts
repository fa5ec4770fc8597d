import type { Merchant } from '../../../../../server/domain/merchant.ts';
import { addDecimals, compareDecimals, subtractDecimals } from '../../../../contract/decimals.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../../stand/fault.ts';
import { keepingRefunds } from '../../../stand/refund-changes.ts';
import { withAvailable } from './available.ts';

const fault = faultsCaughtBy('');

/** A server that looks at the balance in a currency, and takes nothing from it. */
function reservingNothingIn(currency: string): Make {
  return keepingRefunds((records) => ({
    updateMerchant: async (merchant) => {
      const before = await records.findMerchant(merchant.merchantId);
      const account = before?.ledger[currency];
      if (!account) return records.updateMerchant(merchant);
      return records.updateMerchant({ ...merchant, ledger: { ...merchant.ledger, [currency]: account } });
    },
  }));
}

/** A server that covers refunds in every currency from the balance in USDT. */
const drawingOnUsdt: Make = keepingRefunds((records) => ({
  lockMerchant: async (merchantId) => {
    const merchant = await records.lockMerchant(merchantId);
    return merchant && withAvailable(merchant, (available) => merchant.ledger.USDT?.available ?? available);
  },
}));

/** A server that takes the balance in USDC for that of its first six decimal places and a last one more. */
const roundingUpInUsdc: Make = keepingRefunds((records) => ({
  lockMerchant: async (merchantId) => {
    const merchant = await records.lockMerchant(merchantId);
    const cut = (amount: string) => amount.replace(/(\.[0-9]{6})[0-9]+$/, '$1');
    return (
      merchant &&
      withAvailable(merchant, (available, own) =>
        own === 'USDC' && cut(available) !== available ? addDecimals([cut(available), '0.000001']) : available,
      )
    );
  },
}));

/** A server that takes what is reserved in all other currencies from the balance in one. */
const countingEveryReserve: Make = keepingRefunds((records) => ({
  lockMerchant: async (merchantId) => {
    const merchant = await records.lockMerchant(merchantId);
    return (
      merchant &&
      withAvailable(merchant, (available, own) => {
        const others = Object.entries(merchant.ledger).filter(([currency]) => currency !== own);
        const left = subtractDecimals(available, addDecimals(others.map(([, { reserved }]) => reserved)));
        return compareDecimals(left, '0') < 0 ? '0' : left;
      })
    );
  },
}));

/** A server that does as `instead` where the merchant has no account in USDT. */
const withoutAccount = (instead: (merchant: Merchant) => Merchant): Make =>
  keepingRefunds((records) => ({
    lockMerchant: async (merchantId) => {
      const merchant = await records.lockMerchant(merchantId);
      return merchant && merchant.ledger.USDT === undefined ? instead(merchant) : merchant;
    },
  }));

/** Wrong servers that confuse the balances in several currencies, or fail where there is none in one. */
export const balanceOfCurrencyFaults: readonly Fault[] = [
  fault(
    'one-currency-reserves-nothing',
    'Reserves nothing for refunds in USD1.',
    'refunds.create.reserves-funds',
    'refunds.balance.kinds-of-orders',
    reservingNothingIn('USD1'),
  ),
  fault(
    'every-currency-drawn-from-usdt',
    'Covers refunds in every currency from the balance in USDT.',
    'refunds.create.accepted',
    'refunds.balance.every-currency',
    drawingOnUsdt,
  ),
  fault(
    'reserves-of-all-currencies-counted',
    'Takes what is reserved for refunds in other currencies from the balance in that of a refund.',
    'refunds.create.accepted',
    'refunds.balance.every-currency',
    countingEveryReserve,
  ),
  fault(
    'balance-in-usdc-rounded-up',
    'Rounds the balance in USDC up to six decimal places.',
    'refunds.create.reserves-funds',
    'refunds.balance.every-currency',
    roundingUpInUsdc,
  ),
  fault(
    'no-account-as-failure',
    'Fails where a refund draws on a currency in which its merchant has no account.',
    'refunds.errors.insufficient-balance',
    'refunds.balance.other-currency',
    withoutAccount(() => {
      throw new Error('there is no such account');
    }),
  ),
  fault(
    'no-account-no-limit',
    'Knows no limit for refunds in a currency in which their merchant has no account.',
    'refunds.errors.insufficient-balance',
    'refunds.balance.other-currency',
    withoutAccount((merchant) => ({
      ...merchant,
      ledger: { ...merchant.ledger, USDT: { available: '1000000', reserved: '0', deducted: '0' } },
    })),
  ),
];
