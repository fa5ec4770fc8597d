import type { RequirementId } from '../../generated/catalogue.ts';
import { compareDecimals, isDecimalText } from '../contract/decimals.ts';
import { isObject, valueAt } from '../contract/json.ts';
import { readMoment } from '../contract/moments.ts';
import { show, showApart } from '../contract/show.ts';
import type { RequestRecord } from '../history/records.ts';
import { type Book, type Entity, idField, type Sighting, textAt } from './book.ts';
import type { Invariant, InvariantRule, Judgement } from './invariant.ts';
import { givenIn } from './money/paid.ts';
import { onceForEach } from './once-for-each.ts';
import { refundedOrder } from './refunded-order.ts';

/** A field that comes back as the create gave it. */
interface EchoedField {
  name: string;
  /** Where it stands in the request and in the view. */
  sent: readonly string[];
  shown: readonly string[];
  /** Whether the two mean the same; `undefined`: that cannot be told. */
  same(sent: string, shown: string): boolean | undefined;
  /** A view may do without the field. */
  optional?: true;
  /** Only the merchant writes it: where the create gave none, there is none. */
  ofMerchant?: true;
}

/** Half of a pair of UTF-16, which JSON can write and which is no character. */
const loneHalf = /\p{Cs}/u;

/** The same characters. How a text comes back that holds what is no character cannot be told: most databases cannot keep it. */
const text = (sent: string, shown: string) => sent === shown || (loneHalf.test(sent) ? undefined : false);
const amount = (sent: string, shown: string) =>
  isDecimalText(sent) && isDecimalText(shown) ? compareDecimals(sent, shown) === 0 : undefined;
/** The same instant, to the precision that the view shows. What is sent with more places than milliseconds have may be rounded to the next one. */
const moment = (sent: string, shown: string) => {
  const [given, seen] = [readMoment(sent), readMoment(shown)];
  return (
    given && seen && Math.abs(given.instant - seen.instant) < Math.max(seen.precision, given.precision < 1 ? 2 : 1)
  );
};

const field = (name: string, same: EchoedField['same'], ...path: readonly string[]): EchoedField => ({
  name,
  sent: path,
  shown: path,
  same,
});

const orderFields = [
  field('merchant-order-id', text, 'merchantOrderId'),
  field('amount', amount, 'orderAmount', 'value'),
  field('currency', text, 'orderAmount', 'currency'),
  field('expires-at', moment, 'expiresAt'),
];

/** What comes back from each product, where, and by which sentence. */
const echoes: readonly {
  area: Entity['area'];
  operations: readonly string[];
  noun: string;
  requirement: RequirementId;
  fields: readonly (EchoedField & { requirement?: RequirementId })[];
}[] = [
  {
    area: 'orders',
    operations: ['orders.create', 'orders.query'],
    noun: 'a hosted order',
    requirement: 'orders.view.echo',
    fields: orderFields,
  },
  {
    area: 'checkout',
    operations: ['checkout.create', 'checkout.query'],
    noun: 'a checkout order',
    requirement: 'checkout.view.echo',
    fields: [
      ...orderFields,
      field('network', text, 'network'),
      {
        ...field('metadata', text, 'metadata'),
        optional: true,
        ofMerchant: true,
        requirement: 'checkout.create.metadata.unchanged',
      },
    ],
  },
  {
    area: 'refunds',
    operations: ['refunds.create', 'refunds.query', 'refunds.batch-query'],
    noun: 'a refund',
    requirement: 'refunds.record.references',
    fields: [
      field('merchant-refund-order-id', text, 'merchantRefundOrderId'),
      field('acquiring-order-id', text, 'acquiringOrderId'),
      { ...field('extra-data', text, 'extraData'), ofMerchant: true, requirement: 'refunds.record.extra-data' },
    ],
  },
];

const ruleId = (operation: string, name: string) => `${operation}.echo.${name}`;

const rules: readonly InvariantRule[] = echoes.flatMap(({ operations, noun, requirement, fields }) =>
  operations.flatMap((operation) => [
    ...fields.map((each) => ({
      id: ruleId(operation, each.name),
      title: `Every answer of ${operation} shows ${each.shown.join('.')} of ${noun} as its create gave it`,
      requirements: [each.requirement ?? requirement] as const,
    })),
    ...(operation.startsWith('refunds.')
      ? [
          {
            id: ruleId(operation, 'merchant-order-id'),
            title: `Every answer of ${operation} shows the merchantOrderId of the order that it refunds`,
            requirements: [requirement] as const,
          },
        ]
      : [
          {
            id: ruleId(operation, 'merchant-id'),
            title: `Every answer of ${operation} names the merchant whose order it shows`,
            requirements: [requirement] as const,
          },
        ]),
  ]),
);

/** What the merchant gave with the create comes back in every view, and what it gave with an order in the views of its refunds. */
export const echo: Invariant = { name: 'echo', rules, judge };

function* judge(book: Book): Iterable<Judgement> {
  for (const entity of book.entities) {
    const fields = echoes.find(({ area }) => area === entity.area)?.fields ?? [];
    for (const sighting of entity.sightings) {
      if (entity.area === 'refunds') yield* judgeOrderId(book, entity, sighting);
      else yield judgeMerchant(entity, sighting);
      for (const each of fields) {
        yield* judgeField(each, entity, sighting);
        yield* judgeUngiven(book, each, entity, sighting);
      }
    }
  }
}

