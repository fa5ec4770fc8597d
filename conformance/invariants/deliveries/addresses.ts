import { systemErrorCodes } from '../../contract/error-codes.ts';
import { isObject, parseJson, valueAt } from '../../contract/json.ts';
import type { OperationArea } from '../../contract/operations.ts';
import { shortestTellingId } from '../../contract/telling-ids.ts';
import type { RequestRecord } from '../../history/records.ts';
import { type Book, type Entity, type Exchanged, idField, isCreate, merchantIdField, textAt } from '../book.ts';
import { type Mail, partsOf } from './mail.ts';

/** An address that may get webhooks about something. */
export interface Naming {
  area: OperationArea;
  /** The address in full. */
  url: string;
  /** The ids by which a webhook may tell what it is about. */
  ids: readonly string[];
  /** Absent: what the create that named the address has made is not known. */
  entity?: Entity;
}

/** A create that was refused, and the address that it named: it has made nothing, so that no webhook may come there because of it. */
export interface RefusedNaming {
  area: OperationArea;
  /** The merchant's own id of what it asked for. */
  id: string;
  record: RequestRecord;
}

/** The addresses that a run has named for webhooks. */
export interface Addresses {
  /** What webhooks at a mailbox may be about: because it was named, is a merchant's default, or because a redirect led there. */
  at(box: string): readonly Naming[];
  /** The creates that were refused and have named a mailbox. */
  refusedAt(box: string): readonly RefusedNaming[];
  /** The addresses named for an entity: those that its creates gave, else its merchant's default for refunds. */
  of(entity: Entity): readonly string[];
  /** The entities that the run has made and that a webhook's words name. */
  namedIn(mail: Mail): readonly Entity[];
  /** True for a mailbox that is the default of a merchant. */
  isDefault(box: string, merchantId: string): boolean;
}

const addressField: Readonly<Record<OperationArea, string>> = {
  orders: 'callbackUrl',
  checkout: 'callbackUrl',
  refunds: 'notifyUrl',
};

/** Reads which addresses a run has named. */
export function readAddresses(book: Book, mails: readonly Mail[]): Addresses {
  const namings = new Map<string, Naming[]>();
  const add = (naming: Naming) => {
    const { box } = partsOf(naming.url);
    namings.set(box, [...(namings.get(box) ?? []), naming]);
  };

  const made = book.entities.filter(({ origins }) => origins.length > 0);
  const of = (entity: Entity) => {
    const field = addressField[entity.area];
    const given = entity.origins.flatMap(({ sent }) => textAt(sent, field) || []);
    const byDefault = book.provisions.get(entity.merchantId)?.settings.defaultNotifyUrl;
    if (given.length > 0 || entity.area !== 'refunds' || byDefault === undefined) return [...new Set(given)];
    return [byDefault];
  };
  const byId = new Map<string, Entity[]>();
  const known = new Set<object>();
  for (const entity of made) {
    const ids = idsOf(book, entity);
    for (const url of of(entity)) add({ area: entity.area, url, ids, entity });
    for (const id of ownIdsOf(entity).filter(({ length }) => length >= shortestTellingId)) {
      byId.set(id, [...(byId.get(id) ?? []), entity]);
    }
    for (const { exchanged, by } of entity.sightings) if (by === 'create') known.add(exchanged.record);
  }
  const refused = new Map<string, RefusedNaming[]>();
  const creates = [
    ...book.exchanged.map((exchanged) => ({
      record: exchanged.record,
      sent: exchanged.sent,
      madeNothing: isRefused(exchanged),
    })),
    ...book.unanswered.map((record) => ({
      record,
      sent: record.body && parseJson(record.body.text),
      madeNothing: false,
    })),
  ];
  for (const { record, sent, madeNothing } of creates) {
    const { operation = '' } = record;
    if (!isCreate(operation) || known.has(record)) continue;
    const area = areaOf(operation);
    const url = textAt(sent, addressField[area]);
    const id = textAt(sent, merchantIdField[area]);
    if (!url) continue;
    if (!madeNothing) add({ area, url, ids: id ? [id] : [] });
    else if (id && id.length >= shortestTellingId) {
      const { box } = partsOf(url);
      refused.set(box, [...(refused.get(box) ?? []), { area, id, record }]);
    }
  }

  const ledFrom = new Map<string, { box: string; url: string }[]>();
  for (const { record, box } of mails) {
    const { location: url } = record;
    if (url === undefined) continue;
    const target = partsOf(url).box;
    ledFrom.set(target, [...(ledFrom.get(target) ?? []), { box, url }]);
  }
  const at = (box: string, seen: readonly string[] = []): Naming[] => [
    ...(namings.get(box) ?? []),
    ...(ledFrom.get(box) ?? [])
      .filter(({ box: from }) => from !== box && !seen.includes(from))
      .flatMap(({ box: from, url }) => at(from, [...seen, box]).map((naming) => ({ ...naming, url }))),
  ];

  return {
    at,
    refusedAt: (box) => refused.get(box) ?? [],
    of,
    namedIn: ({ words }) => [...new Set([...words].flatMap((word) => byId.get(word) ?? []))],
    isDefault: (box, merchantId) => {
      const url = book.provisions.get(merchantId)?.settings.defaultNotifyUrl;
      return url !== undefined && partsOf(url).box === box;
    },
  };
}

/** Whether an answer says that a create has made nothing. One that fails may have made something, and so may one that shows an id of the platform. */
function isRefused({ area, status, answered, accepted }: Exchanged): boolean {
  if (accepted || status >= 500 || !isObject(answered)) return false;
  const { code } = answered;
  if (typeof code !== 'string' || systemErrorCodes.includes(code)) return false;
  return textAt(answered, 'data', idField[area]) === undefined;
}

const areaOf = (operation: string): OperationArea =>
  operation.startsWith('refunds.') ? 'refunds' : operation.startsWith('checkout.') ? 'checkout' : 'orders';

/** The platform's id of an entity and the merchant's. */
export function ownIdsOf({ id, area, origins }: Entity): string[] {
  return [id, ...new Set(origins.flatMap(({ sent }) => textAt(sent, merchantIdField[area]) || []))];
}

/** The ids by which a webhook may tell an entity. A refund's webhook may name the order that it refunds. */
function idsOf(book: Book, entity: Entity): string[] {
  const { area, merchantId, origins, sightings } = entity;
  if (area !== 'refunds') return ownIdsOf(entity);
  const orders = origins.flatMap(({ sent }) => textAt(sent, 'acquiringOrderId') || []);
  const shown = sightings.map(({ view }) => valueAt(view, ['merchantOrderId'])).filter((id) => typeof id === 'string');
  const made = orders.flatMap(
    (id) => book.entity('orders', merchantId, id) ?? book.entity('checkout', merchantId, id) ?? [],
  );
  return [...new Set([...ownIdsOf(entity), ...orders, ...made.flatMap(ownIdsOf), ...shown])];
}
