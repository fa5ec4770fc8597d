import { errorCode } from '../../contract/error-codes.ts';
import { type Book, type Exchanged, isCreate, merchantIdField, textAt } from '../../invariants/book.ts';
import { different, fewestPlaces, fewestTimes, grouped, seconds } from './habits.ts';

/** A query of its merchant for an order that was made before. */
interface Look {
  order: string;
  found: boolean;
  /** How long before the query the order had been made, in milliseconds. */
  age: number;
}

/** Orders that were made are not found, each now and then, or only some time later. */
export function lostOrders(book: Book): string | undefined {
  const byOrder = grouped(looksOf(book), ({ order }) => order);
  const looks = [...byOrder.values()].flat();
  const misses = looks.filter(({ found }) => !found);
  if (misses.length < fewestTimes || different(misses.map(({ order }) => order)) < fewestPlaces) return undefined;
  const pairs = [...byOrder.values()].flatMap((each) => each.slice(1).map((look, index) => [each[index], look]));
  const foundLater = pairs.filter(([before, after]) => !before?.found && after?.found).length;
  const lostAgain = pairs.filter(([before, after]) => before?.found && !after?.found).length;
  // Nothing but several memories does both: an order that is removed stays lost, and one that comes late stays found.
  if (foundLater > 1 && lostAgain > 1) {
    return `${misses.length} of ${looks.length} queries for an order that had been made find nothing, and the next one may find it (found later ${foundLater} times, lost again ${lostAgain} times): do several processes answer, each with its own memory?`;
  }
  const last = Math.max(...misses.map(({ age }) => age));
  const early = looks.filter(({ age }) => age <= last);
  const late = looks.filter(({ found, age }) => found && age > last);
  if (lostAgain > 0 || misses.length * 2 < early.length || different(late.map(({ order }) => order)) < fewestPlaces) {
    return undefined;
  }
  return `an order that was made is found only later: ${misses.length} of ${early.length} queries up to ${seconds(last)} s after its create find nothing, and all ${late.length} later ones find it`;
}

/** The queries for orders that had been made, in their order. One that is refused for another reason shows nothing. */
function looksOf({ exchanged }: Book): Look[] {
  const madeAt = new Map<string, number>();
  const looks: Look[] = [];
  const byStart = exchanged.toSorted((one, other) => one.record.start - other.record.start);
  const keyOf = ({ area, merchantId }: Exchanged, id: string) => JSON.stringify([area, merchantId, id]);
  for (const each of byStart) {
    const id = textAt(each.sent, merchantIdField[each.area]);
    if (!isCreate(each.operation) || !each.accepted || !each.signed || id === undefined) continue;
    const key = keyOf(each, id);
    madeAt.set(key, Math.min(each.record.end, madeAt.get(key) ?? Number.POSITIVE_INFINITY));
  }
  for (const each of byStart) {
    const { area, operation, record, signed, accepted, answered } = each;
    const id = record.parameters?.merchantOrderId;
    if (!signed || !operation.endsWith('.query') || area === 'refunds' || id === undefined) continue;
    const order = keyOf(each, id);
    const age = record.start - (madeAt.get(order) ?? Number.POSITIVE_INFINITY);
    const isMissing = textAt(answered, 'code') === errorCode(area, 'ORDER_NOT_FOUND');
    if (age >= 0 && (accepted || isMissing)) looks.push({ order, found: accepted, age });
  }
  return looks;
}
