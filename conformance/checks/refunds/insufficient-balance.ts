import { makeOrder, ordinaryAmount } from '../../arrange/orders/orders.ts';
import { confirmed, exchanges } from '../../arrange/orders/payments.ts';
import { merchantWithBalance } from '../../arrange/refunds/balances.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { needDeduction, needTaking } from '../../arrange/refunds/fees.ts';
import type { PaidOrder } from '../../arrange/refunds/paid-order.ts';
import { makeOrderPaidAt, makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import {
  businessError,
  expectRefundRefused,
  isInsufficient,
  makeRefund,
  refundRequest,
} from '../../arrange/refunds/refunds.ts';
import { letHappen, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectField, expectThat, statusOf } from '../../check/expect.ts';
import { addDecimals, compareDecimals } from '../../contract/decimals.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { show } from '../../contract/show.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { type Answer, field } from '../../wire/exchange.ts';

const needs = ['order-events', 'own-merchant'] as const;

const { value: price } = ordinaryAmount;

const inDollars = (value: string) => ({ value, currency: 'USD' }) as const;

/** The decimal numbers in a text, as decimal text. */
const amountsIn = (text: string) => (text.match(/[0-9]+(?:[.,][0-9]+)?/g) ?? []).map((each) => each.replace(',', '.'));

/** Fails unless the details of a refusal for the balance name what is `available`, and a larger amount. */
function expectNamed(answer: Answer, available: string): void {
  const details = field(answer, 'details');
  // That they are text is a rule of every refusal, which says so where they are not.
  const amounts = amountsIn(typeof details === 'string' ? details : JSON.stringify(details ?? ''));
  const names = (fits: (comparison: number) => boolean) =>
    amounts.some((amount) => fits(compareDecimals(amount, available)));
  const both = names((comparison) => comparison === 0) && names((comparison) => comparison > 0);
  expectThat(both, answer, {
    expected: `details name ${available}, which is there, and the larger amount that is needed`,
    actual: `details = ${show(details)}`,
  });
}

/** Fails unless the refusal of a refund of a price tells what is needed, and that `available` is there. */
async function expectTold(
  context: CheckContext,
  merchant: Credentials,
  available: string,
  needed?: string,
): Promise<void> {
  const { orderId } = await makeOrderPaidAt(context, merchant, needed);
  const answer = await refundsClient(context, merchant).create(refundRequest(context, orderId));
  expectField(answer, 'code', errorCode('refunds', 'INSUFFICIENT_BALANCE'), 'refunds.errors.insufficient-balance');
  expectNamed(answer, available);
}

/** Checks of the refusal of a refund that the balance does not cover. */
export const insufficientBalanceChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.errors.insufficient-balance',
    title: 'A refund that the balance does not cover is refused with INSUFFICIENT_BALANCE',
    requirements: ['refunds.errors.insufficient-balance', 'refunds.errors.business', 'refunds.errors.refused'],
    needs: ['low-balance', 'order-events'],
    async run(context) {
      await makeRefund(context, await context.merchant());
      const poor = await context.merchant('lowBalance');
      const client = refundsClient(context, poor);
      const expectShort = async ({ orderId }: Pick<PaidOrder, 'orderId'>, what: string) =>
        expectRefundRefused(client, refundRequest(context, orderId), what, {
          ...businessError,
          code: errorCode('refunds', 'INSUFFICIENT_BALANCE'),
        });
      await expectShort(await makePaidOrder(context, poor), 'a refund that the balance does not cover');
      for (const paymentMethod of exchanges) {
        const order = await makeOrder(context, poor);
        const paid = await letHappen(context, order, [{ type: 'transaction_detected', paymentMethod }, confirmed]);
        // Whether a driver can pay from an exchange is its own matter.
        if (statusOf(paid) !== 'SUCCEEDED') continue;
        await expectShort(order, `a refund, which the balance does not cover, of an order that ${paymentMethod} paid`);
      }
    },
  },
  {
    id: 'refunds.errors.insufficient-balance.details',
    title: 'The details of INSUFFICIENT_BALANCE name how much is needed and how much there is',
    requirements: ['refunds.errors.insufficient-balance.details'],
    needs,
    long: true,
    async run(context) {
      await expectTold(context, await merchantWithBalance(context, '3.21'), '3.21');
      // What there is of another currency is no part of it.
      const various = await context.ownMerchant({ balances: { USDT: '3.21', USDC: '7000', USD1: '0.5' } });
      await expectTold(context, various, '3.21');
      await expectTold(context, await context.ownMerchant({ balances: { USDC: '7000' } }), '0');
      // What a refund takes from its merchant may be more or less than what it gives back.
      const taken = needDeduction((await makeRefund(context, await context.merchant())).created);
      // Many languages print a number with an exponent that ends in zeros, and what is rounded to cents is no more than there is.
      const kindsOfNumbers = [['3.21'], ['0'], ['3.214567'], ['200', '350'], ['9.5', '9.504']] as const;
      const uncovered = kindsOfNumbers.filter(([, needed]) => needed !== '9.504' || compareDecimals(taken, price) >= 0);
      await sideBySide(
        uncovered.map(async ([left, needed]) => {
          const merchant = await merchantWithBalance(context, addDecimals([taken, left]));
          const first = await makeRefund(context, merchant, { order: await makeOrderPaidAt(context, merchant) });
          needTaking(first.created, taken);
          await expectTold(context, merchant, left, needed);
        }),
      );
      // 10 USD are 15 USDT at this rate: the balance is less than what is needed, and more than the number in the price.
      const costly = await context.ownMerchant({ balances: { USDT: '12' }, usdRate: '1.5' });
      const { orderId } = await makePaidOrder(context, costly, { orderAmount: inDollars('10') });
      const answer = await refundsClient(context, costly).create(refundRequest(context, orderId));
      // How much a refund of an order in USD takes is open.
      if (isInsufficient(answer)) expectNamed(answer, '12');
    },
  },
];
