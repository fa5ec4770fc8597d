import type { OperationArea } from '../../contract/operations.ts';
import { type Book, type Entity, type Exchanged, merchantIdField, textAt } from '../../invariants/book.ts';
import { marksOf } from '../../invariants/marks/marks-of-creates.ts';
import { different, fewest, grouped } from './habits.ts';

/** What became of an order in one way: asked for, refunded or paid. */
interface Look {
  /** The thing that was done, as the subject of a sentence. */
  what: string;
  /** What became of it, as the rest of that sentence. `undefined`: what becomes of most. */
  trouble: string | undefined;
  /** What the create of the order had, in words. */
  marks: ReadonlySet<string>;
  check: string | undefined;
}

/** In how many checks of the run the same trouble must show. */
const fewestChecks = 5;

/** The part of those with the mark that have the trouble at least, and of the others at most. */
const [mostOfThem, mostOfOthers] = [0.95, 0.5];

/**
 * Nearly all orders whose creates have one thing in common, which should not matter, come to the same trouble that few others come to: a query does
 * not find them, a refund of them is refused, or their payment ends otherwise. Checks of very different kinds fail then.
 */
export function besideOneMark(book: Book): string | undefined {
  const found = [...grouped(looksOf(book), ({ what }) => what).values()].flatMap(troublesOf);
  return found.sort((one, other) => other.times - one.times)[0]?.words;
}

/** The troubles of looks of one kind that go with a mark, the most frequent mark of each. */
function troublesOf(looks: readonly Look[]): { times: number; words: string }[] {
  const troubles = new Set(looks.flatMap(({ trouble }) => trouble ?? []));
  return [...troubles].flatMap((trouble) => {
    const isMeant = (look: Look) => look.trouble === trouble;
    const marks = new Set(looks.filter(isMeant).flatMap((look) => [...look.marks]));
    return [...marks].flatMap((mark) => {
      const [having, others] = [
        looks.filter((look) => look.marks.has(mark)),
        looks.filter((look) => !look.marks.has(mark)),
      ];
      const [hit, elsewhere] = [having.filter(isMeant), others.filter(isMeant)];
      const isHabit = hit.length >= fewest && different(hit.map(({ check }) => check)) >= fewestChecks;
      if (!isHabit || others.length < fewest) return [];
      if (hit.length < having.length * mostOfThem || elsewhere.length > others.length * mostOfOthers) return [];
      const counts = `${hit.length} of ${having.length} times, and otherwise ${elsewhere.length} of ${others.length} times`;
      return [
        {
          times: hit.length,
          words: `${looks[0]?.what} ${trouble} where the create of its order has ${mark}: ${counts}`,
        },
      ];
    });
  });
}

const products = ['orders', 'checkout'] as const;
const nouns = { orders: 'hosted order', checkout: 'checkout order' } as const;

function looksOf(book: Book): Look[] {
  const marks = new Map<Entity, ReadonlySet<string>>();
  const marksOfOrder = (entity: Entity, made: Exchanged) => {
    const known = marks.get(entity) ?? marksOf(made);
    marks.set(entity, known);
    return known;
  };
  const byOwnId = new Map<string, Entity>();
  const keyOf = (area: OperationArea, merchantId: string, id: string) => JSON.stringify([area, merchantId, id]);
  for (const entity of book.entities) {
    const id = textAt(entity.origins[0]?.sent, merchantIdField[entity.area]);
    if (entity.area !== 'refunds' && id !== undefined) byOwnId.set(keyOf(entity.area, entity.merchantId, id), entity);
  }
  /** The order that a request is about: one that it asks for, or asks to refund. */
  function orderOf({ operation, area, merchantId, sent, record }: Exchanged): Entity | undefined {
    if (operation === 'refunds.create') {
      const id = textAt(sent, 'acquiringOrderId') ?? '';
      return book.entity('orders', merchantId, id);
    }
    const id = record.parameters?.merchantOrderId;
    return operation.endsWith('.query') && id !== undefined ? byOwnId.get(keyOf(area, merchantId, id)) : undefined;
  }
  const asked = book.exchanged.flatMap((each): Look[] => {
    const entity = each.signed && each.record.authentication === 'right' ? orderOf(each) : undefined;
    const [made] = entity?.origins ?? [];
    const code = textAt(each.answered, 'code');
    if (!entity || !made || code === undefined || each.record.start < made.record.end) return [];
    const trouble = each.accepted ? undefined : `is refused with ${code}`;
    return [{ what: each.operation, trouble, marks: marksOfOrder(entity, made), check: each.record.check }];
  });
  const paid = book.entities.flatMap((entity): Look[] => {
    const { area, origins, events, sightings } = entity;
    const [[made], last] = [origins, sightings.at(-1)];
    const product = products.find((each) => each === area);
    const confirmation = events.find(
      ({ event, result }) => event.type === 'payment_confirmed' && 'done' in result && result.done,
    );
    if (!product || !made || !last || !confirmation || last.record.start < confirmation.end) return [];
    const trouble = last.status === 'SUCCEEDED' ? undefined : `leaves it ${last.status}`;
    const what = `a confirmed payment of a ${nouns[product]}`;
    return [{ what, trouble, marks: marksOfOrder(entity, made), check: last.record.check }];
  });
  return [...asked, ...paid];
}
