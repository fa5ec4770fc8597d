import { addDecimals, compareDecimals, isDecimalText, subtractDecimals } from '../contract/decimals.ts';
import { isObject, type JsonObject, setAt, valueAt } from '../contract/json.ts';

/**
 * A right body that has the probed field, which comes from an example of the contract. Lists on the path to the field have
 * one entry, because a second entry that breaks another rule would hide the effect of the probe.
 */
export function probedBody(right: JsonObject, example: JsonObject, path: readonly string[]): JsonObject {
  const [top] = path;
  if (top === undefined || Object.hasOwn(right, top)) return right;
  const probed = { ...right, [top]: withOneEntry(example[top], path.slice(1)) };
  return top === 'items' ? inOneCurrency(probed) : probed;
}

/** The body with its items in the currency of the order, because a platform may take no others. */
function inOneCurrency(body: JsonObject): JsonObject {
  const { items } = body;
  const currency = valueAt(body, ['orderAmount', 'currency']);
  const inCurrency = (item: unknown) =>
    valueAt(item, ['amount', 'currency']) === undefined ? item : setAt(item, ['amount', 'currency'], currency);
  return Array.isArray(items) ? { ...body, items: items.map(inCurrency) } : body;
}

function withOneEntry(value: unknown, [segment, ...rest]: readonly string[]): unknown {
  if (segment === '*')
    return Array.isArray(value) ? value.slice(0, 1).map((entry) => withOneEntry(entry, rest)) : value;
  if (segment === undefined || !isObject(value) || !Object.hasOwn(value, segment)) return value;
  return { ...value, [segment]: withOneEntry(value[segment], rest) };
}

/** An order total that no platform refuses for its size, and the smallest part that a split can have beside a probed one. */
const [usualTotal, smallestRest] = ['9.50', '0.02'];

/**
 * The body with an order amount that is the sum of its sub-merchants' amounts, so that a probe of one breaks no other rule. A small probed
 * part gets a second part beside it that fills the order up to a usual total, because a platform may have a smallest order.
 */
export function withMatchingTotal(body: unknown): unknown {
  const parts = valueAt(body, ['subMerchants']);
  if (!Array.isArray(parts)) return body;
  const amounts = parts.map((part) => (isObject(part) ? part.amount : undefined)).filter(isDecimalText);
  if (amounts.length === 0) return body;
  const sum = addDecimals(amounts);
  const rest = subtractDecimals(usualTotal, sum);
  if (rest.startsWith('-') || compareDecimals(rest, smallestRest) < 0) {
    return setAt(body, ['orderAmount', 'value'], sum);
  }
  const filled = [...parts, { subMerchantId: 'assay-rest', name: 'Rest', amount: rest }];
  return setAt(setAt(body, ['subMerchants'], filled), ['orderAmount', 'value'], usualTotal);
}
