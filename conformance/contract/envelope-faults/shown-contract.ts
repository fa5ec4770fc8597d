import { isNamedCode } from '../error-codes.ts';
import { isObject, type JsonObject } from '../json.ts';
import { successCode } from '../success-code.ts';

/** Whether an object has a code and what goes with it. */
export function hasEnvelope(value: JsonObject): boolean {
  return isCode(value.code) && (Object.hasOwn(value, 'message') || Object.hasOwn(value, 'data'));
}

/** A number as the code that it stands for: codes have five digits. */
export const codeOf = (code: unknown): string => String(code).padStart(successCode.length, '0');

/** Whether a value is a code of the contract, or the number that is written in it. */
export function isCode(code: unknown): boolean {
  if (typeof code !== 'string' && typeof code !== 'number') return false;
  const text = typeof code === 'number' ? codeOf(code) : code;
  return text === successCode || isNamedCode(text);
}

/** The ids by which a thing of the contract is known from one of another API. */
const tellingNames: readonly string[] = [
  'orderId',
  'merchantOrderId',
  'acquiringOrderId',
  'refundOrderId',
  'merchantRefundOrderId',
  'paymentMethods',
];

/** Whether a name is one by which a thing of the contract is known. */
export const isTellingName = (name: string): boolean => tellingNames.includes(name);

/** Whether an object has something of the contract, itself or in what it holds. */
export function showsContract(value: JsonObject, depth = 0): boolean {
  return Object.entries(value).some(([name, inner]) => {
    if (isTellingName(name)) return true;
    // A zero stands in the answers of any API.
    if (isCode(inner) && (inner !== 0 || /code$/i.test(name))) return true;
    const held = Array.isArray(inner) ? inner[0] : inner;
    return depth < 3 && isObject(held) && showsContract(held, depth + 1);
  });
}
