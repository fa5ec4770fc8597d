/** A JSON object, as request bodies are. */
export type JsonObject = { [key: string]: unknown };

/** The value at a path of a body, the first entry standing for every entry (`*`); `undefined` where there is none. */
export function valueAt(body: unknown, path: readonly string[]): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return body;
  if (step === '*') return Array.isArray(body) ? valueAt(body[0], rest) : undefined;
  return isObject(body) ? valueAt(body[step], rest) : undefined;
}

/** A copy of `body` with `value` at the path; `undefined` leaves the field out. */
export function setAt(body: unknown, path: readonly string[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (step === '*') return Array.isArray(body) ? [setAt(body[0], rest, value), ...body.slice(1)] : body;
  if (!isObject(body)) return body;
  const { [step]: old, ...others } = body;
  const changed = setAt(old, rest, value);
  return changed === undefined ? others : { ...others, [step]: changed };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a JSON pointer of a document, such as `/paths/~1orders`; `undefined` where there is none. */
export function atPointer(document: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, step) => (isObject(value) ? value[step] : undefined), document);
}
