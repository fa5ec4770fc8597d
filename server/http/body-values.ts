/** A value in a body, and the names and indexes that lead to it. */
export interface BodyValue {
  value: unknown;
  at: readonly string[];
}

/** The values at a path in a body. `*` in the path stands for every entry of a list. */
export function* valuesAt(value: unknown, path: readonly string[], at: readonly string[] = []): Generator<BodyValue> {
  const [name, ...rest] = path;
  if (name === undefined) {
    yield { value, at };
  } else if (name === '*') {
    if (!Array.isArray(value)) return;
    for (const [index, each] of value.entries()) yield* valuesAt(each, rest, [...at, String(index)]);
  } else if (typeof value === 'object' && value !== null && Object.hasOwn(value, name)) {
    yield* valuesAt(Reflect.get(value, name), rest, [...at, name]);
  }
}

/** A path with `*` in place of each index of a list. */
export function generalPath(path: readonly string[]): string[] {
  return path.map((name) => (/^[0-9]+$/.test(name) ? '*' : name));
}

export function samePath(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name, index) => name === right[index]);
}
