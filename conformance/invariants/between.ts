import { counted } from '../contract/counted.ts';
import type { Span } from '../history/records.ts';
import { type Book, type Entity, textAt } from './book.ts';

/** How many things are named at most. */
const mostNamed = 6;

const [hour, day] = [3600, 86_400];

/** A length of business time in words. `seconds`: how long it is. */
function lengthOf(seconds: number): string {
  if (seconds >= 2 * day) return counted(Math.round(seconds / day), 'day');
  return seconds >= 2 * hour ? counted(Math.round(seconds / hour), 'hour') : counted(seconds, 'second');
}

/**
 * What the run let happen to an order or a refund between two answers that show it, in words for the end of a message: driver's events, refunds of
 * it, creates with its id, and business time. Empty: nothing that the history tells of.
 */
export const between = (book: Book, entity: Entity, first: Span, later: Span): string =>
  happened(book, entity, first, later, 'between the two');

/** The same from the create of an order or a refund to a later answer. Empty also where the run did not make it. */
export function sinceCreate(book: Book, entity: Entity, later: Span): string {
  const [made] = entity.origins;
  return made ? happened(book, entity, made.record, later, 'since its create') : '';
}

function happened(book: Book, entity: Entity, first: Span, later: Span, when: string): string {
  const isBetween = ({ start }: Span) => start >= first.end && start < later.end;
  const refunds = book.entities.filter(
    (each) =>
      each.area === 'refunds' && each.origins.some(({ sent }) => textAt(sent, 'acquiringOrderId') === entity.id),
  );
  const all = [
    ...doneTo(entity).map(({ at, type }) => ({ at, words: type })),
    ...entity.sightings
      .filter(({ by }) => by === 'create')
      .map(({ record }) => ({ at: record, words: 'a create with its id again' })),
    ...refunds.flatMap((refund) => [
      ...refund.origins.slice(0, 1).map(({ record }) => ({ at: record, words: `refund ${refund.id} made` })),
      ...doneTo(refund).map(({ at, type }) => ({ at, words: `${type} of refund ${refund.id}` })),
    ]),
    ...book.clockMoves
      .filter(({ merchantId, failed }) => merchantId === entity.merchantId && failed === undefined)
      .map((move) => ({ at: move, words: `business time moved by ${lengthOf(move.seconds)}` })),
  ]
    .filter(({ at }) => isBetween(at))
    .sort((one, other) => one.at.start - other.at.start);
  if (all.length === 0) return '';
  const named = all.slice(-mostNamed).map(({ words }) => words);
  return `; ${when}: ${all.length > mostNamed ? 'other things, ' : ''}${named.join(', ')}`;
}

/** The events that the driver let happen to something. */
const doneTo = ({ events }: Entity) =>
  events
    .filter(({ result }) => 'done' in result && result.done)
    .map((record) => ({ at: record, type: record.event.type }));
