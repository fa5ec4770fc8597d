import { contract } from '../../generated/contract.ts';
import { branches } from './branches.ts';
import { atPointer, isObject, ownValue } from './json.ts';

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
  return branches(schema).flatMap(({ properties }) => (isObject(properties) ? [properties] : []));
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

/** Whether a value has a field, however deep in it, that a schema of the contract does not name. */
export function hasUnnamedField(value: unknown, schema: unknown): boolean {
  if (Array.isArray(value)) {
    const entries = branches(schema).flatMap(({ items }) => items ?? []);
    return value.some((entry) => entries.every((each) => hasUnnamedField(entry, each)));
  }
  if (!isObject(value)) return false;
  const named: unknown = Object.assign({}, ...propertiesOf(schema));
  return Object.entries(value).some(([name, held]) => {
    const schemaOfHeld = ownValue(named, name);
    return schemaOfHeld === undefined || hasUnnamedField(held, schemaOfHeld);
  });
}
