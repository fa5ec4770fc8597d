import { isObject, valueAt } from '../contract/json.ts';
import { type Book, type Exchanged, textAt } from './book.ts';
import { codeOf } from './bound-answers.ts';
import type { Invariant, InvariantRule, Judgement } from './invariant.ts';

/** The operations whose refusals name a merchant and an order. */
const operations = ['orders.create', 'orders.query'] as const;

const ruleId = (operation: string) => `${operation}.refusals.ids`;

const rules: readonly InvariantRule[] = operations.map((operation) => ({
  id: ruleId(operation),
  title: `No refusal of ${operation} names another merchant, or another order, than the request`,
  requirements: ['orders.envelope.failure'],
}));

/**
 * A refusal names whom and what the request names, and nothing that is left over from another one. Only ids count that somebody else of the run
 * has: how a target writes an id that it could not read, or one that it does not know, is its own matter.
 */
export const refusalIds: Invariant = { name: 'refusal-ids', rules, judge };

function* judge(book: Book): Iterable<Judgement> {
  const merchants = new Set(book.exchanged.map(({ merchantId }) => merchantId));
  const orders = new Set(
    book.entities.flatMap(({ area, origins }) =>
      area === 'orders' ? origins.flatMap(({ sent }) => textAt(sent, 'merchantOrderId') ?? []) : [],
    ),
  );
  for (const exchanged of book.exchanged) {
    const { operation, accepted, answered, record } = exchanged;
    const data = valueAt(answered, ['data']);
    const isAsked = operations.some((each) => each === operation);
    if (!isAsked || accepted || codeOf(exchanged) === undefined || !isObject(data)) continue;
    const [merchant, order] = [textAt(data, 'merchantId'), textAt(data, 'merchantOrderId')];
    const strange = [
      ...(merchant !== undefined && merchants.has(merchant) ? [{ name: 'merchantId', id: merchant }] : []),
      ...(order !== undefined && orders.has(order) ? [{ name: 'merchantOrderId', id: order }] : []),
    ].find(({ id }) => id !== record.as && !isNamed(exchanged, id));
    yield {
      rule: ruleId(operation),
      records: [record],
      ...(strange && {
        fault: {
          expected: `a refusal that names what the request names`,
          actual: `data.${strange.name} = ${strange.id}, which the request does not name`,
        },
      }),
    };
  }
}

/** Whether a request has an id in its path, its query or its body, however the target reads that. */
function isNamed({ record, merchantId }: Exchanged, id: string): boolean {
  const { parameters = {}, path, query = '', body } = record;
  const texts = [merchantId, ...Object.values(parameters), path, query, body?.text ?? ''];
  return texts.some((each) => lettersAndDigits(each).includes(lettersAndDigits(id)));
}

/** The letters and digits of a text, in whichever form a target may write them. */
const lettersAndDigits = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]/gu, '');
