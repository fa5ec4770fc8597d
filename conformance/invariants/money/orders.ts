import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import { compareDecimals, isDecimalText, subtractDecimals } from '../../contract/decimals.ts';
import { show } from '../../contract/show.ts';
import type { HistoryRecord } from '../../history/records.ts';
import { type Book, type Entity, type Sighting, textAt } from '../book.ts';
import type { InvariantRule, Judgement } from '../invariant.ts';
import { isSameOnChain } from '../values.ts';
import { circumstances } from './circumstances.ts';
import { givenAs, givenIn, hostedNetworkName, type KnownPayment, paidCurrencies, paymentOf } from './paid.ts';

/**
 * How a text is compared with the right one. Amounts are compared by value; `minimum` may be more, and `converted` may be rounded in
 * another way. `not-on-chain`: the text is anything but that.
 */
type Comparison = 'text' | 'on-chain' | 'not-on-chain' | 'amount' | 'minimum' | 'converted';

/** The last decimal place to which the control API converts a price in USD. */
const conversionStep = '0.000001';

/** What a view must show in a field. */
interface Expectation {
  /** Every text that is right. Empty: every text but an empty one is. */
  right: readonly string[];
  /** What shows that it is right, beside the answer itself. */
  because: readonly HistoryRecord[];
}

/** A field of an order's view whose value follows from what the run did. */
interface MoneyField {
  name: string;
  /** What the field tells, in words that follow its name. */
  title: string;
  path: readonly string[];
  comparison: Comparison;
  requirement: RequirementId;
  operations: readonly string[];
  /** Only in the view of an order that succeeded. */
  ofPayment: boolean;
  /** `undefined`: the run cannot tell what is right. */
  expected(order: Entity, sighting: Sighting, payment: KnownPayment | undefined): Expectation | undefined;
}

const isSame: Readonly<Record<Comparison, (right: string, shown: string) => boolean>> = {
  text: (right, shown) => right === shown,
  'on-chain': isSameOnChain,
  amount: (right, shown) => compareDecimals(right, shown) === 0,
  minimum: (right, shown) => compareDecimals(right, shown) <= 0,
  'not-on-chain': (right, shown) => !isSameOnChain(right, shown),
  converted: (right, shown) =>
    compareDecimals(subtractDecimals(right, shown), conversionStep) <= 0 &&
    compareDecimals(subtractDecimals(shown, right), conversionStep) <= 0,
};

const isOfAmounts: Readonly<Record<Comparison, boolean>> = {
  text: false,
  'on-chain': false,
  'not-on-chain': false,
  amount: true,
  minimum: true,
  converted: true,
};

/** How the expected value stands in a message. */
const relations: Readonly<Partial<Record<Comparison, string>>> = {
  minimum: 'is at least',
  'not-on-chain': 'is not',
  converted: 'is, to the sixth decimal place,',
};

/** One of these values; `undefined` where there is none. */
function oneOf(values: readonly (string | undefined)[], payment?: KnownPayment): Expectation | undefined {
  const right = [...new Set(values.flatMap((value) => value ?? []))];
  return right.length === 0 ? undefined : { right, because: payment ? [payment.record] : [] };
}

/** What the driver vouches for of a payment that was made on chain; any text where it vouches for nothing. */
const vouched =
  (name: 'fromAddress' | 'transactionHash'): MoneyField['expected'] =>
  (_order, _sighting, payment) =>
    payment?.onChain ? (oneOf([payment.detail[name]], payment) ?? { right: [], because: [payment.record] }) : undefined;

const paidValue: MoneyField['expected'] = (_order, _sighting, payment) => oneOf([payment?.value], payment);
/** What the price comes to at the rate that was set. */
const convertedValue: MoneyField['expected'] = (_order, _sighting, payment) => oneOf([payment?.converted], payment);
const paidCurrency: MoneyField['expected'] = (order) => oneOf(paidCurrencies(order));

