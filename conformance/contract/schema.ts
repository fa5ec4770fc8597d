import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { type RequirementId, requirements } from '../../generated/catalogue.ts';
import { contract } from '../../generated/contract.ts';
import { branches } from './branches.ts';
import { compareDecimals } from './decimals.ts';
import { atReference, isObject, type JsonObject, parseJson, stepsOfPointer, valueAt } from './json.ts';

/** A place in a value that breaks a schema of the contract. */
export interface SchemaFault {
  /** The place, such as `data.paidAt`. Empty: the whole value. */
  path: string;
  keyword: string;
  /** Where the keyword stands in the schema, as the validator names it: with `/then/` or `/else/` where the rule depends on another field. */
  schemaPath: string;
  /** The keyword's value in the schema. */
  rule: unknown;
  /** The requirement that the contract names for this rule, if it names one. */
  requirement: RequirementId | undefined;
}

// That the contract's schemas are well-formed is shown when it is built. Validating them again would take a third of a second at each start.
const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: true, validateSchema: false });
formats.default(ajv);
// int64 describes the size of a number. A JSON number is not checked against it.
ajv.addFormat('int64', true);
ajv.addKeyword({ keyword: 'x-decimal', type: 'string', schemaType: 'object', validate: withinBounds });
// The library knows this keyword as an annotation only. Here it is a rule.
ajv.removeKeyword('contentMediaType').addKeyword({
  keyword: 'contentMediaType',
  type: 'string',
  schemaType: 'string',
  validate: (mediaType: string, text: string) => mediaType !== 'application/json' || parseJson(text) !== undefined,
});
ajv.addSchema(contract, 'contract');

const compiled = new Map<string, ValidateFunction>();

/** Every place in which `value` breaks the schema at a JSON pointer of the bundled contract. The pointer is percent-encoded. */
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
    keyword: error.keyword,
    schemaPath: error.schemaPath,
    rule: error.schema,
    requirement: requirementOf(error, pointer),
  };
}

/**
 * The requirement of the keyword that failed. It stands at the keyword itself or at the closest schema around it. A schema
 * that several places refer to names no requirement: there it stands at the place of the value.
 */
function requirementOf(
  { parentSchema, keyword, instancePath }: ErrorObject,
  pointer: string,
): RequirementId | undefined {
  for (let schema: object | undefined = parentSchema; schema; schema = holders.get(schema)) {
    const found = namedAt(schema, keyword);
    if (found) return found;
  }
  let found: RequirementId | undefined;
  let schemas = branches(atReference(contract, pointer));
  for (const step of stepsOfPointer(instancePath)) {
    schemas = schemas.flatMap((schema) => branches(valueAt(schema, ['properties', step]) ?? schema.items));
    found = schemas.map((schema) => namedAt(schema, keyword)).find((named) => named !== undefined) ?? found;
  }
  return found;
}

/** The object or array around each object and array of the contract. Ajv names a schema only from its last reference on. */
const holders = new WeakMap<object, object>();
(function note(holder: object): void {
  for (const part of Object.values(holder)) {
    if (typeof part !== 'object' || part === null) continue;
    holders.set(part, holder);
    note(part);
  }
})(contract);

function namedAt(schema: unknown, keyword: string): RequirementId | undefined {
  if (!isObject(schema)) return undefined;
  const named = schema['x-requirement'];
  const id = isObject(named) ? namedFor(named, keyword) : named;
  return requirements.find((requirement) => requirement.id === id)?.id;
}

/**
 * The entry of an `x-requirement` map for a keyword, or for a keyword with parts, such as x-decimal.minimum. `x-decimal.number` is left
 * out: text that is no number breaks the pattern of the same field, and never a bound.
 */
function namedFor(named: JsonObject, keyword: string): unknown {
  const parts = Object.keys(named).filter((each) => each !== 'x-decimal.number');
  const key = parts.find((each) => each === keyword || each.startsWith(`${keyword}.`));
  return key === undefined ? undefined : named[key];
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
