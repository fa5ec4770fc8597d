import type { CheckContext } from '../context.ts';
import { addDecimals, isDecimalText } from '../money.ts';
import { orderRequest } from '../orders.ts';
import { isObject, type JsonObject, setAt, valueAt } from './bodies.ts';

/** A create request of an order of its own with the required fields and, from the example, the field that is probed. */
export function orderBody(context: CheckContext, example: JsonObject, path: readonly string[]): JsonObject {
  const required = orderRequest(context);
  const [top] = path;
  if (top === undefined || Object.hasOwn(required, top)) return { ...required };
  return { ...required, [top]: example[top] };
}

/** The body with the order's amount made to fit its sub-merchants', so that a probe of one breaks nothing but its own rule. */
export function withMatchingTotal(body: unknown): unknown {
  const parts = valueAt(body, ['subMerchants']);
  if (!Array.isArray(parts)) return body;
  const amounts = parts.map((part) => (isObject(part) ? part.amount : undefined)).filter(isDecimalText);
  return amounts.length === 0 ? body : setAt(body, ['orderAmount', 'value'], addDecimals(amounts));
}
