import { isNamedCode, systemErrorCodes } from '../contract/error-codes.ts';
import { valueAt } from '../contract/json.ts';
import type { OperationArea } from '../contract/operations.ts';
import { successCode } from '../contract/success-code.ts';
import type { RequestRecord } from '../history/records.ts';
import { saysSomething } from '../wire/says-something.ts';
import { type Book, type Exchanged, textAt } from './book.ts';
import { onceForEach } from './once-for-each.ts';

/** The longest body, in bytes, that nothing in front of a target refuses in words of its own. */
const longestPassed = 64 * 1024;

/** The longest path and query, in characters, that nothing in front of a target refuses in words of its own. */
const longestAddress = 2000;

const plainText = /^[A-Za-z0-9_~-][A-Za-z0-9._~-]*$/;
/** A parameter without a value may be refused. */
const plainQuery = /^[A-Za-z]+=[A-Za-z0-9._~-]+(&[A-Za-z]+=[A-Za-z0-9._~-]+)*$/;

/** The code of an answer; `undefined`: it has none. */
export const codeOf = ({ answered }: Exchanged): string | undefined => textAt(answered, 'code');

/** The answer says that the request was not carried out, and not because the service failed or was asked too often. */
export function isRefused(exchanged: Exchanged): boolean {
  const code = codeOf(exchanged);
  const { status } = exchanged;
  return (
    code !== undefined && code !== successCode && !systemErrorCodes.includes(code) && status < 500 && status !== 429
  );
}

/** The answer says something of what was asked, which no failed authentication and no failure of the service does. */
export const saysSomethingOf = ({ status, answered }: Exchanged): boolean => saysSomething({ status, json: answered });

/**
 * A query was refused with a code that the contract does not name, and was carried out later: the target refused it for the moment, as one that
 * is asked too often may.
 */
export function isRefusedForNow(book: Book, query: Exchanged): boolean {
  const code = codeOf(query);
  if (query.area === 'refunds' || code === undefined || isNamedCode(code)) return false;
  const { path, end } = query.record;
  return (lastAccepted(book).get(path) ?? 0) >= end;
}

/** When the last accepted request to each path began, in milliseconds since the run began. */
const lastAccepted = onceForEach(({ exchanged }: Book): ReadonlyMap<string, number> => {
  const starts = new Map<string, number>();
  for (const { accepted, record } of exchanged) {
    if (accepted) starts.set(record.path, Math.max(starts.get(record.path) ?? 0, record.start));
  }
  return starts;
});

/**
 * The contract binds the form of this answer. It binds every success. It does not bind refusals for failed authentication, of unknown
 * merchants, for too many requests, or those that something in front of the target may have made.
 */
export function isBound(book: Book, exchanged: Exchanged): boolean {
  const { record, accepted, status } = exchanged;
  if (record.answer?.body.cut) return false;
  if (accepted) return true;
  if (status === 429 || ((status > 500 || status === 408) && codeOf(exchanged) === undefined)) return false;
  return isOrdinary(book, exchanged);
}

/**
 * The contract binds the fields of this answer. All refusals of refund operations have one form, whatever they are for, those for failed
 * authentication and for too many requests included, and so have those of checkout operations. Something in front of a target may refuse in
 * words of its own: what has every field of the envelope is the target's.
 */
export function hasBoundFields(book: Book, exchanged: Exchanged): boolean {
  return isBound(book, exchanged) || isOwnRefusal(exchanged);
}

/** The fields that refusals of an area have together where the target has written them. None: the form of some refusals is open. */
const fieldsOfRefusals: Readonly<Record<OperationArea, readonly string[]>> = {
  orders: [],
  checkout: ['code', 'message', 'data'],
  refunds: ['code', 'requestId', 'timestamp'],
};

function isOwnRefusal({ area, accepted, answered, status, record }: Exchanged): boolean {
  const fields = fieldsOfRefusals[area];
  if (accepted || fields.length === 0 || record.answer?.body.cut || (area === 'refunds' && status < 400)) return false;
  return fields.every((name) => valueAt(answered, [name]) !== undefined);
}

