import { merchantWithBalance, smallestOfAll } from '../../arrange/refunds/balances.ts';
import { needDeduction, needTaking } from '../../arrange/refunds/fees.ts';
import { makeOrderPaidAt } from '../../arrange/refunds/paid-orders.ts';
import { makeRefund, refundRequest } from '../../arrange/refunds/refunds.ts';
import { ifTaken, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, isAccepted } from '../../check/expect.ts';
import { addDecimals, compareDecimals, subtractDecimals } from '../../contract/decimals.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import { expectInsufficient } from '../support/insufficient-balance.ts';

type Two = readonly [string, string];

/**
 * Two prices whose sum binary floating point gets wrong, the second of 80 bits too, and decimal numbers of 28 digits the third, with the smallest
 * amount that a price can be wrong by: one that every stablecoin of the platform has, and the last of 18 decimal places. Large prices may be refused.
 */
const pairs: readonly { prices: Two; smallest: string; large?: true }[] = [
  { prices: ['1.1', '2.2'], smallest: smallestOfAll },
  { prices: ['34.100000000000000001', '56.200000000000000002'], smallest: '0.000000000000000001' },
  {
    prices: ['34567890123.100000000000000001', '12345678901.200000000000000002'],
    smallest: '0.000000000000000001',
    large: true,
  },
];

/** A balance that covers refunds of all these prices. */
const coversAll = '1000000000000';

/** The same number with two more zeros at its end. */
const withZeros = (amount: string) => (amount.includes('.') ? `${amount}00` : `${amount}.00`);

const needs = ['order-events', 'own-merchant'] as const;

/** What refunds of orders of these prices take, of a merchant whose balance covers them by far. */
async function takenFor(context: CheckContext, prices: Two): Promise<Two> {
  const merchant = await merchantWithBalance(context, coversAll);
  const taken = async (value: string) => {
    const { created } = await makeRefund(context, merchant, { order: await makeOrderPaidAt(context, merchant, value) });
    return needDeduction(created);
  };
  return Promise.all([taken(prices[0]), taken(prices[1])]);
}

/** Refunds an order of each price, one after the other, from a balance. */
async function refundBoth(context: CheckContext, prices: Two, taken: Two, balance: string): Promise<Answer> {
  const merchant = await merchantWithBalance(context, balance);
  const [one, two] = await Promise.all(prices.map((value) => makeOrderPaidAt(context, merchant, value)));
  if (!one || !two) throw new Inconclusive('there are no two orders');
  const first = await makeRefund(context, merchant, { order: one });
  needTaking(first.created, taken[0]);
  const second = await first.client.create(refundRequest(context, two.orderId));
  if (isAccepted(second)) needTaking(second, taken[1]);
  return second;
}

/** Checks that a balance counts to the last decimal place. */
export const exactBalanceChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.balance.exact',
    title: 'A balance of exactly what two refunds take covers both',
    requirements: ['refunds.create.accepted', 'refunds.create.reserves-funds'],
    needs,
    async run(context) {
      await sideBySide(
        pairs.map(async ({ prices, large }) => {
          const taken = await (large ? ifTaken(takenFor(context, prices)) : takenFor(context, prices));
          if (!taken) return;
          const [first, second] = taken;
          // A target may ask that the whole price is there, and take less of it.
          const both = addDecimals([first, compareDecimals(second, prices[1]) < 0 ? prices[1] : second]);
          // Zeros at the end change nothing, up to the places that an amount may have.
          const balances = large || (both.split('.')[1] ?? '').length > 6 ? [both] : [both, withZeros(both)];
          for (const balance of balances) {
            const answer = await refundBoth(context, prices, taken, balance);
            const what = `the second of two refunds that take ${first} and ${second}, from a balance of ${balance}`;
            expectAccepted(answer, what);
          }
        }),
      );
    },
  },
  {
    id: 'refunds.balance.too-little',
    title: 'A balance that lacks the last decimal place of what two refunds take does not cover both',
    requirements: ['refunds.create.reserves-funds', 'refunds.errors.insufficient-balance', 'refunds.errors.business'],
    needs,
    async run(context) {
      await sideBySide(
        pairs.map(async ({ prices, smallest, large }) => {
          const taken = await (large ? ifTaken(takenFor(context, prices)) : takenFor(context, prices));
          if (!taken) return;
          const both = addDecimals(taken);
          const balance = subtractDecimals(both, smallest);
          const second = await refundBoth(context, prices, taken, balance);
          expectInsufficient(second, `the second of two refunds that take ${both}, from a balance of ${balance}`);
        }),
      );
    },
  },
];
