import { counted } from '../contract/counted.ts';
import { errorCode, systemErrorCodes } from '../contract/error-codes.ts';
import { isBefore } from '../history/recorder.ts';
import type { History, RequestRecord } from '../history/records.ts';
import { type Book, type Exchanged, isCreate, merchantIdField, readBook, textAt } from '../invariants/book.ts';
import { lateAnswer } from '../wire/exchange.ts';

/** How many signs are told of a run at most. */
const mostSigns = 2;

/** From how many requests on something shows as a habit of the target: one check alone makes fewer. */
const fewest = 20;

/** How many times at least an answer is given again, or nothing is found, before it is no chance any more. */
const fewestTimes = 10;

/** On how many different orders or addresses that must be seen at least. */
const fewestPlaces = 3;

/** The share of the requests that a busy machine or a gateway leaves without an answer now and then. */
const usualLoss = 0.03;

/** Into how many times of equal length a run is divided, to see whether something goes on in all of it or is over after a moment. */
const times = 10;

/**
 * What the requests of a run show in their course and none of them by itself, in plain sentences, the surest first: answers that are kept and
 * given again, orders that are lost and found, a moment since which all creates fail, requests without an answer. A rare accident is no sign.
 * What comes after the target was ended on purpose says nothing.
 */
export function signsIn(history: History): string[] {
  const book = readBook(history);
  const kept = keptAnswers(book);
  // Where answers are kept, one from before an order was made says nothing about the memory of the target.
  const signs = [kept, kept === undefined ? forgotten(book) : undefined, failingSince(book), unanswered(book)];
  return signs.filter((sign) => sign !== undefined).slice(0, mostSigns);
}

const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1);

/** How many different values there are. */
const different = (values: readonly unknown[]) => new Set(values).size;

function grouped<Value>(values: readonly Value[], keyOf: (value: Value) => string): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group) group.push(value);
    else groups.set(keyOf(value), [value]);
  }
  return groups;
}

// --- Answers that are given again -----------------------------------------------------------------------------------------

/** The names of headers by which servers name the request that they answer. */
const requestIdHeader = /^(x-)?(request|correlation|trace)-?id$/;

/** The id that the target gave a request. `undefined`: it gave none, or repeats one that it was sent. */
function requestIdOf({ record, answered }: Exchanged): string | undefined {
  const own = textAt(answered, 'requestId');
  const name = Object.keys(record.answer?.headers ?? {}).find((each) => requestIdHeader.test(each));
  const id = own || (name && record.answer?.headers[name]) || undefined;
  const sent = [...Object.values(record.headers), record.query].some((value) => id && value?.includes(id));
  return sent ? undefined : id;
}

/** Different requests to one address have byte for byte one answer, and in it the id of one request. */
function keptAnswers({ exchanged }: Book): string | undefined {
  const asked = exchanged
    .filter(({ record }) => record.method === 'GET')
    .flatMap((each) => ({ ...each, requestId: requestIdOf(each) ?? '' }))
    .filter(({ requestId }) => requestId !== '')
    .sort((one, other) => one.record.start - other.record.start);
  const addressOf = ({ path, query = '' }: RequestRecord) => `${path}?${query}`;
  const firsts = new Map<string, (typeof asked)[number]>();
  const again: { address: string; age: number }[] = [];
  for (const each of asked) {
    const { record, requestId } = each;
    const first = firsts.get(requestId);
    if (!first) {
      firsts.set(requestId, each);
      continue;
    }
    // A target that gives one id to requests for different things has a fault in its ids, and nothing keeps its answers.
    if (addressOf(first.record) !== addressOf(record)) return undefined;
    const isSame = first.record.answer?.body.text === record.answer?.body.text;
    if (isSame && isSignedAnew(first.record, record) && first.record.end <= record.start) {
      again.push({ address: addressOf(record), age: record.start - first.record.end });
    }
  }
  if (again.length < fewestTimes || different(again.map(({ address }) => address)) < fewestPlaces) return undefined;
  const oldest = Math.max(...again.map(({ age }) => age));
  return `GETs get an earlier answer again, with the same request id (${again.length} of ${asked.length} answers, up to ${seconds(oldest)} s old): something between keeps them`;
}

/** Whether two requests differ in what makes each request another one: their time or their signature. */
function isSignedAnew(one: RequestRecord, other: RequestRecord): boolean {
  const marks = ({ headers }: RequestRecord) =>
    Object.entries(headers)
      .filter(([name]) => /^x-(timestamp|signature)$/i.test(name))
      .join();
  return marks(one) !== marks(other);
}

