import { errorCode, fieldErrorCodes } from '../contract/error-codes.ts';
import { isObject, valueAt } from '../contract/json.ts';
import { lengthLimit } from '../contract/lengths.ts';
import { contractOperation } from '../contract/operations.ts';
import { schemaFaults } from '../contract/schema.ts';
import { show } from '../contract/show.ts';
import { type Book, type Exchanged, textAt } from './book.ts';
import { codeOf, isOrdinary, isPlain } from './bound-answers.ts';
import type { Invariant, InvariantRule, Judgement } from './invariant.ts';

/** The operations whose refusals name a merchant and an order. */
const operations = ['orders.create', 'orders.query'] as const;

const ruleId = (operation: string) => `${operation}.refusals.ids`;

const rules: readonly InvariantRule[] = operations.map((operation) => ({
  id: ruleId(operation),
  title: `No refusal of ${operation} names another merchant, or another order, than the request`,
  requirements: ['orders.envelope.failure', 'orders.envelope.failure-names-request'],
}));

/**
 * A refusal names whom and what the request names, and nothing that is left over from another one. An order that every reader of the request
 * understands alike is named letter for letter, also by an id that keeps no rule, or, where the request may not have been read, not at all. Of other requests only ids
 * count that somebody else of the run has: how a target writes an id that it could not read is its own matter.
 */
export const refusalIds: Invariant = { name: 'refusal-ids', rules, judge };

function* judge(book: Book): Iterable<Judgement> {
  const merchants = new Set(book.exchanged.map(({ merchantId }) => merchantId));
  const orders = new Set(
    book.entities.flatMap(({ area, origins }) =>
      area === 'orders' ? origins.flatMap(({ sent }) => textAt(sent, 'merchantOrderId') ?? []) : [],
    ),
  );
  const platformIds = new Set(book.entities.map(({ id }) => id));
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
    const named = namedOrder(exchanged);
    const mayBeLeftOut = !hasBeenRead(book, exchanged);
    // A query may name an order by the platform's id.
    const isOther = named !== undefined && operation === 'orders.query' && platformIds.has(named);
    const isChanged = named !== undefined && !isOther && order !== named && !(mayBeLeftOut && (order ?? '') === '');
    yield {
      rule: ruleId(operation),
      records: [record],
      ...(isChanged &&
        !strange && {
          fault: {
            expected: `data.merchantOrderId = ${named}, as the request names it`,
            actual: `data.merchantOrderId ${order === undefined ? 'names none' : `= ${show(order)}`}`,
            requirement: 'orders.envelope.failure-names-request' as const,
          },
        }),
      ...(strange && {
        fault: {
          expected: `a refusal that names what the request names`,
          actual: `data.${strange.name} = ${strange.id}, which the request does not name`,
        },
      }),
    };
  }
}

/** The codes that a create is refused with for what it says. */
const codesOfCreates = [...fieldErrorCodes.orders, errorCode('orders', 'ORDER_ALREADY_EXISTS')];

/** Text of letters and marks of ASCII, which stand for themselves. */
const plainText = /^(?!.*\\u)[\x20-\x7e\s]*$/s;

/** Whether a create was read before it was refused: it keeps every rule of the schema, which some libraries hold it against first, or its id is found to be taken. */
function hasBeenRead(book: Book, exchanged: Exchanged): boolean {
  const { operation, sent, record } = exchanged;
  const code = codeOf(exchanged);
  if (operation !== 'orders.create' || code === undefined || !codesOfCreates.includes(code)) return false;
  // Some readers of JSON fail at a character that others take.
  if (!isOrdinary(book, exchanged) || !plainText.test(record.body?.text ?? '')) return false;
  const { bodySchema } = contractOperation(operation);
  const isWhole = bodySchema !== undefined && schemaFaults(sent, bodySchema).length === 0;
  return isWhole || code === errorCode('orders', 'ORDER_ALREADY_EXISTS');
}

const { limit: shortest } = lengthLimit('orders', 'merchantOrderId', 'minLength');
const { limit: longest } = lengthLimit('orders', 'merchantOrderId', 'maxLength');
const rightId = new RegExp(`^[A-Za-z0-9_-]{${shortest},${longest}}$`);

/** Text in a body that every reader takes alike, also where it keeps no rule of an id. */
const readableId = /^[\x20-\x7e]{1,1000}$/;

/** The merchantOrderId of a request, where every reader takes the request to name it; `undefined`: it names none so. In a path it has to keep its rules. */
function namedOrder(exchanged: Exchanged): string | undefined {
  const { record, sent } = exchanged;
  if (!isPlain(exchanged)) return undefined;
  const isInBody = record.method === 'POST';
  const id = isInBody ? textAt(sent, 'merchantOrderId') : record.parameters?.merchantOrderId;
  if (id === undefined || !readableId.test(id)) return undefined;
  if (!isInBody) return rightId.test(id) && record.path.endsWith(`/${id}`) ? id : undefined;
  // Of a name that stands there twice, a reader may take either.
  const names = record.body?.text.match(/"merchantOrderId"\s*:/gi) ?? [];
  return names.length === 1 && hasUsualHeaders(record) ? id : undefined;
}

/** Nothing in the headers of a request says that its body is to be read otherwise than as JSON in UTF-8. */
const hasUsualHeaders = ({ headers }: Exchanged['record']): boolean =>
  Object.entries(headers).every(([name, value]) => {
    const isOfType = name.toLowerCase() === 'content-type';
    return isOfType ? !/charset(?!\s*=\s*"?utf-8)/i.test(value) : name.toLowerCase() !== 'content-encoding';
  });

/** Whether a request has an id in its path, its query or its body, however the target reads that. */
function isNamed({ record, merchantId, sent }: Exchanged, id: string): boolean {
  const { parameters = {}, path, query = '', body } = record;
  // In the body, escapes stand for some characters.
  const texts = [
    merchantId,
    ...Object.values(parameters),
    path,
    query,
    textAt(sent, 'merchantOrderId') ?? '',
    body?.text ?? '',
  ];
  return texts.some((each) => lettersAndDigits(each).includes(lettersAndDigits(id)));
}

/** The letters and digits of a text, in whichever form a target may write them. */
const lettersAndDigits = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]/gu, '');
