import type { RequirementId } from '../../generated/catalogue.ts';
import { readMoment, type ShownMoment } from '../contract/moments.ts';
import type { OperationArea } from '../contract/operations.ts';
import { show } from '../contract/show.ts';
import { isBefore } from '../history/recorder.ts';
import type { HistoryRecord, Span } from '../history/records.ts';
import { type Book, type Entity, type Exchanged, merchantIdField, type Sighting, textAt } from './book.ts';
import { codeOf } from './bound-answers.ts';
import type { Window } from './business-clock.ts';
import type { Invariant, InvariantRule, Judgement } from './invariant.ts';

/** The stretch of business time in which something must have happened, and the record that opens it. */
interface Bounds extends Window {
  since: HistoryRecord | undefined;
}

/** A time that views show. */
interface TimeRule {
  /** The last word of the ids of its rules. */
  name: string;
  /** The field that shows it, or the one for each status. */
  field: string | Readonly<Record<string, string>>;
  operations: readonly string[];
  noun: string;
  /** What it tells, as the end of a sentence. */
  tells: string;
  requirement: RequirementId;
  /** Between which moments it lies; `undefined`: that cannot be told. */
  bounds(book: Book, entity: Entity, sighting: Sighting): Bounds | undefined;
}

const orderTimes = (
  area: OperationArea,
  noun: string,
  requirement: RequirementId,
): readonly [OperationArea, readonly TimeRule[]] => [
  area,
  [
    {
      name: 'created-at',
      field: 'createdAt',
      operations: [`${area}.create`, `${area}.query`],
      noun,
      tells: 'when it was made',
      requirement,
      bounds: creation,
    },
    {
      name: 'paid-at',
      field: 'paidAt',
      operations: [`${area}.query`],
      noun,
      tells: 'when it was paid',
      requirement,
      bounds: payment,
    },
  ],
];

const refundQueries = ['refunds.query', 'refunds.batch-query'] as const;

/** The times of each kind of entity. */
const times: ReadonlyMap<OperationArea, readonly TimeRule[]> = new Map([
  orderTimes('orders', 'a hosted order', 'orders.view.moments'),
  orderTimes('checkout', 'a checkout order', 'checkout.view.moments'),
  [
    'refunds',
    [
      {
        name: 'created-time',
        field: 'createdTime',
        operations: ['refunds.create', ...refundQueries],
        noun: 'a refund',
        tells: 'when it was made',
        requirement: 'refunds.record.moments',
        bounds: creation,
      },
      {
        name: 'estimated-completion',
        field: 'estimatedCompletionTime',
        operations: ['refunds.create'],
        noun: 'a refund',
        tells: 'a moment that is not before its creation',
        requirement: 'refunds.create.estimated-completion',
        bounds: (_, __, { view, record }) => notBefore(textAt(view, 'createdTime'), record),
      },
      {
        name: 'end-time',
        field: { SUCCEEDED: 'completedTime', FAILED: 'failedTime', CLOSED: 'closedTime' },
        operations: refundQueries,
        noun: 'a refund',
        tells: 'when it came to its end',
        requirement: 'refunds.record.moments',
        bounds: end,
      },
    ],
  ],
]);

const ruleId = (operation: string, name: string) => `${operation}.times.${name}`;

const namesOf = ({ field }: TimeRule) => (typeof field === 'string' ? field : Object.values(field).join(', '));

const rules: readonly InvariantRule[] = [...times.values()].flat().flatMap((each) =>
  each.operations.map((operation) => ({
    id: ruleId(operation, each.name),
    title: `${namesOf(each)} in the answers of ${operation} tells of ${each.noun} ${each.tells}`,
    requirements: [each.requirement] as const,
  })),
);

/** The times in a view lie between the moments, on the merchant's business clock, when the run asked for something and when it saw it. */
export const timesOfEvents: Invariant = { name: 'times', rules, judge };

function* judge(book: Book): Iterable<Judgement> {
  for (const entity of book.entities) {
    const judged = isClockKnown(book, entity.merchantId) ? (times.get(entity.area) ?? []) : [];
    for (const sighting of entity.sightings) {
      for (const each of judged) {
        if (each.operations.includes(sighting.exchanged.operation)) yield* judgeTime(book, each, entity, sighting);
      }
    }
  }
}

/** An earlier run may have moved the clock of a merchant that this one has not made but whose clock it moves. */
function isClockKnown({ provisions, clockMoves }: Book, merchantId: string): boolean {
  return provisions.has(merchantId) || !clockMoves.some((move) => move.merchantId === merchantId);
}

function* judgeTime(book: Book, each: TimeRule, entity: Entity, sighting: Sighting): Iterable<Judgement> {
  const field = typeof each.field === 'string' ? each.field : each.field[sighting.status];
  const text = field === undefined ? undefined : textAt(sighting.view, field);
  const shown = text === undefined ? undefined : readMoment(text);
  const bounds = shown && each.bounds(book, entity, sighting);
  // Moments that contradict each other are of different things, which another rule sees.
  if (!bounds || Number.isNaN(bounds.earliest) || bounds.earliest > bounds.latest) return;
  const rule = ruleId(sighting.exchanged.operation, each.name);
  const { since, ...window } = bounds;
  const records = since && since !== sighting.record ? [since, sighting.record] : [sighting.record];
  if (liesIn(shown, window)) return yield { rule, records };
  const expected = `data.${field} ${inWords(window)}`;
  const actual = `data.${field} = ${show(text)}`;
  const refused = each.bounds === creation ? refusedBefore(book, entity) : undefined;
  if (!refused) return yield { rule, records, fault: { expected, actual } };
  const code = codeOf(refused);
  const how = `HTTP ${refused.status}${code === undefined ? '' : ` and code ${code}`}`;
  yield {
    rule,
    records: [refused.record, ...records],
    fault: { expected, actual: `${actual}; a create with its id had been refused before, with ${how}` },
  };
}

