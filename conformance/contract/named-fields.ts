import { contract } from '../../generated/contract.ts';
import { atPointer, atReference, isObject } from './json.ts';

/** The fields of the objects in bodies, by the name of the field that holds the object: `value` and `currency` of `orderAmount`. */
const fieldsOf = new Map<string, Set<string>>();

for (const schema of Object.values(Object(atPointer(contract, '/components/schemas')))) {
  for (const properties of propertiesOf(schema)) {
    for (const [name, held] of Object.entries(properties)) {
      const fields = propertiesOf(held).flatMap(Object.keys);
      if (fields.length > 0) fieldsOf.set(name, new Set([...(fieldsOf.get(name) ?? []), ...fields]));
    }
  }
}

/** The `properties` of a schema and of those that it refers to or is composed of. */
function propertiesOf(schema: unknown): object[] {
  if (!isObject(schema)) return [];
  const target = typeof schema.$ref === 'string' ? [atReference(contract, schema.$ref)] : [];
  const parts = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((part) => part ?? []);
  return [...(isObject(schema.properties) ? [schema.properties] : []), ...[...target, ...parts].flatMap(propertiesOf)];
}

/**
 * What the contract names of the value of a field: an object without the fields that a target has beside those of the contract, which may be
 * other ones in each answer. Every other value as it is.
 */
export function namedPart(name: string, value: unknown): unknown {
  const fields = fieldsOf.get(name);
  if (!fields || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([field]) => fields.has(field)));
}