/** The name of the payment's network in hosted orders. */
const networkName: MoneyField['expected'] = (_order, _sighting, payment) => {
  const { network } = payment?.detail ?? {};
  return payment?.onChain && network !== undefined ? oneOf([hostedNetworkName(network)], payment) : undefined;
};

/** What the driver said that the payer owes, each time that it did. */
const namedDue: MoneyField['expected'] = ({ events }) => {
  const naming = events.filter(({ result }) => 'done' in result && result.done && isDecimalText(result.due?.value));
  const right = naming.flatMap(({ result }) => ('done' in result && result.done ? (result.due?.value ?? []) : []));
  return right.length === 0 ? undefined : { right: [...new Set(right)], because: naming.slice(0, 1) };
};

type Listed = Pick<MoneyField, 'name' | 'title' | 'path' | 'comparison' | 'expected'>;

const detail = 'cryptoPaymentDetail';

const hosted: readonly Listed[] = [
  {
    name: 'paid-amount',
    title: 'how much was paid',
    path: ['cryptoPaidAmount', 'value'],
    comparison: 'amount',
    expected: paidValue,
  },
  {
    name: 'converted-amount',
    title: 'the price in USD at the rate that was set',
    path: ['cryptoPaidAmount', 'value'],
    comparison: 'converted',
    expected: convertedValue,
  },
  {
    name: 'paid-currency',
    title: 'the stablecoin of hosted orders',
    path: ['cryptoPaidAmount', 'currency'],
    comparison: 'text',
    expected: paidCurrency,
  },
  {
    name: 'payment-network',
    title: 'the name of the network of the payment',
    path: [detail, 'network'],
    comparison: 'text',
    expected: networkName,
  },
  {
    name: 'payer',
    title: 'the address that paid',
    path: [detail, 'fromAddress'],
    comparison: 'on-chain',
    expected: vouched('fromAddress'),
  },
  {
    name: 'receiver',
    title: 'another address than the one that paid',
    path: [detail, 'toAddress'],
    comparison: 'not-on-chain',
    expected: vouched('fromAddress'),
  },
  {
    name: 'transaction',
    title: 'the transaction that paid',
    path: [detail, 'txHash'],
    comparison: 'on-chain',
    expected: vouched('transactionHash'),
  },
];

const due: readonly Listed[] = [
  {
    name: 'payment-amount',
    title: 'at least the price',
    path: ['cryptoPaymentAmount', 'value'],
    comparison: 'minimum',
    expected: (order) => oneOf(givenIn(order, 'orderAmount', 'value').filter(isDecimalText)),
  },
  {
    name: 'amount-due',
    title: 'the amount that the payer owes',
    path: ['cryptoPaymentAmount', 'value'],
    comparison: 'amount',
    expected: namedDue,
  },
  {
    name: 'payment-currency',
    title: 'the currency of the price',
    path: ['cryptoPaymentAmount', 'currency'],
    comparison: 'text',
    expected: paidCurrency,
  },
];

const checkout: readonly Listed[] = [
  {
    name: 'paid-amount',
    title: 'how much was paid',
    path: ['cryptoPaidAmount', 'value'],
    comparison: 'amount',
    expected: paidValue,
  },
  {
    name: 'paid-currency',
    title: 'the currency of the price',
    path: ['cryptoPaidAmount', 'currency'],
    comparison: 'text',
    expected: paidCurrency,
  },
  {
    name: 'sent-amount',
    title: 'how much was paid',
    path: [detail, 'amount'],
    comparison: 'amount',
    expected: paidValue,
  },
  {
    name: 'sent-currency',
    title: 'the currency of the price',
    path: [detail, 'cryptoCurrency'],
    comparison: 'text',
    expected: paidCurrency,
  },
  {
    name: 'payment-network',
    title: 'the network that the order was made for',
    path: [detail, 'network'],
    comparison: 'text',
    expected: (order) => oneOf([givenAs(order, 'network')]),
  },
  {
    name: 'payer',
    title: 'the address that paid',
    path: [detail, 'fromAddress'],
    comparison: 'on-chain',
    expected: vouched('fromAddress'),
  },
  {
    name: 'receiver',
    title: "the order's depositAddress",
    path: [detail, 'toAddress'],
    comparison: 'on-chain',
    expected: (_order, { view }) => oneOf([textAt(view, 'depositAddress')]),
  },
  {
    name: 'transaction',
    title: 'the transaction that paid',
    path: [detail, 'transactionHash'],
    comparison: 'on-chain',
    expected: vouched('transactionHash'),
  },
];

