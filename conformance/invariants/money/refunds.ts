import { compareDecimals, isDecimalText } from '../../contract/decimals.ts';
import { show } from '../../contract/show.ts';
import { type Book, type Entity, type Sighting, textAt } from '../book.ts';
import type { InvariantRule, Judgement } from '../invariant.ts';
import { refundedOrder } from '../refunded-order.ts';
import { circumstances } from './circumstances.ts';
import { givenAs, givenIn, type KnownPayment, paidCurrencies, paymentOf } from './paid.ts';

const operations = ['refunds.create', 'refunds.query', 'refunds.batch-query'] as const;

const ruleId = (operation: string, name: string) => `${operation}.money.${name}`;

/** A refund gives back what was paid, in the currency in which it was paid. */
export const refundMoneyRules: readonly InvariantRule[] = operations.flatMap((operation) => [
  {
    id: ruleId(operation, 'refund-amount'),
    title: `Every answer of ${operation} shows as refundAmount how much was paid`,
    requirements: ['refunds.record.amount'],
  },
  {
    id: ruleId(operation, 'refund-currency'),
    title: `Every answer of ${operation} shows as refundCurrency the currency of the payment`,
    requirements: ['refunds.record.amount'],
  },
  {
    id: ruleId(operation, 'payment-method'),
    title: `Every answer of ${operation} shows as paymentMethod how the refunded order was paid, as far as the contract names it`,
    requirements: ['refunds.record.payment-method'],
  },
]);

/** The one payment method of which the contract says how refunds name it. */
const [namedMethod, itsName] = ['EXCHANGE_ONE', 'EXCHANGE_ONE_PAY'];

/** Holds every refund against the payment of the order that its create named. */
export function* judgeRefundMoney(book: Book): Iterable<Judgement> {
  for (const refund of book.entities) {
    if (refund.area !== 'refunds') continue;
    const order = refundedOrder(book, refund);
    if (!order) continue;
    const currencies = paidCurrencies(order);
    const amounts = rightAmounts(book, order, currencies);
    const about = () => circumstances(book, order, refund);
    for (const sighting of refund.sightings) {
      yield* judgeField(sighting, order, 'refund-amount', amounts, isSameAmount, about);
      yield* judgeField(sighting, order, 'refund-currency', currencies, (right, shown) => right === shown, about);
      yield* judgeMethod(sighting, paymentOf(book, order), about);
    }
  }
}

/**
 * How much a refund of an order can be of, as decimal text: what was paid. Where that is not the price although both are in one currency,
 * "the full original order amount" is right too (open point `refund-overpaid`), and so is what was due for a checkout order, which a fee may be part
 * of. Empty: the run does not know what was paid.
 */
function rightAmounts(book: Book, order: Entity, currencies: readonly string[]): readonly string[] {
  const payment = paymentOf(book, order);
  if (payment?.value === undefined) return [];
  const [price, currency] = [givenIn(order, 'orderAmount', 'value'), givenAs(order, 'orderAmount', 'currency')];
  const inOneCurrency = currency !== undefined && currencies.includes(currency);
  const { result } = payment.record;
  const due = order.area === 'checkout' && 'done' in result && result.done ? result.due?.value : undefined;
  const ordered = [...(inOneCurrency ? price : []), ...(due === undefined ? [] : [due])];
  return [...new Set([payment.value, ...ordered.filter(isDecimalText)])];
}

/** By value. Whether a text is a decimal number is a rule of its own. */
const isSameAmount = (right: string, shown: string) =>
  isDecimalText(shown) ? compareDecimals(right, shown) === 0 : undefined;

/** The one name that the contract gives stands for the first exchange, and for nothing else. */
function* judgeMethod(
  { exchanged, record, view }: Sighting,
  payment: KnownPayment | undefined,
  about: () => string,
): Iterable<Judgement> {
  const shown = textAt(view, 'paymentMethod');
  if (shown === undefined || payment?.method === undefined) return;
  const rule = ruleId(exchanged.operation, 'payment-method');
  const records = [payment.record, record];
  const isNamed = payment.method === namedMethod;
  if ((shown === itsName) === isNamed) return yield { rule, records };
  yield {
    rule,
    records,
    fault: {
      expected: `data.paymentMethod ${isNamed ? '=' : 'is not'} ${show(itsName)} for a payment by ${payment.method}`,
      actual: `data.paymentMethod = ${show(shown)}${about()}`,
    },
  };
}

function* judgeField(
  { exchanged, record, view }: Sighting,
  order: Entity,
  name: 'refund-amount' | 'refund-currency',
  right: readonly string[],
  same: (right: string, shown: string) => boolean | undefined,
  about: () => string,
): Iterable<Judgement> {
  const field = name === 'refund-amount' ? 'refundAmount' : 'refundCurrency';
  const shown = textAt(view, field);
  if (shown === undefined || right.length === 0) return;
  const compared = right.map((each) => same(each, shown));
  if (compared.includes(undefined)) return;
  const rule = ruleId(exchanged.operation, name);
  const records = [...order.events.slice(0, 1), record];
  if (compared.includes(true)) return yield { rule, records };
  yield {
    rule,
    records,
    fault: {
      expected: `data.${field} = ${right.map(show).join(' or ')}`,
      actual: `data.${field} = ${show(shown)}${about()}`,
    },
  };
}
