import { systemErrorCodes } from '../contract/error-codes.ts';
import { isObject, type JsonObject, namesTwice, valueAt } from '../contract/json.ts';
import { contractOperation, type OperationArea } from '../contract/operations.ts';
import { successCode } from '../contract/success-code.ts';
import type {
  Body,
  ClockRecord,
  HandshakeRecord,
  History,
  HistoryRecord,
  OrderEventRecord,
  ProvisionRecord,
  RefundEventRecord,
  RequestRecord,
  RunRecord,
  WebhookRecord,
} from '../history/records.ts';
import { type BusinessClock, readBusinessClock } from './business-clock.ts';

/** A request to one of the eight operations that was answered, with its bodies read. */
export interface Exchanged {
  record: RequestRecord;
  operation: string;
  area: OperationArea;
  /** The merchant of the path. */
  merchantId: string;
  status: number;
  /** The request's body; `undefined` where it is no JSON, or where a member of it stands twice and readers take one or the other. */
  sent: unknown;
  /** The answer's body; `undefined` where it is no JSON. */
  answered: unknown;
  /** The answer says that the request was carried out. */
  accepted: boolean;
  /** The request was signed rightly, by the merchant of its path. */
  signed: boolean;
}

/** An entity as one answer shows it. */
export interface Sighting {
  exchanged: Exchanged;
  record: RequestRecord;
  view: JsonObject;
  status: string;
  /** `create`: the answer to a create, which may be a repeat's; `query`: the entity as it stands now, alone or in a batch. */
  by: 'create' | 'query';
}

/** An order or a refund that at least one accepted answer has shown. */
export interface Entity {
  area: OperationArea;
  merchantId: string;
  /** `orderId` or `refundOrderId`. */
  id: string;
  /** Every answer that shows it, in the order in which they ended. */
  sightings: Sighting[];
  /**
   * The creates that may have made it: those that were accepted with its id and began before the first of them had ended, and, under the
   * same merchant's id, earlier ones whose outcome is not known: no answer, or an internal error. Empty: the run did not make it.
   */
  origins: Exchanged[];
  /** What the driver was asked to let happen to it, in that order. */
  events: (OrderEventRecord | RefundEventRecord)[];
}

/** A history in the order in which invariants ask about it. */
export interface Book {
  run: RunRecord;
  clock: BusinessClock;
  /** Every answered request to one of the operations, in the order in which they ended. */
  exchanged: readonly Exchanged[];
  /** Requests to one of the operations that got no whole answer. */
  unanswered: readonly RequestRecord[];
  /** Connections to the receiver of webhooks that their senders broke off. */
  handshakes: readonly HandshakeRecord[];
  entities: readonly Entity[];
  /** The entity of an area that has this platform id at a merchant. */
  entity(area: OperationArea, merchantId: string, id: string): Entity | undefined;
  /** Merchants that the driver made, by their ids. */
  provisions: ReadonlyMap<string, ProvisionRecord>;
  /** Merchants that exist: the driver made them, or a rightly signed request of theirs was accepted. */
  merchants: ReadonlySet<string>;
  clockMoves: readonly ClockRecord[];
  webhooks: readonly WebhookRecord[];
  /** When the last thing that the history tells of was over, in milliseconds since the run began. */
  end: number;
}

/** The field of a view that holds the platform's id. */
export const idField: Readonly<Record<OperationArea, string>> = {
  orders: 'orderId',
  checkout: 'orderId',
  refunds: 'refundOrderId',
};

/** The field of a request and a view that holds the merchant's own id. */
export const merchantIdField: Readonly<Record<OperationArea, string>> = {
  orders: 'merchantOrderId',
  checkout: 'merchantOrderId',
  refunds: 'merchantRefundOrderId',
};

/** When the target was first ended on purpose, in milliseconds on the run's clock. */
function firstRestart(records: readonly HistoryRecord[]): number {
  const restarts = records.filter((record) => record.kind === 'driver' && record.step === 'restart');
  return Math.min(...restarts.map(({ start }) => start));
}

/** True for an operation that makes an entity. */
export const isCreate = (operation: string): boolean => operation.endsWith('.create');

