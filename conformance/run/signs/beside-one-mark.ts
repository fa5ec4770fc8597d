import { type Book, type Exchanged, isCreate, textAt } from '../../invariants/book.ts';
import { marksAbout } from '../../invariants/marks/marks-about.ts';
import { marksOf } from '../../invariants/marks/marks-of-creates.ts';
import { tellingMark } from '../../invariants/marks/telling-mark.ts';
import { isRightCreate } from '../../invariants/right-creates.ts';
import { different, fewest, grouped } from './habits.ts';

/** What became of an order in one way: made, asked for, refunded or paid. */
interface Look {
  /** The thing that was done, as the subject of a sentence. */
  what: string;
  /** What became of it, as the rest of that sentence. `undefined`: what becomes of most. */
  trouble: string | undefined;
  /** What the creates of the order and of its refund have, in words. */
  marks: ReadonlySet<string>;
  check: string | undefined;
}

/** In how many checks of the run the same trouble must show. */
const fewestChecks = 5;

/**
 * Nearly all orders whose creates have one thing in common, which should not matter, come to the same trouble that few others come to: they are not
 * made, a query does not find them, a refund of them is refused, or their payment ends otherwise. Checks of very different kinds fail then.
 */
export function besideOneMark(book: Book): string | undefined {
  const found = [...grouped(looksOf(book), ({ what }) => what)].flatMap(([what, looks]) =>
    [...new Set(looks.flatMap(({ trouble }) => trouble ?? []))].flatMap((trouble) => {
      const isMeant = (look: Look) => look.trouble === trouble;
      if (different(looks.filter(isMeant).map(({ check }) => check)) < fewestChecks) return [];
      const mark = tellingMark(
        looks.map((look) => ({ isMeant: isMeant(look), marks: look.marks })),
        fewest,
      );
      return mark ? [{ ...mark, words: `${what} ${trouble} ${mark.words}` }] : [];
    }),
  );
  return found.sort((one, other) => other.times - one.times)[0]?.words;
}

/** What a create itself has, in words that follow "where". */
const marksOfItself = (exchanged: Exchanged): ReadonlySet<string> =>
  new Set([...marksOf(exchanged)].map((mark) => `it has ${mark}`));

const nouns = { orders: 'hosted order', checkout: 'checkout order' } as const;

function looksOf(book: Book): Look[] {
  const about = marksAbout(book);
  const asked = book.exchanged.flatMap(({ operation, status, signed, accepted, answered, record }): Look[] => {
    // A refusal for the rate of requests says nothing of what was asked for.
    const isAbout = (operation === 'refunds.create' || operation.endsWith('.query')) && status !== 429;
    const code = textAt(answered, 'code');
    const marks = isAbout && signed && record.authentication === 'right' ? about(record) : undefined;
    if (!marks || code === undefined) return [];
    return [{ what: operation, trouble: accepted ? undefined : `is refused with ${code}`, marks, check: record.check }];
  });
  const made = book.exchanged.flatMap((exchanged): Look[] => {
    const { operation, accepted, status, answered, record } = exchanged;
    // Of what is refused, only what must be accepted is in trouble.
    if (!isCreate(operation) || !(accepted || isRightCreate(book, exchanged))) return [];
    const code = textAt(answered, 'code');
    const refusal = code === undefined ? `is answered with HTTP ${status} and no code` : `is refused with ${code}`;
    const trouble = accepted ? undefined : refusal;
    return [{ what: `a right ${operation}`, trouble, marks: marksOfItself(exchanged), check: record.check }];
  });
  const paid = book.entities.flatMap(({ area, events, sightings }): Look[] => {
    const last = sightings.at(-1);
    const marks = last && about(last.record);
    const confirmation = events.find(
      ({ event, result }) => event.type === 'payment_confirmed' && 'done' in result && result.done,
    );
    if (area === 'refunds' || !last || !marks || !confirmation || last.record.start < confirmation.end) return [];
    const trouble = last.status === 'SUCCEEDED' ? undefined : `leaves it ${last.status}`;
    return [{ what: `a confirmed payment of a ${nouns[area]}`, trouble, marks, check: last.record.check }];
  });
  return [...made, ...asked, ...paid];
}