function judgeMerchant({ merchantId }: Entity, { exchanged, record, view }: Sighting): Judgement {
  const shown = view.merchantId;
  const rule = ruleId(exchanged.operation, 'merchant-id');
  if (shown === merchantId) return { rule, records: [record] };
  return {
    rule,
    records: [record],
    fault: { expected: `data.merchantId = ${merchantId}`, actual: `data.merchantId = ${show(shown)}` },
  };
}

/** A refund names its order by the merchant's own id as well, which only the create of the order gave. */
function* judgeOrderId(book: Book, refund: Entity, { exchanged, record, view }: Sighting): Iterable<Judgement> {
  const order = refundedOrder(book, refund);
  const given = order ? givenIn(order, 'merchantOrderId') : [];
  const [origin] = order?.origins ?? [];
  if (!origin || given.length === 0) return;
  const shown = view.merchantOrderId;
  const judgement = { rule: ruleId(exchanged.operation, 'merchant-order-id'), records: [origin.record, record] };
  if (given.some((id) => id === shown)) return yield judgement;
  const [expected, actual] = [givenText(given), show(shown)].map((each) => `data.merchantOrderId = ${each}`);
  yield { ...judgement, fault: { expected: `${expected}, as its order was made`, actual: `${actual}` } };
}

function* judgeField(
  each: EchoedField,
  { area, id, origins }: Entity,
  { exchanged, record, view, by }: Sighting,
): Iterable<Judgement> {
  const shown = valueAt(view, each.shown);
  if (shown === undefined && each.optional) return;
  const given = origins.map((origin) => textAt(origin.sent, ...each.sent));
  // A create whose field is no text, or whose body cannot be read, says nothing of what must come back.
  if (given.length === 0 || given.some((value) => value === undefined)) return;
  const compared = given.map((value) => (typeof shown === 'string' ? each.same(value ?? '', shown) : value === shown));
  if (compared.some((same) => same === undefined)) return;
  const rule = ruleId(exchanged.operation, each.name);
  const [origin] = origins;
  const records = origin && origin.record !== record ? [origin.record, record] : [record];
  if (compared.includes(true)) return yield { rule, records };
  const name = `data.${each.shown.join('.')}`;
  const [first, ...others] = new Set(given);
  const [expected, actual] = others.length === 0 ? showApart(first, shown) : [givenText(given), show(shown)];
  const utc = others.length === 0 && each.same === moment ? inUtc(first) : '';
  // A later create that is answered with a record which was there is judged by what made the record, and not by what it sent itself.
  const isLater = by === 'create' && origins.every((made) => made.record !== record);
  const earlier = isLater ? `, as ${idField[area]} ${show(id)} was made` : '';
  yield { rule, records, fault: { expected: `${name} = ${expected}${utc}${earlier}`, actual: `${name} = ${actual}` } };
}

/** A time in UTC, in words that follow it, where it is written in another zone. */
function inUtc(text: string | undefined): string {
  const given = text === undefined || text.endsWith('Z') ? undefined : readMoment(text);
  return given ? ` (${new Date(given.instant).toISOString()})` : '';
}

/** A text that is this long stands in two places by no chance, and is no way to say that there is none. */
const telling = 8;

/** A text that the create did not give is not that of another record, and where only the merchant writes the field, there is none. */
function* judgeUngiven(
  book: Book,
  { name, sent, shown: path, ofMerchant }: EchoedField,
  { area, origins }: Entity,
  { exchanged, record, view }: Sighting,
): Iterable<Judgement> {
  const shown = valueAt(view, path);
  const [origin] = origins;
  if (typeof shown !== 'string' || shown.length < telling || !origin) return;
  // The target may read a body that is no JSON here, such as one with a byte order mark.
  if (!origins.every((each) => isObject(each.sent))) return;
  if (origins.some((each) => (valueAt(each.sent, sent) ?? null) !== null)) return;
  const source = givers(book, area, sent).get(shown);
  if (!source && !ofMerchant) return;
  const [expected, whose] = source
    ? (['no text of another create', ', which another create gave'] as const)
    : (['no text, or an empty one,', ''] as const);
  yield {
    rule: ruleId(exchanged.operation, name),
    records: [source ?? origin.record, record],
    fault: {
      expected: `${expected} as data.${path.join('.')}: the create gave none`,
      actual: `data.${path.join('.')} = ${show(shown)}${whose}`,
    },
  };
}

const giversOf = onceForEach((_: Book) => new Map<string, ReadonlyMap<string, RequestRecord>>());

/** The creates of an area by the text that they gave in a field. */
function givers(book: Book, area: Entity['area'], sent: readonly string[]): ReadonlyMap<string, RequestRecord> {
  const known = giversOf(book);
  const key = `${area} ${sent.join('.')}`;
  const found =
    known.get(key) ??
    new Map(
      book.entities
        .filter((entity) => entity.area === area)
        .flatMap(({ origins }) => origins)
        .flatMap((origin) => {
          const text = textAt(origin.sent, ...sent);
          return text === undefined ? [] : [[text, origin.record] as const];
        }),
    );
  known.set(key, found);
  return found;
}

const givenText = (given: readonly (string | undefined)[]) => [...new Set(given)].map(show).join(' or ');
