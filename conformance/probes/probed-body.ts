import { addDecimals, isDecimalText } from '../contract/decimals.ts';
import { isObject, type JsonObject, setAt, valueAt } from '../contract/json.ts';

/**
 * A right body that has the probed field, which comes from an example of the contract. Lists on the path to the field have
 * one entry, because a second entry that breaks another rule would hide the effect of the probe.
 */
export function probedBody(right: JsonObject, example: JsonObject, path: readonly string[]): JsonObject {
  const [top] = path;
  if (top === undefined || Object.hasOwn(right, top)) return right;
  return { ...right, [top]: withOneEntry(example[top], path.slice(1)) };
}

function withOneEntry(value: unknown, [segment, ...rest]: readonly string[]): unknown {
  if (segment === '*')
    return Array.isArray(value) ? value.slice(0, 1).map((entry) => withOneEntry(entry, rest)) : value;
  if (segment === undefined || !isObject(value) || !Object.hasOwn(value, segment)) return value;
  return { ...value, [segment]: withOneEntry(value[segment], rest) };
}

/** The body with an order amount that is the sum of its sub-merchants' amounts, so that a probe of one breaks no other rule. */
export function withMatchingTotal(body: unknown): unknown {
  const parts = valueAt(body, ['subMerchants']);
  if (!Array.isArray(parts)) return body;
  const amounts = parts.map((part) => (isObject(part) ? part.amount : undefined)).filter(isDecimalText);
  return amounts.length === 0 ? body : setAt(body, ['orderAmount', 'value'], addDecimals(amounts));
}
