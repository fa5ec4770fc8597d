// A path, query or body as code changes it on its way to a signature. Without Node, because a page of the docs site uses it.

/** The result of `make`, or none when it throws: text that cannot be decoded or parsed allows no such mistake. */
function attempt(make: () => string[]): string[] {
  try {
    return make();
  } catch {
    return [];
  }
}

/** The path without its percent-encoding. */
export const pathDecoded = (path: string): string[] => attempt(() => [decodeURIComponent(path), decodeURI(path)]);

/** The query without its percent-encoding, with a plus sign kept and as a space. */
export const queryDecoded = (query: string): string[] =>
  attempt(() => [decodeURIComponent(query), decodeURIComponent(query.replaceAll('+', ' '))]);

/** The query as common libraries encode its parameters. */
export function queryReEncoded(query: string): string[] {
  const form = new URLSearchParams(query);
  const pairs = [...form].map((pair) => pair.map(encodeURIComponent).join('='));
  return [form.toString(), form.toString().replaceAll('+', '%20'), pairs.join('&')];
}

/** The query with its parameters sorted, by their whole text and by their names. */
export function querySorted(query: string): string[] {
  const parameters = query.split('&');
  const name = (parameter: string): string => parameter.split('=', 1)[0] ?? '';
  const byName = parameters.toSorted((a, b) => (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0));
  return [parameters.toSorted().join('&'), byName.join('&')];
}

/** The same JSON value with the keys of every object sorted. */
const keysSorted = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** JSON text with every character outside ASCII as an escape. */
const asciiOnly = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The body as common JSON libraries write its value. None: the body is not JSON text. */
export const jsonReSerialised = (body: Uint8Array): string[] => attempt(() => writtenAnew(body));

/** Throws when the body is not JSON text. */
function writtenAnew(body: Uint8Array): string[] {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  const value: unknown = JSON.parse(text);
  const compact = JSON.stringify(value);
  // A line end of the output never stands inside a string, where it is an escape.
  const spaced = JSON.stringify(value, null, 1).replace(/,\n */g, ', ').replace(/\n */g, '');
  const sorted = JSON.stringify(JSON.parse(text, keysSorted));
  const written = [compact, spaced, sorted, JSON.stringify(value, null, 2), JSON.stringify(value, null, 4)];
  return [...written, ...written.map(asciiOnly), compact.replaceAll('/', '\\/')];
}

/** The body without white space at both ends, at its end, and without its last line end. It is cut by bytes, since it need not be text. */
export function bodyTrimmed(body: Uint8Array): Uint8Array[] {
  const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
  const start = body.findIndex((byte) => !isSpace(byte));
  const end = body.findLastIndex((byte) => !isSpace(byte)) + 1;
  const withoutLastLineEnd = body.at(-1) !== 0x0a ? body : body.subarray(0, body.at(-2) === 0x0d ? -2 : -1);
  return [body.subarray(start < 0 ? body.length : start, end), body.subarray(0, end), withoutLastLineEnd];
}

const apiPrefix = /\/api\/v1(?=\/|$)/;

/** The path without `/api/v1`. */
export const withoutApiPrefix = (path: string): string => path.replace(apiPrefix, '');

/** What a proxy or a wrong base address often puts before a path. */
const usualPrefixes = [
  ...['/gateway', '/gw', '/proxy', '/api', '/v1', '/api/v1', '/openapi', '/open-api'],
  ...['/sandbox', '/merchant', '/pay', '/payment', '/payments', '/'],
];

/** The path behind each of the usual prefixes. */
export const pathWithPrefix = (path: string): string[] => usualPrefixes.map((prefix) => prefix + path);

/** The path without its first segment, without its first two and so on, and without its first slash; but not without `/api/v1`. */
export function pathShortened(path: string): string[] {
  const segments = path.split('/').slice(1);
  const ends = segments.slice(1).map((_, index) => `/${segments.slice(index + 1).join('/')}`);
  return [...ends, path.slice(1)].filter((shorter) => shorter !== withoutApiPrefix(path));
}

/** The merchant id in a path. None: the path names no merchant. */
export const merchantIdsIn = (path: string): string[] => /\/merchants\/([^/]+)/.exec(path)?.slice(1) ?? [];

/** The components in every order but the right one. */
export function inOtherOrders(components: readonly string[]): string[][] {
  const orders = (left: readonly string[]): string[][] =>
    left.length === 0
      ? [[]]
      : left.flatMap((first, place) => orders(left.toSpliced(place, 1)).map((others) => [first, ...others]));
  return orders(components).slice(1);
}
