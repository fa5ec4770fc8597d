import { Refusal } from '../services/refusal.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The value of a JSON body; `undefined` for an empty one. Throws a `Refusal` for bytes that are not UTF-8 or not JSON. */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(utf8.decode(body));
  } catch (error) {
    const problem = error instanceof SyntaxError ? 'is not JSON' : 'is not UTF-8';
    throw new Refusal('invalid-parameter', `body: ${problem}; send one JSON object in UTF-8`);
  }
}

/** A text or a number of JSON. */
const textOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*/g;

/** As `parseJsonBody`, with every number as its text, digit for digit. */
export function parseJsonBodyWithoutNumbers(body: Buffer): unknown {
  // Text that is not JSON is refused first: only in JSON are all digits outside of texts part of a number.
  if (parseJsonBody(body) === undefined) return undefined;
  return JSON.parse(utf8.decode(body).replace(textOrNumber, (token) => (token.startsWith('"') ? token : `"${token}"`)));
}

/** The text of a field of a parsed body; `undefined` where there is none. */
export function textField(body: unknown, name: string): string | undefined {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return undefined;
  const value: unknown = Reflect.get(body, name);
  return typeof value === 'string' ? value : undefined;
}