/** A rightly signed request of a merchant that exists, of the present time, in a form that nothing in front of a target refuses and that cannot come too soon. */
export const isOrdinary = (book: Book, exchanged: Exchanged): boolean =>
  isPlain(exchanged) && isAuthentic(book, exchanged) && !mayComeTooSoon(book, exchanged);

/** Whether a request about orders may be refused for no other reason than that it came too soon: its merchant was made with a limit. */
const mayComeTooSoon = (book: Book, { area, merchantId }: Exchanged): boolean =>
  area !== 'refunds' && book.provisions.get(merchantId)?.settings.orderRateLimit !== undefined;

/** The same of a query whose address holds no id but one that the platform itself has given, in whatever form. */
export const isOrdinaryByGivenId = (book: Book, query: Exchanged): boolean =>
  isShortAddress(query.record) &&
  query.record.query === undefined &&
  isPlainBody(query.record, query.sent) &&
  isAuthentic(book, query);

function isAuthentic(book: Book, { signed, merchantId, record }: Exchanged): boolean {
  return signed && book.merchants.has(merchantId) && (isTimely(record) || !isDatedByTarget(book));
}

/** The request has an address and a body of a form that every reader understands alike, and that nothing in front of a target refuses. */
export const isPlain = onceForEach(
  ({ record, sent }: Exchanged): boolean => isPlainAddress(record) && isPlainBody(record, sent),
);

/** False where something in front of the target dates its answers by a clock that is far from the target's. */
const isDatedByTarget = onceForEach(({ run, exchanged }: Book): boolean => {
  const [first] = exchanged.filter(({ record }) => !Number.isNaN(dateOf(record)));
  if (!first) return false;
  return Math.abs(dateOf(first.record) - (run.startedAt + first.record.end + run.clockAhead)) <= farthestTime;
});

/** The date of an answer, in milliseconds since the epoch; NaN: it has none. */
const dateOf = ({ answer }: RequestRecord): number => Date.parse(answer?.headers.date ?? '');

/** How far the time of a request may be from the date of its answer, in milliseconds: close to the 5 minutes of the contract. */
const farthestTime = 295_000;

/** The target's clock may have jumped just before a request, whose time it then rightly finds too old or too new. */
function isTimely(record: RequestRecord): boolean {
  const sent = Number(headerOf(record.headers, 'x-timestamp') ?? Number.NaN);
  const dated = dateOf(record);
  return Number.isNaN(sent) || Number.isNaN(dated) || Math.abs(dated - sent) <= farthestTime;
}

const headerOf = (headers: RequestRecord['headers'], wanted: string) =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];

const isShortAddress = ({ path }: RequestRecord): boolean => path.length <= longestAddress;

function isPlainAddress(record: RequestRecord): boolean {
  const { operation, parameters = {}, query } = record;
  // The platform gives merchants their ids, in whatever form.
  const { merchantId: _given, ...chosen } = parameters;
  const isPlain = isShortAddress(record) && Object.values(chosen).every((value) => plainText.test(value));
  if (query === undefined) return isPlain;
  return isPlain && operation === 'refunds.query' && query.length <= longestAddress && plainQuery.test(query);
}

function isPlainBody({ method, body, headers }: RequestRecord, sent: unknown): boolean {
  if (method === 'GET') return body === undefined;
  // A body of no bytes may fail as authentication.
  if (body === undefined || body.text === '' || body.cut || Buffer.byteLength(body.text) > longestPassed) return false;
  const type = headerOf(headers, 'content-type') ?? '';
  // How else the type may be written is a rule of its own. The replacement character stands where bytes were no UTF-8.
  if (!/^application\/json(; ?charset=utf-8)?$/.test(type) || /^\uFEFF|\uFFFD/.test(body.text)) return false;
  return sent === undefined || isReadByAll(body.text, sent);
}

/** Every reader of JSON understands the text alike: no field stands there twice, no number is beyond bounds, nothing is nested too deeply. */
function isReadByAll(text: string, sent: unknown): boolean {
  try {
    return JSON.stringify(sent) === text || JSON.stringify(sent, null, 2) === text;
  } catch {
    return false;
  }
}

/** True for the content type of JSON, whatever its parameters. */
export const isJsonType = (type: string): boolean => /^application\/json\s*(;|$)/i.test(type.trim());
