import { counted } from '../../contract/counted.ts';
import { systemErrorCodes } from '../../contract/error-codes.ts';
import { isBefore } from '../../history/recorder.ts';
import { type Book, type Exchanged, isCreate, textAt } from '../../invariants/book.ts';
import { different, fewest, fewestPlaces, grouped, seconds, times } from './habits.ts';

/** How a request failed, whatever it asked for. `undefined`: it was answered as the contract says, or asked to wait. */
function failureOf({ status, answered }: Exchanged): string | undefined {
  const code = textAt(answered, 'code');
  // A guard in front of the target, which shuts out who asks too much, refuses without a code.
  if (status >= 500 || (status === 403 && code === undefined)) return `HTTP ${status}`;
  return code !== undefined && systemErrorCodes.includes(code) ? `code ${code}` : undefined;
}

/** All requests, all creates, or else all requests to one operation have been answered otherwise, and from a moment on fail. */
export function failingSince({ exchanged }: Book): string | undefined {
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