// --- Orders that are not found --------------------------------------------------------------------------------------------

/** A query of its merchant for an order that was made before. */
interface Look {
  order: string;
  found: boolean;
  /** How long before the query the order had been made, in milliseconds. */
  age: number;
}

/** Orders that were made are not found, each now and then, or only some time later. */
function forgotten(book: Book): string | undefined {
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

// --- A moment since which requests fail -----------------------------------------------------------------------------------

/** How a request failed, whatever it asked for. `undefined`: it was answered as the contract says, or asked to wait. */
function failureOf({ status, answered }: Exchanged): string | undefined {
  const code = textAt(answered, 'code');
  // A guard in front of the target, which shuts out who asks too much, refuses without a code.
  if (status >= 500 || (status === 403 && code === undefined)) return `HTTP ${status}`;
  return code !== undefined && systemErrorCodes.includes(code) ? `code ${code}` : undefined;
}

/** All requests, all creates, or else all requests to one operation have been answered otherwise, and from a moment on fail. */
function failingSince({ exchanged }: Book): string | undefined {
  const asked = exchanged
    .map((each) => ({ ...each, failure: failureOf(each) }))
    .sort((one, other) => one.record.start - other.record.start);
  const creates = asked.filter(({ operation }) => isCreate(operation));
  const byOperation = grouped(asked, ({ operation }) => operation);
  return (
    failingSuddenly(asked, 'request') ??
    failingSuddenly(creates, 'create') ??
    [...byOperation].map(([operation, each]) => failingSuddenly(each, `${operation} request`)).find((sign) => sign)
  );
}

/** The moment from which on all of these requests fail, in words; `what` is one of them. */
function failingSuddenly(
  asked: readonly (Exchanged & { failure: string | undefined })[],
  what: string,
): string | undefined {
  const from = asked.findLastIndex(({ failure }) => failure === undefined) + 1;
  const [last, after] = [asked[from - 1], asked.slice(from)];
  // What was under way beside the last one that did not fail may have been answered after it.
  const before = asked
    .slice(0, from)
    .filter(({ record, failure }) => failure === undefined || (last && isBefore(record, last.record)));
  const earlier = before.filter(({ failure }) => failure !== undefined).length;
  const [first] = after;
  const isSudden = earlier * times <= Math.min(before.length, after.length);
  if (!first || before.length < fewest || after.length < fewest || !isSudden) return undefined;
  if (different(after.map(({ record }) => record.check)) < fewestPlaces) return undefined;
  const failures = [...new Set(after.map(({ failure }) => failure))].join(' or ');
  const exception = earlier === 0 ? 'none was' : `${earlier} of them ${earlier === 1 ? 'was' : 'were'}`;
  return `since ${seconds(first.record.start)} s into the run, after ${counted(before.length, what)}, all ${counted(after.length, what)} were answered with ${failures}; before, ${exception}`;
}

// --- Requests without an answer -------------------------------------------------------------------------------------------

/** Requests to all operations that were asked often are not answered in time, all through the run. */
function unanswered(book: Book): string | undefined {
  const lost = book.unanswered.filter(
    ({ authentication, error }) => authentication === 'right' && error?.startsWith(lateAnswer),
  );
  const signed = book.exchanged.filter(({ record }) => record.authentication === 'right');
  const all = [...lost, ...signed.map(({ record }) => record)];
  if (lost.length < fewest || lost.length < all.length * usualLoss) return undefined;
  const asked = grouped(all, ({ operation }) => operation ?? '');
  const often = [...asked].filter(([, records]) => records.length >= 2 / usualLoss).map(([operation]) => operation);
  const hit = new Set(lost.map(({ operation }) => operation ?? ''));
  // A machine that stands still for a moment loses what is under way then, and no more; one that has stopped answers nothing after that.
  const slice = Math.max(1, book.end) / times;
  const sliceOf = ({ start }: RequestRecord) => Math.floor(start / slice);
  const answering = new Set(signed.map(({ record }) => sliceOf(record)));
  const slices = different(lost.map(sliceOf).filter((each) => answering.has(each)));
  if (hit.size < fewestPlaces || slices < times / 2 || !often.every((operation) => hit.has(operation)))
    return undefined;
  return `${lost.length} of ${all.length} requests, to ${counted(hit.size, 'operation')}, got no answer in time, all through the run`;
}
