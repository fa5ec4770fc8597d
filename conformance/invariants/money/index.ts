import type { Book } from '../book.ts';
import type { Invariant, Judgement } from '../invariant.ts';
import { balanceRule, judgeBalances } from './balance.ts';
import { judgeOrderMoney, orderMoneyRules } from './orders.ts';
import { judgeRefundMoney, refundMoneyRules } from './refunds.ts';

/**
 * What is due, paid and given back has the value, the currency and the payment that the create, the driver and the contract give it,
 * and refunds take no more than the balance that they draw on.
 */
export const money: Invariant = {
  name: 'money',
  rules: [...orderMoneyRules, ...refundMoneyRules, balanceRule],
  judge,
};

function* judge(book: Book): Iterable<Judgement> {
  yield* judgeOrderMoney(book);
  yield* judgeRefundMoney(book);
  yield* judgeBalances(book);
}
