import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { type RequirementId, requirements } from '../../generated/catalogue.ts';
import { contract } from '../../generated/contract.ts';
import { compareDecimals } from './decimals.ts';

/** Something in a value that a schema of the contract does not allow. */
export interface SchemaFault {
  /** Where in the value, such as `data.paidAt`; empty for the whole. */
  path: string;
  /** What the schema wants there. */
  expected: string;
  keyword: string;
  /** The requirement that the contract names for it, where it names one. */
  requirement: RequirementId | undefined;
}

const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: true });
formats.default(ajv);
// int64 says how large a number may grow; JSON has no such type to hold it against.
ajv.addFormat('int64', true);
ajv.addKeyword({ keyword: 'x-decimal', type: 'string', schemaType: 'object', validate: withinBounds });
// Known to the library as an annotation only.
ajv.removeKeyword('contentMediaType').addKeyword({
  keyword: 'contentMediaType',
  type: 'string',
  schemaType: 'string',
  validate: (mediaType: string, text: string) => mediaType !== 'application/json' || isJson(text),
});
ajv.addSchema(contract, 'contract');

const compiled = new Map<string, ValidateFunction>();

/** Every fault of `value` against the schema at a JSON pointer of the bundled contract; none: an empty list. */
export function schemaFaults(value: unknown, pointer: string): SchemaFault[] {
  const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `contract#${pointer}` });
  compiled.set(pointer, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => toFault(error, pointer));
}

function toFault(error: ErrorObject, pointer: string): SchemaFault {
  const steps = error.instancePath.split('/').slice(1);
  const missing: unknown = error.keyword === 'required' ? Reflect.get(error.params, 'missingProperty') : undefined;
  if (typeof missing === 'string') steps.push(missing);
  return {
    path: steps.join('.'),
    expected: missing === undefined ? `${error.message ?? error.keyword}` : 'to be present',
    keyword: error.keyword,
    requirement: requirementOf(error, pointer),
  };
}

/**
 * The requirement at the keyword itself, else at the closest schema that holds it, else, since a schema that several places
 * refer to names none, at the place in the value.
 */
function requirementOf(
  { parentSchema, keyword, instancePath }: ErrorObject,
  pointer: string,
): RequirementId | undefined {
  for (let schema: unknown = parentSchema; isObject(schema); schema = holders.get(schema)) {
    const found = namedAt(schema, keyword);
    if (found) return found;
  }
  let found: RequirementId | undefined;
  let schemas = branches(valueAt(contract, pointer.split('/').slice(1)));
  for (const step of instancePath.split('/').slice(1)) {
    schemas = schemas.flatMap((schema) =>
      branches(valueAt(schema, ['properties', step]) ?? Reflect.get(schema, 'items')),
    );
    found = schemas.map((schema) => namedAt(schema, keyword)).find((named) => named !== undefined) ?? found;
  }
  return found;
}

/** What holds each object of the contract. Ajv names a schema by a path from the last reference on, which tells too little. */
const holders = new WeakMap<object, object>();
(function note(holder: object): void {
  for (const part of Object.values(holder)) {
    if (!isObject(part)) continue;
    holders.set(part, holder);
    note(part);
  }
})(contract);

/** A schema with those that it refers to and is composed of. */
function branches(schema: unknown): object[] {
  if (!isObject(schema)) return [];
  const reference: unknown = Reflect.get(schema, '$ref');
  const target = typeof reference === 'string' ? valueAt(contract, reference.split('/').slice(1)) : undefined;
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((name) => Reflect.get(schema, name) ?? []);
  return [schema, ...[target, ...parts].flatMap(branches)];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function namedAt(schema: unknown, keyword: string): RequirementId | undefined {
  if (!isObject(schema)) return undefined;
  const named: unknown = Reflect.get(schema, 'x-requirement');
  const id = isObject(named) ? namedFor(named, keyword) : named;
  return requirements.find((requirement) => requirement.id === id)?.id;
}

/** The entry of an `x-requirement` map for a keyword, or for a keyword with parts, such as x-decimal.minimum. */
function namedFor(named: object, keyword: string): unknown {
  const key = Object.keys(named).find((each) => each === keyword || each.startsWith(`${keyword}.`));
  return key === undefined ? undefined : Reflect.get(named, key);
}

function valueAt(document: unknown, steps: readonly string[]): unknown {
  let value = document;
  for (const step of steps) {
    if (!isObject(value)) return undefined;
    value = Reflect.get(value, decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  return value;
}

function withinBounds(bounds: Record<string, string>, text: string): boolean {
  if (!/^-?[0-9]+(\.[0-9]+)?$/.test(text)) return true;
  const { minimum, maximum, exclusiveMinimum } = bounds;
  return (
    (minimum === undefined || compareDecimals(text, minimum) >= 0) &&
    (maximum === undefined || compareDecimals(text, maximum) <= 0) &&
    (exclusiveMinimum === undefined || compareDecimals(text, exclusiveMinimum) > 0)
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