/** Reads a history into what invariants judge. No sentence demands that anything survives a restart, so they judge nothing that came after one. */
export function readBook(history: History): Book {
  const { run, records } = history;
  const exchanged: Exchanged[] = [];
  const unanswered: RequestRecord[] = [];
  const provisions = new Map<string, ProvisionRecord>();
  const clockMoves: ClockRecord[] = [];
  const webhooks: WebhookRecord[] = [];
  const handshakes: HandshakeRecord[] = [];
  const events: (OrderEventRecord | RefundEventRecord)[] = [];
  const until = firstRestart(records);
  for (const record of [...records].sort((left, right) => left.end - right.end)) {
    if (record.start >= until) continue;
    if (record.kind === 'clock') clockMoves.push(record);
    else if (record.kind === 'webhook') webhooks.push(record);
    else if (record.kind === 'handshake') handshakes.push(record);
    else if (record.kind === 'request') {
      if (record.operation === undefined) continue;
      if (record.answer && record.end <= until) exchanged.push(readExchanged(record, record.operation, record.answer));
      else unanswered.push(record);
    } else if (record.step === 'provisionMerchant') {
      if (record.merchantId !== undefined) provisions.set(record.merchantId, record);
    } else if (record.step !== 'restart') events.push(record);
  }

  const entities = new Map<string, Entity>();
  const keyOf = (area: OperationArea, merchantId: string, id: string) => `${area} ${merchantId} ${id}`;
  for (const each of exchanged) {
    for (const sighting of sightingsIn(each)) {
      const id = sighting.view[idField[each.area]];
      if (typeof id !== 'string') continue;
      const key = keyOf(each.area, each.merchantId, id);
      const known = entities.get(key);
      if (known) known.sightings.push(sighting);
      else {
        const { area, merchantId } = each;
        entities.set(key, { area, merchantId, id, sightings: [sighting], origins: [], events: [] });
      }
    }
  }
  const lost = lostCreates(exchanged, unanswered);
  for (const entity of entities.values()) entity.origins = originsOf(entity, lost);
  for (const event of events) {
    const areas = event.step === 'refundEvent' ? (['refunds'] as const) : (['orders', 'checkout'] as const);
    const id = event.step === 'refundEvent' ? event.refundOrderId : event.orderId;
    const known = areas.flatMap((area) => entities.get(keyOf(area, event.merchantId, id)) ?? []);
    // Where both products show an order under the id, it happened to the one that the run made, whichever else a wrong target shows.
    const made = known.find(({ origins }) => origins.length > 0) ?? known[0];
    for (const each of known) if (each === made || each.origins.length === 0) each.events.push(event);
  }
  for (const entity of entities.values()) entity.events.sort((left, right) => left.start - right.start);

  return {
    run,
    clock: readBusinessClock(history),
    exchanged,
    unanswered,
    handshakes,
    entities: [...entities.values()],
    entity: (area, merchantId, id) => entities.get(keyOf(area, merchantId, id)),
    provisions,
    merchants: new Set([
      ...provisions.keys(),
      ...exchanged.filter(({ accepted, signed }) => accepted && signed).map(({ merchantId }) => merchantId),
    ]),
    clockMoves,
    webhooks,
    end: Math.min(
      until,
      records.reduce((latest, { end }) => Math.max(latest, end), 0),
    ),
  };
}

function readExchanged(
  record: RequestRecord,
  operation: string,
  answer: NonNullable<RequestRecord['answer']>,
): Exchanged {
  const answered = readJson(answer.body);
  const merchantId = record.parameters?.merchantId ?? '';
  return {
    record,
    operation,
    area: contractOperation(operation).area,
    merchantId,
    status: answer.status,
    sent: record.body && readAlike(record.body),
    answered,
    accepted: valueAt(answered, ['code']) === successCode,
    signed: record.authentication === 'right' && record.as === merchantId,
  };
}

/** A request that got no whole answer, with its body read. `undefined`: it is for none of the operations. */
export const withoutAnswer = (record: RequestRecord): Exchanged | undefined =>
  record.operation === undefined
    ? undefined
    : readExchanged(record, record.operation, { status: 0, headers: {}, body: { text: '' } });

/** What all readers of a body take it for. */
function readAlike(body: Body): unknown {
  const value = readJson(body);
  return namesTwice(body.text, value) ? undefined : value;
}

function readJson({ text, cut }: Body): unknown {
  if (cut) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The orders or refunds that an accepted answer shows. */
function sightingsIn(exchanged: Exchanged): Sighting[] {
  const { record, operation, answered, accepted } = exchanged;
  const data = isObject(answered) && accepted ? answered.data : undefined;
  const by = isCreate(operation) ? 'create' : 'query';
  return [data].flat().flatMap((view) => {
    if (!isObject(view)) return [];
    return typeof view.status === 'string' ? [{ exchanged, record, view, status: view.status, by }] : [];
  });
}

/** Creates that may have made something although no answer says so, by merchant, operation and the merchant's own id. */
function lostCreates(
  exchanged: readonly Exchanged[],
  unanswered: readonly RequestRecord[],
): ReadonlyMap<string, Exchanged[]> {
  const failed = exchanged.filter(
    ({ status, answered }) => status >= 500 || !isObject(answered) || isSystemError(answered),
  );
  const silent = unanswered.flatMap((record) => withoutAnswer(record) ?? []);
  const lost = new Map<string, Exchanged[]>();
  for (const each of [...silent, ...failed]) {
    if (!isCreate(each.operation)) continue;
    const known = lost.get(keyOfCreate(each)) ?? [];
    known.push(each);
    lost.set(keyOfCreate(each), known);
  }
  return lost;
}

/** An internal error, which may come after something was made. */
const isSystemError = ({ code }: JsonObject) => typeof code === 'string' && systemErrorCodes.includes(code);

const keyOfCreate = ({ operation, merchantId, area, sent }: Exchanged) =>
  JSON.stringify([operation, merchantId, valueAt(sent, [merchantIdField[area]])]);

function originsOf({ sightings }: Entity, lost: ReadonlyMap<string, readonly Exchanged[]>): Exchanged[] {
  const creates = sightings.filter(({ by }) => by === 'create').map(({ exchanged }) => exchanged);
  const [first] = creates;
  if (!first) return [];
  const mayHaveMade = ({ record }: Exchanged) => record.start < first.record.end;
  return [...creates.filter(mayHaveMade), ...(lost.get(keyOfCreate(first)) ?? []).filter(mayHaveMade)];
}

/** The text at a path of a body; `undefined` where there is none. */
export function textAt(body: unknown, ...path: readonly string[]): string | undefined {
  const value = valueAt(body, path);
  return typeof value === 'string' ? value : undefined;
}
