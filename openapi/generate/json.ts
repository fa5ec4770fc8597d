/** JSON of any shape, as a parsed document holds it. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The entries of a list; none for any other value. */
export function entriesOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** The entries of a list that are objects; none for any other value. */
export function objectsOf(value: Json | undefined): JsonObject[] {
  return entriesOf(value).filter(isObject);
}

/** A key as one step of a JSON pointer. */
export function pointerStep(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The keys that a JSON pointer names, from the outside in. */
export function pointerKeys(pointer: string): string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a JSON pointer of a document. Throws an error if there is none. */
export function resolvePointer(document: Json, pointer: string): Json {
  let value: Json | undefined = document;
  for (const key of pointerKeys(pointer)) {
    if (Array.isArray(value)) value = value[Number(key)];
    else if (isObject(value)) value = value[key];
    else value = undefined;
    if (value === undefined) throw new Error(`nothing stands at ${pointer}`);
  }
  return value;
}

/** An object of a document, and the JSON pointer of its place. */
export interface Place {
  value: JsonObject;
  pointer: string;
}

/**
 * Follows the references of an object within its document. Returns the object and its place unchanged if it is no
 * reference. Throws an error if a reference leads to no object.
 */
export function followPlace(document: JsonObject, { value, pointer }: Place): Place {
  if (typeof value.$ref !== 'string') return { value, pointer };
  const target = value.$ref.slice(1);
  const found = resolvePointer(document, target);
  if (!isObject(found)) throw new Error(`${value.$ref} leads to no object`);
  return followPlace(document, { value: found, pointer: target });
}

/** The object that a reference within a document leads to; the object itself if it is no reference. */
export function follow(document: JsonObject, value: JsonObject): JsonObject {
  return followPlace(document, { value, pointer: '' }).value;
}