const fields: readonly MoneyField[] = [
  ...hosted.map(
    (each) =>
      ({
        ...each,
        requirement: each.path[0] === detail ? 'orders.view.payment-detail' : 'orders.view.crypto-paid-amount',
        operations: ['orders.query'],
        ofPayment: true,
      }) as const,
  ),
  ...due.map(
    (each) =>
      ({
        ...each,
        requirement: 'checkout.view.payment-amount',
        operations: ['checkout.create', 'checkout.query'],
        ofPayment: false,
      }) as const,
  ),
  ...checkout.map(
    (each) =>
      ({
        ...each,
        requirement: each.path[0] === detail ? 'checkout.view.payment-detail' : 'checkout.view.paid-amount',
        operations: ['checkout.query'],
        ofPayment: true,
      }) as const,
  ),
];

const ruleId = (operation: string, name: string) => `${operation}.money.${name}`;

/** What the amounts and the payments in the views of orders must be. */
export const orderMoneyRules: readonly InvariantRule[] = fields.flatMap(
  ({ name, title, path, requirement, operations }) =>
    operations.map((operation) => ({
      id: ruleId(operation, name),
      title: `Every answer of ${operation} shows as ${path.join('.')} ${title}`,
      requirements: [requirement],
    })),
);

/** Holds what the views of orders show against what was ordered and what the driver let happen. */
export function* judgeOrderMoney(book: Book): Iterable<Judgement> {
  for (const order of book.entities) {
    if (order.area === 'refunds') continue;
    const payment = paymentOf(book, order);
    for (const sighting of order.sightings) {
      for (const each of fields) yield* judgeField(each, order, sighting, payment, () => circumstances(book, order));
    }
  }
}

function* judgeField(
  { name, path, comparison, operations, ofPayment, expected }: MoneyField,
  order: Entity,
  sighting: Sighting,
  payment: KnownPayment | undefined,
  about: () => string,
): Iterable<Judgement> {
  const { exchanged, record, view, status } = sighting;
  if (!operations.includes(exchanged.operation)) return;
  // Whether a payment is shown too early, or not at all, is no question of its value.
  if (ofPayment && status !== 'SUCCEEDED') return;
  const shown = textAt(view, ...path);
  // The form of an amount is a rule of its own.
  if (shown === undefined || (isOfAmounts[comparison] && !isDecimalText(shown))) return;
  const expectation = expected(order, sighting, payment);
  if (!expectation) return;
  const { right, because } = expectation;
  const rule = ruleId(exchanged.operation, name);
  const records = [...because, record];
  const isRight = right.length === 0 ? shown !== '' : right.some((each) => isSame[comparison](each, shown));
  if (isRight) return yield { rule, records };
  const field = `data.${path.join('.')}`;
  if (right.length === 0) {
    return yield { rule, records, fault: { expected: `${field} is not empty`, actual: `${field} is empty` } };
  }
  const relation = relations[comparison] ?? '=';
  yield {
    rule,
    records,
    fault: {
      expected: `${field} ${relation} ${right.map(show).join(' or ')}`,
      actual: `${field} = ${show(shown)}${about()}`,
    },
  };
}
