import type { History } from '../../history/records.ts';
import { readBook } from '../../invariants/book.ts';
import { besideOneMark } from './beside-one-mark.ts';
import { failingSince } from './failing-since.ts';
import { keptAnswers } from './kept-answers.ts';
import { lostOrders } from './lost-orders.ts';
import { stillClock } from './still-clock.ts';
import { unanswered, unreadBodies } from './unanswered.ts';

/** How many signs are told of a run at most. */
const mostSigns = 2;

/**
 * What the requests of a run show in their course and none of them by itself, in plain sentences, the surest first: answers that are kept and
 * given again, orders that are lost and found, a moment since which all creates fail, requests without an answer, bodies that are not read, moves of a clock without effect,
 * trouble that comes with one field of creates.
 * A rare accident is no sign. What comes after the target was ended on purpose says nothing.
 */
export function signsIn(history: History): string[] {
  const book = readBook(history);
  const kept = keptAnswers(book);
  // Where answers are kept, one from before an order was made says nothing about the memory of the target.
  const lost = kept === undefined ? lostOrders(book) : undefined;
  const signs = [
    kept,
    lost,
    failingSince(book),
    unanswered(book),
    unreadBodies(book),
    stillClock(book),
    besideOneMark(book),
  ];
  return signs.filter((sign) => sign !== undefined).slice(0, mostSigns);
}
