import { addDecimals, isDecimalText } from '../contract/decimals.ts';
import { isObject, type JsonObject, setAt, valueAt } from '../contract/json.ts';

/**
 * A right body with, from an example of the contract, the field that is probed. A list on the way to it has one entry:
 * another one at the edge of the rule would hide what is wrong with the edge.
 */
export function probedBody(right: JsonObject, example: JsonObject, path: readonly string[]): JsonObject {
  const [top] = path;
  if (top === undefined || Object.hasOwn(right, top)) return right;
  return { ...right, [top]: withOneEntry(example[top], path.slice(1)) };
}

function withOneEntry(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === '*') return Array.isArray(value) ? value.slice(0, 1).map((entry) => withOneEntry(entry, rest)) : value;
  if (step === undefined || !isObject(value) || !Object.hasOwn(value, step)) return value;
  return { ...value, [step]: withOneEntry(value[step], rest) };
}

/** The body with the order's amount made to fit its sub-merchants', so that a probe of one breaks nothing but its own rule. */
export function withMatchingTotal(body: unknown): unknown {
  const parts = valueAt(body, ['subMerchants']);
  if (!Array.isArray(parts)) return body;
  const amounts = parts.map((part) => (isObject(part) ? part.amount : undefined)).filter(isDecimalText);
  return amounts.length === 0 ? body : setAt(body, ['orderAmount', 'value'], addDecimals(amounts));
}
