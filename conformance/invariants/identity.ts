import type { RequirementId } from '../../generated/catalogue-ids.ts';
import { isObject } from '../contract/json.ts';
import { show } from '../contract/show.ts';
import {
  type Book,
  type Entity,
  type Exchanged,
  idField,
  isCreate,
  merchantIdField,
  type Sighting,
  textAt,
} from './book.ts';
import type { Invariant, InvariantRule, Judgement } from './invariant.ts';

/** The operations that show the orders or refunds of an area, and the sentences about their ids. */
const areas: readonly {
  area: Entity['area'];
  operations: readonly string[];
  noun: string;
  /** No two of them have one platform id. */
  platformId: RequirementId;
  /** A merchant's own id makes one of them at most. Absent: that is open. */
  oneForEach?: RequirementId;
}[] = [
  {
    area: 'orders',
    operations: ['orders.create', 'orders.query'],
    noun: 'hosted orders of a merchant',
    platformId: 'orders.view.order-id',
  },
  {
    area: 'checkout',
    operations: ['checkout.create', 'checkout.query'],
    noun: 'checkout orders of a merchant',
    platformId: 'checkout.view.order-id',
    oneForEach: 'checkout.create.idempotent',
  },
  {
    area: 'refunds',
    operations: ['refunds.create', 'refunds.query', 'refunds.batch-query'],
    noun: 'refunds',
    platformId: 'refunds.record.platform-id',
    oneForEach: 'refunds.create.idempotent',
  },
];

const ruleId = (operation: string, name: 'platform-id' | 'one-for-each-id') => `${operation}.identity.${name}`;

const rules: readonly InvariantRule[] = areas.flatMap(({ area, operations, noun, platformId, oneForEach }) =>
  operations.flatMap((operation) => [
    {
      id: ruleId(operation, 'platform-id'),
      title: `No answer of ${operation} shows an ${idField[area]} that another of the ${noun} has`,
      requirements: [platformId] as const,
    },
    ...(oneForEach
      ? [
          {
            id: ruleId(operation, 'one-for-each-id'),
            title: `Every answer of ${operation} shows the same ${idField[area]} for the same ${merchantIdField[area]}`,
            requirements: [oneForEach] as const,
          },
        ]
      : []),
  ]),
);

/**
 * An id names one thing: a merchant's own id makes one checkout order or refund, and a platform id is that of one order of a merchant, or
 * of one refund of all merchants. Hosted orders of one merchantOrderId are told apart by their orderId (open point `orders-duplicate-id`).
 */
export const identity: Invariant = { name: 'identity', rules, judge };

/** An entity as the first answer showed it that had an id. */
interface Seen {
  sighting: Sighting;
  value: string;
}

function* judge({ entities }: Book): Iterable<Judgement> {
  for (const { area, oneForEach } of areas) {
    const [byPlatformId, byMerchantsId] = [new Map<string, Seen>(), new Map<string, Seen>()];
    for (const entity of entities) {
      if (entity.area !== area) continue;
      for (const sighting of entity.sightings) {
        yield* judgePlatformId(byPlatformId, entity, sighting);
        if (oneForEach) yield* judgeMerchantsId(byMerchantsId, entity, sighting);
      }
    }
  }
}

/** One platform id under two ids of the merchant, or refunds of one platform id that two merchants made. */
function* judgePlatformId(seen: Map<string, Seen>, entity: Entity, sighting: Sighting): Iterable<Judgement> {
  const { area, merchantId, id, origins } = entity;
  const field = merchantIdField[area];
  const own = textAt(sighting.view, field);
  // An id in the view that is not the one asked for may be another form of it.
  if (own === undefined || !idsAskedFor(sighting.exchanged, field).includes(own)) return;
  // A refund that another merchant made and this one is shown is a matter of isolation.
  if (area === 'refunds' && origins.length === 0) return;
  const key = area === 'refunds' ? id : JSON.stringify([merchantId, id]);
  const value = area === 'refunds' ? JSON.stringify([merchantId, own]) : own;
  const rule = ruleId(sighting.exchanged.operation, 'platform-id');
  const first = seen.get(key) ?? { sighting, value };
  seen.set(key, first);
  const records = [first.sighting.record, sighting.record];
  if (first.value === value) return yield { rule, records };
  yield {
    rule,
    records,
    fault: {
      expected: `data.${idField[area]} = ${show(id)} in the answers for one ${field} only`,
      actual: `data.${idField[area]} = ${show(id)} with ${field} ${ownIdOf(first.sighting, field)} and with ${field} ${ownIdOf(sighting, field)}`,
    },
  };
}

/** The merchant's own id in a view, with the merchant's where that is not the same in both. */
const ownIdOf = ({ view, exchanged }: Sighting, field: string) =>
  `${show(view[field])} of merchant ${exchanged.merchantId}`;

/** Two platform ids under one id of the merchant. */
function* judgeMerchantsId(seen: Map<string, Seen>, entity: Entity, sighting: Sighting): Iterable<Judgement> {
  const { area, merchantId, id } = entity;
  const own = askedFor(sighting, merchantIdField[area]);
  if (own === undefined || own === '') return;
  const key = JSON.stringify([merchantId, own]);
  const first = seen.get(key);
  if (!first) return void seen.set(key, { sighting, value: id });
  const rule = ruleId(sighting.exchanged.operation, 'one-for-each-id');
  const records = [first.sighting.record, sighting.record];
  if (first.value === id) return yield { rule, records };
  yield {
    rule,
    records,
    fault: {
      expected: `data.${idField[area]} is the same in both answers for ${merchantIdField[area]} ${show(own)}`,
      actual: `data.${idField[area]} = ${show(first.value)} in the answer of ${first.sighting.exchanged.operation}, ${show(id)} in that of ${sighting.exchanged.operation}`,
    },
  };
}

/**
 * The merchant's own id for which an answer shows what it shows: the one that a create gave, or one that was asked for and that the view
 * repeats. `undefined`: it was not asked for by that id.
 */
function askedFor({ exchanged, view }: Sighting, field: string): string | undefined {
  if (isCreate(exchanged.operation)) return textAt(exchanged.sent, field);
  const shown = textAt(view, field);
  return shown !== undefined && idsAskedFor(exchanged, field).includes(shown) ? shown : undefined;
}

function idsAskedFor({ record, sent }: Exchanged, field: string): readonly unknown[] {
  const listed = isObject(sent) ? sent[`${field}s`] : undefined;
  return [
    textAt(sent, field),
    record.parameters?.[field],
    ...new URLSearchParams(record.query ?? '').getAll(field),
    ...(Array.isArray(listed) ? listed : []),
  ];
}
