import {
  checkoutMachine,
  type Machine,
  type OrdersEvent,
  type OrdersState,
  ordersMachine,
} from '../../../generated/catalogue.ts';
import { compareDecimals, isDecimalText } from '../../contract/decimals.ts';
import { readMoment } from '../../contract/moments.ts';
import type { OrderEventRecord, Span } from '../../history/records.ts';
import { type Book, type Entity, textAt } from '../book.ts';
import { awaitedFor, staysProcessingFor } from './awaited.ts';

/** How much has been paid, compared with what is due. */
type Coverage = 'paidInFull' | 'underpaid' | 'unknown';

/** A state that an order may be in, and what has been paid of it; absent: nothing. */
interface Possible {
  status: OrdersState;
  paid?: Coverage;
}

/** The last thing that decided about the state of an order. `waits`: nothing but its creation. */
export type Cause = 'waits' | 'detected' | 'confirmed' | 'underpaid' | 'failed' | 'cancelled' | 'expired';

/** What can be told of an order at a moment. */
export interface Expected {
  statuses: ReadonlySet<OrdersState>;
  cause: Cause;
  /** What decided it: the event of the driver. */
  decidedBy: OrderEventRecord | undefined;
  /** A payment that came when the order had expired for certain. */
  latePayment: OrderEventRecord | undefined;
}

/** Something that happened, or may have happened, to an order. */
interface Happening {
  record: OrderEventRecord;
  type: string;
  /** `unknown`: the driver failed, so that it may have happened or not. */
  result: 'done' | 'refused' | 'unknown';
  coverage: Coverage;
}

/** The states that an order may be in during a span of the run. */
export interface OrderCourse {
  /** `undefined`: that cannot be told. */
  expectedDuring(span: Span): Expected | undefined;
}

/** How far a time may be from the one that an order's expiry is compared with, in milliseconds. */
const expiryTolerance = 1000;

/**
 * What an order must have become by what the run did: made it, asked the driver for events, moved its time. It is told from the machine of
 * the contract. A move that the contract leaves free leads to every state that it could mean. `undefined` for an order that the run did not
 * make.
 */
