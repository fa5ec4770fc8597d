import { counted } from '../../contract/counted.ts';
import type { RequestRecord } from '../../history/records.ts';
import type { Book } from '../../invariants/book.ts';
import { lateAnswer } from '../../wire/exchange.ts';
import { different, fewest, fewestPlaces, grouped, times } from './habits.ts';

/** The share of the requests that a busy machine or a gateway leaves without an answer now and then. */
const usualLoss = 0.03;

/** Requests to all operations that were asked often are not answered in time, all through the run. */
export function unanswered(book: Book): string | undefined {
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
