import { addDecimals } from '../contract/decimals.ts';
import { isObject, type JsonObject, setAt, valueAt } from '../contract/json.ts';

/** Whether a field is required, by its path in a body. */
type IsRequired = (path: readonly string[]) => boolean;

/**
 * A right body that has the probed field, which comes from an example of the contract. A list of objects on the way to the field has
 * a dozen entries, or `count`, so that a value can stand in the first, in the second and in the last one: they differ in nothing but their ids,
 * and the last one has no other optional field than the probed one. A list of texts has one entry.
 */
export function probedBody(
  right: JsonObject,
  example: JsonObject,
  path: readonly string[],
  isRequired: IsRequired,
  count: number = entriesOfList,
): JsonObject {
  const [top] = path;
  if (top === undefined || Object.hasOwn(right, top)) return right;
  const probed = { ...right, [top]: withEqualEntries(example[top], path, 1, { isRequired, count }) };
  return top === 'items' ? inOneCurrency(probed) : probed;
}

/**
 * The body with every further field of `example` beside its own, and priced in `currency`, if one is given. Sub-merchants are not among the
 * fields, because a platform may take none and their amounts bind the total.
 */
export function besideEveryField(
  body: JsonObject,
  { subMerchants: _split, ...example }: JsonObject,
  currency?: string,
): JsonObject {
  const full: JsonObject = { ...example, ...body };
  const priced = { orderAmount: { ...Object(full.orderAmount), currency } };
  return inOneCurrency({ ...full, ...(currency !== undefined && priced) });
}

/** The body with a second item, if there is one, that costs nothing. A platform may refuse it: whether it may is open (`item-currency`). */
export function withFreeItem(body: JsonObject): JsonObject {
  const { items } = body;
  const free = (item: unknown, index: number) => (index === 1 ? setAt(item, ['amount', 'value'], '0') : item);
  return Array.isArray(items) ? { ...body, items: items.map(free) } : body;
}

/** The body with its items in the currency of the order, because a platform may take no others. */
function inOneCurrency(body: JsonObject): JsonObject {
  const { items } = body;
  const currency = valueAt(body, ['orderAmount', 'currency']);
  const inCurrency = (item: unknown) =>
    valueAt(item, ['amount', 'currency']) === undefined ? item : setAt(item, ['amount', 'currency'], currency);
  return Array.isArray(items) ? { ...body, items: items.map(inCurrency) } : body;
}

/** How a list of objects is filled. */
interface Filling {
  isRequired: IsRequired;
  count: number;
}

/** A value at the first `depth` segments of a path, with equal entries in every list further on. */
function withEqualEntries(value: unknown, path: readonly string[], depth: number, filling: Filling): unknown {
  const segment = path[depth];
  if (segment === '*') return Array.isArray(value) ? equalEntries(value, path, depth, filling) : value;
  if (segment === undefined || !isObject(value) || !Object.hasOwn(value, segment)) return value;
  return { ...value, [segment]: withEqualEntries(value[segment], path, depth + 1, filling) };
}

/** More entries than a careless loop or page has, and few enough for any target that takes lists at all. */
const entriesOfList = 12;

/** Copies of the first object of a list, the last of them with required fields and the next one of the path; of a list of texts, the first one. */
function equalEntries(list: readonly unknown[], path: readonly string[], depth: number, filling: Filling) {
  const [first] = list;
  if (!isObject(first)) return list.slice(0, 1);
  const { isRequired, count } = filling;
  const entry = withEqualEntries(first, path, depth + 1, filling);
  const isKept = (name: string) => name === path[depth + 1] || isRequired([...path.slice(0, depth + 1), name]);
  const spare = Object.fromEntries(Object.entries(Object(entry)).filter(([name]) => isKept(name)));
  return Array.from({ length: count }, (_, index) => {
    if (index === 0) return entry;
    return withOtherId(index === count - 1 ? spare : entry, `-${index + 1}`);
  });
}

/** The entry under another id, where it has one: two entries of one id could break a rule of the target. */
function withOtherId(entry: unknown, end: string): unknown {
  if (!isObject(entry)) return entry;
  const renamed = (name: string, value: unknown) =>
    /Id$/.test(name) && typeof value === 'string' ? value + end : value;
  return Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, renamed(name, value)]));
}

/**
 * The places at which a value can stand, as paths with numbers for the entries of lists: the first, the second and the last one. In a list of
 * texts, the later place is the one behind the last entry.
 */
export function placesOf(body: unknown, path: readonly string[]): string[][] {
  const star = path.indexOf('*');
  if (star < 0) return [[...path]];
  const list = valueAt(body, path.slice(0, star));
  if (!Array.isArray(list)) return [];
  const last = list.length - 1;
  const entries = isObject(list[0]) ? new Set([0, Math.min(1, last), last]) : [0, list.length];
  return [...entries].map((index) => path.map((step, at) => (at === star ? String(index) : step)));
}

/**
 * The body with an order amount that is the sum of its sub-merchants' amounts, so that a value of one breaks no other rule. Text that is
 * no number counts as a careless reader takes it: in hexadecimal, as a fraction of whole numbers, without separators between its thousands, as
 * the number with which it begins behind a sign of money, and otherwise as nothing.
 */
export function withMatchingTotal(body: unknown): unknown {
  const parts = valueAt(body, ['subMerchants']);
  if (!Array.isArray(parts)) return body;
  const amounts = parts.map((part) => {
    const text = String(valueAt(part, ['amount'])).replace(/(?<=[0-9])[,_' ](?=[0-9]{3})/g, '');
    if (/^0x[0-9a-f]+$/i.test(text)) return String(BigInt(text));
    const [, whole, divisor] = /^([0-9]+)\/([0-9]+)$/.exec(text) ?? [];
    if (whole !== undefined && divisor !== undefined) return String(Number(whole) / Number(divisor));
    return /^[ $(]*([0-9]+(\.[0-9]+)?)/.exec(text)?.[1] ?? '0';
  });
  return setAt(body, ['orderAmount', 'value'], addDecimals(amounts));
}