/** The last create with the merchant's id of something that was refused before the one that made it. It may have been carried out all the same. */
function refusedBefore({ exchanged }: Book, { area, merchantId, origins }: Entity): Exchanged | undefined {
  const [made] = origins;
  const name = merchantIdField[area];
  const id = textAt(made?.sent, name);
  if (!made || id === undefined) return undefined;
  return exchanged.findLast(
    (each) =>
      each.operation === made.operation &&
      each.merchantId === merchantId &&
      !each.accepted &&
      textAt(each.sent, name) === id &&
      isBefore(each.record, made.record),
  );
}

/** A time may be cut off or rounded to the precision that it is shown in. */
function liesIn({ instant, precision }: ShownMoment, { earliest, latest }: Window): boolean {
  const step = Math.max(precision, 1);
  return instant > earliest - step && instant < latest + step;
}

function inWords({ earliest, latest }: Window): string {
  const [from, to] = [earliest, latest].map((each) =>
    Number.isFinite(each) ? new Date(each).toISOString() : undefined,
  );
  if (from === undefined) return `not after ${to}`;
  return to === undefined ? `not before ${from}` : `between ${from} and ${to}`;
}

/** Between sending the first create that may have made it and the first answer that shows it. */
function creation({ clock }: Book, { merchantId, origins, sightings }: Entity): Bounds | undefined {
  const [seen] = sightings;
  const since = earliestOf(origins.map(({ record }) => record));
  if (!seen || !since) return undefined;
  return { ...clock.between(merchantId, since.start, seen.record.end), since };
}

/**
 * Between asking the driver for the payment and the first answer that shows it as done. What the run has not asked for lies behind the
 * creation. The time of a payment is never before `createdAt` in the same answer, unless that is wrong itself.
 */
function payment(book: Book, entity: Entity, sighting: Sighting): Bounds | undefined {
  const { clock } = book;
  const { merchantId, events, origins, sightings } = entity;
  const seen = sightings.find(({ status }) => status === 'SUCCEEDED');
  if (!seen) return undefined;
  const paying = events.filter(({ event, result }) => paysAnOrder(event.type) && mayHaveHappened(result));
  const since = paying[0] ?? earliestOf(origins.map(({ record }) => record));
  const created = rightCreation(book, entity, sighting);
  const asked = since ? clock.at(merchantId, since.start).earliest : Number.NEGATIVE_INFINITY;
  const { latest } = clock.at(merchantId, seen.record.end);
  const createdAt = created === undefined ? Number.NEGATIVE_INFINITY : created.earliest - clock.jumped;
  const isCreatedLater = createdAt > asked;
  return {
    earliest: isCreatedLater ? createdAt : asked,
    latest,
    since: isCreatedLater ? sighting.record : since,
  };
}

/** From the creation that an answer shows on, where it lies within its own bounds. */
function rightCreation(book: Book, entity: Entity, { view, record }: Sighting): Bounds | undefined {
  const text = textAt(view, 'createdAt');
  const shown = text === undefined ? undefined : readMoment(text);
  const bounds = creation(book, entity);
  return shown && bounds && !liesIn(shown, bounds) ? undefined : notBefore(text, record);
}

const paysAnOrder = (type: string) => type === 'transaction_detected' || type === 'payment_confirmed';

const mayHaveHappened = (result: Entity['events'][number]['result']) => 'failed' in result || result.done;

/** Between asking the driver for the refund's first move, or the last answer that shows it in another state, and the first that shows its end. */
function end({ clock, run }: Book, entity: Entity, { status }: Sighting): Bounds | undefined {
  const { merchantId, events, origins, sightings } = entity;
  const seen = sightings.find((each) => each.status === status);
  if (!seen) return undefined;
  const asked = events.find(({ result }) => mayHaveHappened(result)) ?? earliestOf(origins.map(({ record }) => record));
  const open = sightings.filter(
    (each) => each.by === 'query' && each.status !== status && isBefore(each.record, seen.record),
  );
  const last = open.reduce<Sighting | undefined>(
    (latest, each) => (latest && latest.record.start > each.record.start ? latest : each),
    undefined,
  );
  const askedAt = asked ? clock.at(merchantId, asked.start).earliest : Number.NEGATIVE_INFINITY;
  const openAt = last ? openSince(last.record) : Number.NEGATIVE_INFINITY;
  return {
    earliest: Math.max(askedAt, openAt),
    latest: clock.at(merchantId, seen.record.end).latest,
    since: openAt > askedAt ? last?.record : asked,
  };

  /** The business time at which it had not ended, by an answer that shows it in another state. Views may lag behind. */
  function openSince(record: Span): number {
    const wasMovedLater = events.some(({ start, result }) => start >= record.end && mayHaveHappened(result));
    return wasMovedLater
      ? clock.at(merchantId, record.start).earliest - run.settle
      : // The clock may have been moved meanwhile.
        clock.at(merchantId, record.start - run.settle).earliest;
  }
}

/** At another time of the same answer or later, to the precision that both are shown in. */
function notBefore(text: string | undefined, since: HistoryRecord): Bounds | undefined {
  const other = text === undefined ? undefined : readMoment(text);
  if (!other) return undefined;
  return { earliest: other.instant - Math.max(other.precision, 1), latest: Number.POSITIVE_INFINITY, since };
}

function earliestOf<Each extends HistoryRecord>(records: readonly Each[]): Each | undefined {
  return records.reduce<Each | undefined>(
    (first, each) => (first && first.start <= each.start ? first : each),
    undefined,
  );
}
