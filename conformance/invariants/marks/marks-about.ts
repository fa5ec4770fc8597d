import { isObject, parseJson, valueAt } from '../../contract/json.ts';
import type { HistoryRecord } from '../../history/records.ts';
import { type Book, type Entity, type Exchanged, isCreate, merchantIdField, textAt } from '../book.ts';
import { onceForEach } from '../once-for-each.ts';
import { marksOf } from './marks-of-creates.ts';

/** What is known of the creates of the order or refund that a record of a history is about, in words. `undefined`: it is about none that the run made, or about several. */
export type MarksAbout = (record: HistoryRecord) => ReadonlySet<string> | undefined;

const products = ['orders', 'checkout'] as const;
const nouns = { orders: 'hosted order', checkout: 'checkout order', refunds: 'refund' } as const;

/** Reads of a book what its records are about. */
export const marksAbout = onceForEach((book: Book): MarksAbout => {
  const exchanged = new Map<HistoryRecord, Exchanged>(book.exchanged.map((each) => [each.record, each]));
  const known = new Map<Entity, ReadonlySet<string>>();
  const byOwnId = new Map<string, Entity>();
  const byPlatformId = new Map<string, Entity>();
  const keyOf = (...parts: readonly string[]) => JSON.stringify(parts);
  for (const entity of book.entities) {
    const own = textAt(entity.origins[0]?.sent, merchantIdField[entity.area]);
    if (own !== undefined) byOwnId.set(keyOf(entity.area, entity.merchantId, own), entity);
    byPlatformId.set(entity.id, entity);
  }

  /** The order that is refunded by a create of a refund. */
  const orderOf = (merchantId: string, sent: unknown): Entity | undefined => {
    const id = textAt(sent, 'acquiringOrderId') ?? '';
    return products.flatMap((area) => book.entity(area, merchantId, id) ?? [])[0];
  };
  const ofOrder = (merchantId: string, sent: unknown) => {
    const [made] = orderOf(merchantId, sent)?.origins ?? [];
    if (!made) return [];
    const noun = nouns[made.area];
    return [`it is of a ${noun}`, ...[...marksOf(made)].map((mark) => `the create of its ${noun} has ${mark}`)];
  };
  const ofCreate = (made: Exchanged) => [
    ...[...marksOf(made)].map((mark) => `its create has ${mark}`),
    ...(made.area === 'refunds' ? ofOrder(made.merchantId, made.sent) : []),
  ];
  function ofEntity(entity: Entity): ReadonlySet<string> | undefined {
    const [made] = entity.origins;
    if (!made) return undefined;
    const marks = known.get(entity) ?? new Set(ofCreate(made));
    known.set(entity, marks);
    return marks;
  }

  function entityOf({ area, operation, merchantId, answered, record }: Exchanged): Entity | undefined {
    const shown = textAt(answered, 'data', area === 'refunds' ? 'refundOrderId' : 'orderId');
    if (shown !== undefined) return book.entity(area, merchantId, shown);
    const asked = operation.endsWith('.query') ? record.parameters?.merchantOrderId : undefined;
    if (asked === undefined) return undefined;
    return byOwnId.get(keyOf(area, merchantId, asked)) ?? book.entity(area, merchantId, asked);
  }

  return (record) => {
    if (record.kind === 'webhook') {
      const told = parseJson(record.body.text);
      const ids = ['refundOrderId', 'acquiringOrderId', 'orderId'].flatMap((name) => textAt(told, name) ?? []);
      const entity = ids.flatMap((id) => byPlatformId.get(id) ?? [])[0];
      return entity && ofEntity(entity);
    }
    const each = exchanged.get(record);
    if (!each || Array.isArray(valueAt(each.answered, ['data']))) return undefined;
    const entity = entityOf(each);
    if (entity) return ofEntity(entity);
    return isCreate(each.operation) && isObject(each.sent) ? new Set(ofCreate(each)) : undefined;
  };
});