export function orderCourse(book: Book, entity: Entity): OrderCourse | undefined {
  const { run, clock, clockMoves, provisions } = book;
  const { area, merchantId, origins } = entity;
  if (area === 'refunds' || origins.length === 0) return undefined;
  const settings = provisions.get(merchantId)?.settings;
  // Of a merchant whom the driver has made, no payment is made by itself, though it may be confirmed so.
  const isPaidByEventsOnly = settings !== undefined;
  const settlesAlone = area === 'checkout' || !isPaidByEventsOnly || settings.automatic === true;
  const machine = area === 'orders' ? ordersMachine : checkoutMachine;
  const lag = awaitedFor(run);
  const happenings = happeningsOf(entity);
  const clockIsKnown = settings !== undefined || !clockMoves.some((move) => move.merchantId === merchantId);
  const moves = clockMoves.filter((move) => move.merchantId === merchantId);
  const expiry = expiryOf(entity);

  // An order that is made with an expiry in the past can end from its creation on.
  const made = Math.min(...origins.map(({ record }) => record.end));
  const hasExpired = (moment: number) =>
    expiry !== undefined &&
    clockIsKnown &&
    moment >= made &&
    clock.at(merchantId, moment).earliest > expiry + expiryTolerance;
  const mayHaveExpired = (moment: number) =>
    expiry === undefined || !clockIsKnown || clock.at(merchantId, moment).latest >= expiry - expiryTolerance;
  /** What falls due when the driver moves a clock has taken effect afterwards; what time alone brings may lag. */
  const hadExpiredBefore = (start: number) =>
    hasExpired(start - lag) || moves.some(({ end, failed }) => failed === undefined && end <= start && hasExpired(end));
  const hasRoomToEnd = (from: Span, to: Span) =>
    to.end - from.start > staysProcessingFor(run) || moves.some(({ start, end }) => start < to.end && end > from.start);

  /** What time alone may have done between two events, or until a query. `mayFail`, `mayEnd`: what may have become of a payment under way. */
  function drift(
    from: readonly Possible[],
    until: number,
    { expired, mayFail, mayEnd }: { expired: boolean; mayFail: boolean; mayEnd: boolean },
  ): Possible[] {
    return from.flatMap((each): Possible[] => {
      const { status, paid } = each;
      if (status === 'INIT') {
        if (!mayHaveExpired(until)) return [each];
        const ends = area === 'orders' ? (['CLOSED'] as const) : (['CLOSED', 'FAILED'] as const);
        const ended = ends.map((end) => ({ ...each, status: end }));
        return expired && paid === undefined ? ended : [each, ...ended];
      }
      if (status !== 'PROCESSING') return [each];
      // Time alone may confirm a payment as well as let it fail (open point `processing-timeout`).
      const settled =
        settlesAlone || mayEnd ? outcomesOf(paid ?? 'unknown').map((end) => ({ ...each, status: end })) : [];
      return [each, ...settled, ...(mayFail ? [{ ...each, status: 'FAILED' } as const] : [])];
    });
  }

  function expectedDuring(span: Span): Expected | undefined {
    let possible: readonly Possible[] = [{ status: 'INIT' }];
    // What may still be shown by a target that lags behind the driver. Events take effect in their order.
    let behind: readonly Possible[] = [];
    let cause: Cause = 'waits';
    let decidedBy: OrderEventRecord | undefined;
    let latePayment: OrderEventRecord | undefined;
    let before: Span | undefined;
    for (const { record, type, result, coverage } of happenings) {
      if (record.start >= span.end) break;
      const expired = hadExpiredBefore(record.start);
      if (expired && cause === 'waits' && possible.every(({ status, paid }) => isFinal(status) || !paid)) {
        cause = 'expired';
      }
      if (type === 'transaction_detected' && cause === 'expired') latePayment ??= record;
      if (result === 'refused') continue;
      // Nothing orders two events that overlap.
      if (before && before.end > record.start) return undefined;
      const mayEnd = before !== undefined && hasRoomToEnd(before, record);
      possible = drift(possible, record.end + lag, { expired, mayFail: mayEnd, mayEnd });
      const moved = possible.flatMap((each) => after(machine, each, type, coverage));
      const decides = result === 'done' ? causeOf(type, possible) : undefined;
      if (decides) [cause, decidedBy] = [decides, record];
      if (record.end + lag <= span.start) behind = [];
      else if (result === 'done') behind = [...behind, ...possible];
      possible = result === 'done' ? moved : [...possible, ...moved];
      before = record;
    }
    const expired = hasExpired(span.start - lag);
    if (hadExpiredBefore(span.start) && cause === 'waits') cause = 'expired';
    const mayEnd = before !== undefined && hasRoomToEnd(before, span);
    const mayFail = mayEnd || before === undefined || cause !== 'confirmed';
    const ends = drift([...behind, ...possible], span.end, { expired, mayFail, mayEnd });
    const statuses = new Set(ends.map(({ status }) => status));
    if (cause === 'expired' && !expired) {
      // What is shown may lag behind the expiry, although nothing can be paid any more.
      statuses.add('INIT');
    }
    if (!isPaidByEventsOnly && (cause === 'waits' || cause === 'expired')) {
      if (cause === 'waits') return undefined;
      for (const status of ['PROCESSING', 'SUCCEEDED', 'FAILED', 'CLOSED'] as const) statuses.add(status);
    }
    // A checkout order that nobody has paid may end as it likes.
    if (area === 'checkout' && cause === 'waits') statuses.add('CLOSED').add('FAILED');
    return { statuses, cause, decidedBy, latePayment };
  }

  return { expectedDuring };
}

/** Where a payment leads in the end. */
function outcomesOf(paid: Coverage): OrdersState[] {
  if (paid === 'unknown') return ['SUCCEEDED', 'FAILED'];
  return paid === 'paidInFull' ? ['SUCCEEDED'] : ['FAILED'];
}

const isFinal = (status: OrdersState) => ordersMachine.states[status].final;

