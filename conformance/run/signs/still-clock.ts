import { readMoment } from '../../contract/moments.ts';
import { isFinalStatus } from '../../contract/statuses.ts';
import { type Book, type Entity, textAt } from '../../invariants/book.ts';
import { different, fewestPlaces, fewestTimes } from './habits.ts';

/** How far the clock of a merchant must have been moved, in milliseconds, so that no clock that is a little wrong looks like it. */
const farthestWrong = 3_600_000;

/** Something that was made after its merchant's clock had been moved. */
interface MadeLater {
  merchantId: string;
  /** The time that it shows as that of its making is the one that it was before all moves. */
  isStill: boolean;
}

/** The driver moves the clocks of merchants, and nothing shows that: no order runs out, and what is made afterwards has a time of before. */
export function stillClock(book: Book): string | undefined {
  const later = book.entities.flatMap((entity) => madeLater(book, entity) ?? []);
  const merchants = different(later.map(({ merchantId }) => merchantId));
  if (later.length < fewestTimes || merchants < fewestPlaces || !later.every(({ isStill }) => isStill))
    return undefined;
  if (book.entities.some((entity) => ranOut(book, entity))) return undefined;
  return `the driver moved the clocks of ${merchants} merchants, and none of the ${later.length} orders and refunds that they made afterwards shows a time that moved with it: does the step have an effect on the target?`;
}

/** Whether something has ended to which nothing was let happen, although its time is not over but for the moves of the clock. */
function ranOut({ run }: Book, { area, events, sightings }: Entity): boolean {
  return sightings.some(({ view, status, record }) => {
    const expiry = readMoment(textAt(view, 'expiresAt') ?? '');
    return events.length === 0 && expiry && expiry.instant > run.startedAt + record.end && isFinalStatus(area, status);
  });
}

/** `undefined`: it was not made after a move, or shows no time of its making. */
function madeLater({ clock, clockMoves }: Book, { merchantId, origins, sightings }: Entity): MadeLater | undefined {
  const [origin] = origins;
  const [first] = sightings;
  if (!origin || !first || origins.length > 1) return undefined;
  const { start, end } = origin.record;
  const moves = clockMoves.filter(
    (move) => move.merchantId === merchantId && move.failed === undefined && move.end <= start,
  );
  const moved = moves.reduce((sum, { seconds }) => sum + seconds * 1000, 0);
  const shown = readMoment(textAt(first.view, 'createdAt') ?? textAt(first.view, 'createdTime') ?? '');
  if (!shown || moved < farthestWrong) return undefined;
  const { earliest, latest } = clock.between(merchantId, start, end);
  return {
    merchantId,
    isStill: shown.instant >= earliest - moved - shown.precision && shown.instant <= latest - moved,
  };
}
