import type { RequirementId } from '../../generated/catalogue.ts';
import { errorCode, isNamedCode } from '../contract/error-codes.ts';
import { show } from '../contract/show.ts';
import { type Book, type Exchanged, isCreate, merchantIdField, textAt } from './book.ts';
import { codeOf, isOrdinary, isRefused, saysSomethingOf } from './bound-answers.ts';
import type { Invariant, InvariantRule, Judgement } from './invariant.ts';

const products = ['orders', 'checkout'] as const;

const sentences: Readonly<Record<(typeof products)[number], { noun: string; requirement: RequirementId }>> = {
  orders: { noun: 'a hosted order', requirement: 'orders.errors.unknown-order' },
  checkout: { noun: 'a checkout order', requirement: 'checkout.errors.unknown-order' },
};

const ruleId = (area: (typeof products)[number]) => `${area}.query.refusals.unknown`;

const rules: readonly InvariantRule[] = products.map((area) => ({
  id: ruleId(area),
  title: `No query for ${sentences[area].noun} is refused with a code that is about creates, or for the form of an id that a create was accepted with`,
  requirements: [sentences[area].requirement],
}));

/** The codes whose meaning can only be one of a create: of its amount, its expiry, its payment method, or an id that is taken. */
const codesOfCreates: readonly string[] = [
  errorCode('checkout', 'INVALID_AMOUNT'),
  errorCode('checkout', 'INVALID_EXPIRES_AT'),
  errorCode('checkout', 'UNCONFIGURED_PAYMENT_METHOD'),
  errorCode('checkout', 'ORDER_ALREADY_EXISTS'),
];

/**
 * A query that finds nothing says so, whatever else has the id: an order of the other product or of another merchant. Codes that the
 * contract does not name may be of a failed authentication or of too many requests, and an id under which nothing was ever made may be found
 * malformed.
 */
export const unknownOrders: Invariant = { name: 'unknown-orders', rules, judge };

function* judge(book: Book): Iterable<Judgement> {
  const taken = idsOfOrders(book);
  for (const exchanged of book.exchanged) {
    const area = products.find((each) => exchanged.operation === `${each}.query`);
    const code = codeOf(exchanged);
    if (!area || code === undefined || !isNamedCode(code) || !isRefused(exchanged)) continue;
    if (!saysSomethingOf(exchanged) || !isOrdinary(book, exchanged)) continue;
    const isWellFormed = taken.has(exchanged.record.parameters?.merchantOrderId ?? '');
    const isWrong = codesOfCreates.includes(code) || (isWellFormed && code === errorCode(area, 'INVALID_PARAMETER'));
    yield judgement(ruleId(area), errorCode(area, 'ORDER_NOT_FOUND'), exchanged, isWrong);
  }
}

/** The merchants' ids under which a create of either product was accepted, which both products write in the same form. */
const idsOfOrders = ({ exchanged }: Book): ReadonlySet<string> =>
  new Set(
    exchanged.flatMap(({ operation, area, accepted, sent }) =>
      isCreate(operation) && area !== 'refunds' && accepted ? (textAt(sent, merchantIdField[area]) ?? []) : [],
    ),
  );

function judgement(rule: string, right: string, exchanged: Exchanged, isWrong: boolean): Judgement {
  const { record, operation } = exchanged;
  if (!isWrong) return { rule, records: [record] };
  return {
    rule,
    records: [record],
    fault: {
      expected: `${operation} finds the order, or refuses with code = ${show(right)}`,
      actual: `code = ${show(codeOf(exchanged))}`,
    },
  };
}