/** The states that an event may lead to. One that the machine has no move for leaves everything as it is. */
function after(
  machine: Machine<OrdersState, OrdersEvent>,
  each: Possible,
  type: string,
  coverage: Coverage,
): readonly Possible[] {
  const { status, paid } = each;
  if (isFinal(status)) return [each];
  if (machine.noOtherMoves === undefined) return freely(each, type, coverage);
  const found = machine.transitions.filter(
    (move) =>
      move.from === status &&
      move.event === type &&
      (move.when === undefined || paid === undefined || paid === 'unknown' || move.when === paid),
  );
  if (found.length === 0) return [each];
  const nowPaid = type === 'transaction_detected' ? coverage : paid;
  return found.map(({ to }) => ({ status: to, ...(nowPaid && { paid: nowPaid }) }));
}

/** The same where only the payment rule binds: what is paid and confirmed ends as it says. */
function freely(each: Possible, type: string, coverage: Coverage): readonly Possible[] {
  const { status, paid } = each;
  const to = (statuses: readonly OrdersState[], nowPaid: Coverage | undefined) =>
    [...new Set(statuses)].map((one) => ({ status: one, ...(nowPaid && { paid: nowPaid }) }));
  if (type === 'transaction_detected') {
    // Whether a second payment is added to the first is not said.
    const nowPaid = paid === undefined ? coverage : 'unknown';
    return to(['INIT', 'PROCESSING', ...outcomesOf(nowPaid)], nowPaid);
  }
  if (type === 'payment_confirmed') {
    if (paid === undefined) return to(['INIT', 'PROCESSING', 'SUCCEEDED', 'FAILED', 'CLOSED'], 'unknown');
    return to(outcomesOf(paid), paid);
  }
  return to([status, 'INIT', 'PROCESSING', 'FAILED', 'CLOSED', ...(paid ? outcomesOf(paid) : [])], paid);
}

/** How an event is called that decides about an order; `undefined` where it moves nothing. */
function causeOf(type: string, possible: readonly Possible[]): Cause | undefined {
  const open = possible.filter(({ status }) => !isFinal(status));
  if (open.length === 0) return undefined;
  if (type === 'transaction_detected') return open.some(({ status }) => status === 'INIT') ? 'detected' : undefined;
  if (type === 'cancelled') return open.some(({ status }) => status === 'INIT') ? 'cancelled' : undefined;
  const paid = open.flatMap((each) => each.paid ?? []);
  if (paid.length === 0) return undefined;
  if (type === 'payment_failed') return 'failed';
  if (type !== 'payment_confirmed') return undefined;
  return paid.every((each) => each === 'underpaid') ? 'underpaid' : 'confirmed';
}

/** What the driver was asked to let happen to an order, in the order of time. */
function happeningsOf(entity: Entity): Happening[] {
  return entity.events.flatMap((record): Happening[] => {
    if (record.step !== 'orderEvent') return [];
    const { result, event } = record;
    const came = 'failed' in result ? 'unknown' : result.done ? 'done' : 'refused';
    return [{ record, type: event.type, result: came, coverage: coverageOf(entity, record) }];
  });
}

/** Compares a payment with everything that says what is due. Where two of these do not agree, it cannot be told. */
function coverageOf({ area, sightings, origins }: Entity, { event, result }: OrderEventRecord): Coverage {
  const done = 'done' in result && result.done ? result : undefined;
  const amount = done?.payment?.amount ?? event.amount;
  if (amount === undefined) return 'paidInFull';
  const dues = [
    done?.due?.value,
    area === 'checkout'
      ? textAt(sightings[0]?.view, 'cryptoPaymentAmount', 'value')
      : // The price of an order in USD is converted first.
        textAt(origins[0]?.sent, 'orderAmount', 'currency') === 'USDT'
        ? textAt(origins[0]?.sent, 'orderAmount', 'value')
        : undefined,
  ].filter((due) => due !== undefined);
  if (!isDecimalText(amount) || dues.length === 0 || !dues.every(isDecimalText)) return 'unknown';
  const enough = new Set(dues.map((due) => compareDecimals(amount, due) >= 0));
  if (enough.size > 1) return 'unknown';
  return enough.has(true) ? 'paidInFull' : 'underpaid';
}

/** When an order expires by its create, in milliseconds since the epoch; `undefined` where its creates do not agree. */
function expiryOf({ origins }: Entity): number | undefined {
  const given = new Set(origins.map(({ sent }) => readMoment(textAt(sent, 'expiresAt') ?? '')?.instant));
  return given.size === 1 ? [...given][0] : undefined;
}
