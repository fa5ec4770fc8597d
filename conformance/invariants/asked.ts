import type { RequirementId } from '../../generated/catalogue.ts';
import { isObject, valueAt } from '../contract/json.ts';
import type { OperationArea } from '../contract/operations.ts';
import { jsonDecoded } from '../contract/readings.ts';
import { show } from '../contract/show.ts';
import { isBefore } from '../history/recorder.ts';
import type { RequestRecord } from '../history/records.ts';
import { type Book, type Exchanged, isCreate, merchantIdField, textAt } from './book.ts';
import { isOrdinary } from './bound-answers.ts';
import type { Invariant, InvariantRule, Judgement } from './invariant.ts';

/** An operation that shows one order or refund by its id. */
interface Query {
  operation: string;
  area: OperationArea;
  noun: string;
  /** What is broken when it shows something under another id than the one that was asked for. */
  found: RequirementId;
  /** What is broken when it shows something that was never made. */
  unknown: RequirementId;
}

const queries: readonly Query[] = [
  {
    operation: 'orders.query',
    area: 'orders',
    noun: 'hosted order',
    found: 'orders.query.by-merchant-order-id',
    unknown: 'orders.errors.unknown-order',
  },
  {
    operation: 'checkout.query',
    area: 'checkout',
    noun: 'checkout order',
    found: 'checkout.query.by-merchant-order-id',
    unknown: 'checkout.errors.unknown-order',
  },
  {
    operation: 'refunds.query',
    area: 'refunds',
    noun: 'refund',
    found: 'refunds.query.by-merchant-refund-order-id',
    unknown: 'refunds.errors.refund-not-found',
  },
];

const idRule = (operation: string) => `${operation}.asked.id`;
const madeRule = (operation: string) => `${operation}.asked.made`;

const rules: readonly InvariantRule[] = queries.flatMap(({ operation, noun, found, unknown }) => [
  {
    id: idRule(operation),
    title: `Every answer of ${operation} shows the ${noun} that has the id that was asked for`,
    requirements: [found],
  },
  {
    id: madeRule(operation),
    title: `No answer of ${operation} shows a ${noun} that the merchant never asked to make`,
    requirements: [unknown],
  },
]);

/** A query shows what was asked for: by its id, and only what a create of the same operation's kind can have made. */
export const asked: Invariant = { name: 'asked', rules, judge };

function* judge(book: Book): Iterable<Judgement> {
  const creates = createsIn(book);
  for (const exchanged of book.exchanged) {
    const query = queries.find(({ operation }) => operation === exchanged.operation);
    const view = exchanged.accepted ? valueAt(exchanged.answered, ['data']) : undefined;
    if (!query || !isObject(view) || !isOrdinary(book, exchanged)) continue;
    yield* judgeId(query, exchanged, view);
    yield* judgeMade(book, query, exchanged, view, creates);
  }
}

/** The names of the fields in one of which the id that was asked for must stand, with that id. `undefined`: several were asked for. */
function askedIn({ area, record }: Exchanged): { fields: readonly string[]; id: string } | undefined {
  if (area !== 'refunds') {
    const id = record.parameters?.merchantOrderId;
    return id === undefined ? undefined : { fields: ['merchantOrderId', 'orderId'], id };
  }
  const [[name, id] = ['', ''], ...others] = [...new URLSearchParams(record.query ?? '')];
  return name === '' || others.length > 0 ? undefined : { fields: [name], id };
}

function* judgeId({ operation }: Query, exchanged: Exchanged, view: object): Iterable<Judgement> {
  const wanted = askedIn(exchanged);
  const seen = wanted?.fields.map((name) => textAt(view, name));
  if (!wanted || !seen || seen.includes(undefined)) return;
  const { fields, id } = wanted;
  const { record } = exchanged;
  const rule = idRule(operation);
  if (seen.includes(id)) return yield { rule, records: [record] };
  const named = fields.map((name) => `data.${name}`).join(' or ');
  const actual = fields.map((name, index) => `data.${name} = ${show(seen[index])}`).join(', ');
  yield { rule, records: [record], fault: { expected: `${named} = ${show(id)}, as asked`, actual } };
}

/** The creates of each merchant and area, by the id that the merchant gave; those whose body is no JSON apart. */
interface Creates {
  byId: ReadonlyMap<string, readonly RequestRecord[]>;
  unread: readonly RequestRecord[];
}

const keyOf = (area: OperationArea, merchantId: string, id: string) => JSON.stringify([area, merchantId, id]);

function createsIn({ exchanged, unanswered }: Book): Creates {
  const byId = new Map<string, RequestRecord[]>();
  const unread: RequestRecord[] = unanswered.filter(({ operation }) => operation !== undefined && isCreate(operation));
  for (const { operation, area, merchantId, sent, record } of exchanged) {
    if (!isCreate(operation)) continue;
    const id = textAt(sent, merchantIdField[area]);
    if (id === undefined) {
      unread.push(record);
      continue;
    }
    const key = keyOf(area, merchantId, id);
    byId.set(key, [...(byId.get(key) ?? []), record]);
  }
  return { byId, unread };
}

/** Of a merchant that the run made, nobody else makes anything. Another merchant may have had orders before. */
function* judgeMade(
  { provisions }: Book,
  { operation, area, noun }: Query,
  { record, merchantId }: Exchanged,
  view: object,
  { byId, unread }: Creates,
): Iterable<Judgement> {
  const provision = provisions.get(merchantId);
  const id = textAt(view, merchantIdField[area]);
  if (!provision || id === undefined) return;
  const rule = madeRule(operation);
  const mayHaveMade = (create: RequestRecord) => !isBefore(record, create);
  const made = byId.get(keyOf(area, merchantId, id))?.find(mayHaveMade);
  if (made) return yield { rule, records: [made, record] };
  const ofMerchant = unread.filter(({ parameters }) => parameters?.merchantId === merchantId);
  if (ofMerchant.some(({ body }) => body?.cut || (body && jsonDecoded(body.text).includes(id)))) return;
  yield {
    rule,
    records: [provision, record],
    fault: {
      expected: `a refusal: the merchant has sent no ${area}.create with ${merchantIdField[area]} ${show(id)}`,
      actual: `a success that shows a ${noun} with ${merchantIdField[area]} = ${show(id)}`,
    },
  };
}
