import { follow, isObject, type Json, type JsonObject, objectsOf } from '../generate/json.ts';
import type { Content } from './contents.ts';
import type { Faults } from './validation.ts';

/**
 * The members of named enumerations (components that are a choice of constants: error codes, statuses) that bodies can
 * hold and no example shows, as `tag: Schema member`.
 */
export function membersWithoutExample(document: JsonObject, contents: Content[], faults: Faults): string[] {
  const shown = new Set<string>();
  const possible = new Set<string>();
  for (const { tags, schema, examples } of contents) {
    for (const tag of tags) {
      for (const name of reachableNames(document, schema)) {
        for (const member of membersOf(document, name)) possible.add(`${tag}: ${name} ${member}`);
      }
      for (const { value } of examples) {
        for (const [name, member] of namedValues(document, schema, value, faults))
          shown.add(`${tag}: ${name} ${member}`);
      }
    }
  }
  return [...possible].filter((member) => !shown.has(member));
}

/** Every component that a schema leads to. */
function reachableNames(document: JsonObject, schema: Json, names = new Set<string>()): Set<string> {
  if (Array.isArray(schema)) for (const child of schema) reachableNames(document, child, names);
  if (!isObject(schema)) return names;
  const name = nameOf(schema);
  if (name !== undefined && !names.has(name)) reachableNames(document, follow(document, schema), names.add(name));
  for (const child of Object.values(schema)) reachableNames(document, child, names);
  return names;
}

/** Each text of a value, with the component that describes it. Alternatives count where the value fits them. */
function* namedValues(
  document: JsonObject,
  schema: JsonObject,
  value: Json,
  faults: Faults,
): Generator<[string, string]> {
  const name = nameOf(schema);
  if (name !== undefined && typeof value === 'string') yield [name, value];
  const { allOf, oneOf, anyOf, properties, items } = follow(document, schema);
  const alternatives = [...objectsOf(oneOf), ...objectsOf(anyOf)].filter((each) => faults(each, value).length === 0);
  for (const part of [...objectsOf(allOf), ...alternatives]) yield* namedValues(document, part, value, faults);
  if (Array.isArray(value) && isObject(items)) {
    for (const entry of value) yield* namedValues(document, items, entry, faults);
  }
  if (!isObject(value) || !isObject(properties)) return;
  for (const [key, property] of Object.entries(properties)) {
    const child = value[key];
    if (child !== undefined && isObject(property)) yield* namedValues(document, property, child, faults);
  }
}

function membersOf(document: JsonObject, name: string): string[] {
  const { oneOf } = follow(document, { $ref: `#/components/schemas/${name}` });
  return objectsOf(oneOf).flatMap((each) => (typeof each.const === 'string' ? [each.const] : []));
}

function nameOf({ $ref }: JsonObject): string | undefined {
  return typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined;
}
