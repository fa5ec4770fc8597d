/** A JSON object, as request bodies are. */
export type JsonObject = { [key: string]: unknown };

/** True for a JSON object: not for an array, and not for `null`. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value that a JSON text holds. `undefined`: the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True for a JSON text with an object that names a member twice. Readers differ in which of the two they take. `value`: what it holds. */
export function namesTwice(text: string, value: unknown): boolean {
  const names = text.matchAll(/"(?:[^"\\]|\\.)*"\s*(:)?/g);
  return [...names].filter(([, colon]) => colon !== undefined).length > countMembers(value);
}

/** Counts the members of all objects within a value, which may be nested as deeply as a body is long. */
function countMembers(value: unknown): number {
  let members = 0;
  const left = [value];
  while (left.length > 0) {
    const each = left.pop();
    if (typeof each !== 'object' || each === null) continue;
    const inside = Object.values(each);
    if (!Array.isArray(each)) members += inside.length;
    for (const one of inside) left.push(one);
  }
  return members;
}

/** True for a text that begins as JSON does and breaks off. */
export const lacksItsEnd = (text: string): boolean =>
  /^\s*[{[]/.test(text) && parseJson(text) === undefined && !/[}\]]\s*$/.test(text);

/** The property of an object, or the entry of an array, with this name. `undefined`: `value` itself has none. */
export function ownValue(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** The value at a path of a body. The step `*` leads to the first entry of an array. `undefined`: there is no such value. */
export function valueAt(body: unknown, path: readonly string[]): unknown {
  return path.reduce((value, step) => {
    if (step === '*') return Array.isArray(value) ? value[0] : undefined;
    return isObject(value) ? ownValue(value, step) : undefined;
  }, body);
}

/**
 * A copy of `body` with `value` at the path. The value `undefined` leaves a field out. In a list, a number is the place of an
 * entry, where the place behind the last one appends it, and `*` is the first entry.
 */
export function setAt(body: unknown, path: readonly string[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(body)) {
    const place = step === '*' ? 0 : Number(step);
    if (!(place <= body.length)) return body;
    return [...body.slice(0, place), setAt(body[place], rest, value), ...body.slice(place + 1)];
  }
  if (!isObject(body)) return body;
  const { [step]: old, ...others } = body;
  const changed = setAt(old, rest, value);
  return changed === undefined ? others : { ...others, [step]: changed };
}

/** The value at a JSON pointer of a document, such as `/paths/~1orders`. `undefined`: there is no such value. */
export function atPointer(document: unknown, pointer: string): unknown {
  return stepsOfPointer(pointer).reduce(ownValue, document);
}

/** The names that a JSON pointer leads through, without its escapes. */
export function stepsOfPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value that a `$ref` inside a document leads to. The part after `#` is a percent-encoded JSON pointer. */
export function atReference(document: unknown, reference: string): unknown {
  return atPointer(document, decodeURIComponent(reference.slice(reference.indexOf('#') + 1)));
}
