import { counted } from '../../contract/counted.ts';
import type { RequestRecord } from '../../history/records.ts';
import type { Book } from '../../invariants/book.ts';
import { lateAnswer } from '../../wire/exchange.ts';
import { different, fewest, fewestPlaces, fewestTimes, grouped, times } from './habits.ts';

/** The share of the requests that a busy machine or a gateway leaves without an answer now and then. */
const usualLoss = 0.03;

/** The part that is nearly all. */
const nearlyAll = 0.9;

/** Rightly signed requests that got no answer in time. */
const lostIn = ({ unanswered }: Book): RequestRecord[] =>
  unanswered.filter(({ authentication, error }) => authentication === 'right' && error?.startsWith(lateAnswer));

/** Requests to all operations that were asked often are not answered in time, all through the run. */
export function unanswered(book: Book): string | undefined {
  const lost = lostIn(book);
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

/** The lengths of the bodies of requests, in bytes. Those without a body are left out. */
const lengthsOf = (records: readonly RequestRecord[]): number[] =>
  records.flatMap(({ body }) => (body === undefined ? [] : [Buffer.byteLength(body.text)]));

/** Requests get no answer in time whose bodies have some length, and nearly all others get one: the target does not read these to their end. */
export function unreadBodies(book: Book): string | undefined {
  const lost = lengthsOf(lostIn(book));
  if (lost.length < fewestTimes) return undefined;
  const answered = lengthsOf(
    book.exchanged.flatMap(({ record }) => (record.authentication === 'right' ? [record] : [])),
  );
  const [shortest, longest] = [Math.min(...lost), Math.max(...lost)];
  const alike = answered.filter((length) => length >= shortest && length <= longest).length;
  const others = answered.length - alike;
  if (lost.length < (lost.length + alike) * nearlyAll || others < fewest) return undefined;
  const isOpen = answered.every((length) => length < longest);
  const range = isOpen ? `${shortest} bytes or more` : `from ${shortest} to ${longest} bytes`;
  return `requests get no answer in time where their body has ${range}: ${lost.length} of ${lost.length + alike} times; where not, ${others} were answered: is the body read to its end?`;
}
