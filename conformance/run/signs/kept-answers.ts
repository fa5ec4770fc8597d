import type { RequestRecord } from '../../history/records.ts';
import { type Book, type Exchanged, textAt } from '../../invariants/book.ts';
import { different, fewestPlaces, fewestTimes, seconds } from './habits.ts';

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
export function keptAnswers({ exchanged }: Book): string | undefined {
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
