import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { components } from '../../generated/sandbox-control.ts';
import { contract } from '../../generated/sandbox-control-contract.ts';
import { SandboxRefusal } from '../services/control/sandbox-refusal.ts';
import { didYouMean } from '../services/did-you-mean.ts';

type Schemas = components['schemas'];

// The document is not held against the schema of schemas: that would take longer than all else here.
const ajv = new Ajv2020({ strict: false, verbose: true, validateSchema: false }).addSchema(contract, 'control');

/** The `operationId` of every operation of the control API that takes no body. */
export const operationsWithoutBody: ReadonlySet<string> = new Set(
  Object.values(Object(contract.paths)).flatMap((path) =>
    Object.values(Object(path)).flatMap((operation) => {
      const { operationId, requestBody } = Object(operation);
      return typeof operationId === 'string' && requestBody === undefined ? [operationId] : [];
    }),
  ),
);

/** The names of a merchant's settings. */
export function settingNames(): readonly string[] {
  return propertiesOf(ajv.getSchema('control#/components/schemas/MerchantSettings'));
}

/** References to schemas, by name. Ajv compiles the same object only once, so all servers of a process share what takes a while. */
const references = new Map<string, { $ref: string }>();

function referenceTo(name: string): { $ref: string } {
  const reference = references.get(name) ?? { $ref: `control#/components/schemas/${name}` };
  references.set(name, reference);
  return reference;
}

/**
 * Reads values that fit a schema of the control API's document; throws a `SandboxRefusal` for one that does not, which says
 * where: `place` stands for the value as a whole. The schema is compiled when the first value comes.
 */
export function bodyReader<Name extends keyof Schemas>(name: Name): (value: unknown, place?: string) => Schemas[Name] {
  const alternatives = alternativesOf(name);
  return (value, place) => {
    // Held against all alternatives, a value would be refused for what it lacks of the first.
    const alternative = alternatives.get(Object(value).type);
    if (alternatives.size > 0 && alternative === undefined) {
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      const types = [...alternatives.keys()].join(', ');
      throw new SandboxRefusal(
        'unprocessable',
        isObject ? `type: must be one of ${types}` : `${place ?? 'body'}: must be an object`,
      );
    }
    const fits = ajv.compile<Schemas[Name]>(referenceTo(alternative ?? name));
    if (fits(value)) return value;
    const [first] = fits.errors ?? [];
    throw new SandboxRefusal('unprocessable', first ? describe(first, place) : 'the body does not fit');
  };
}

/** The parts of a schema by which an alternative is chosen. */
interface ChosenByType {
  oneOf?: readonly { $ref: string }[];
  properties?: { type?: { const?: string } };
}

const schemas: Readonly<Record<string, ChosenByType | undefined>> = Object(contract.components).schemas;

/** The names of a schema's alternatives by the `type` of their values; none where it has no alternatives. */
function alternativesOf(name: string): ReadonlyMap<string | undefined, string> {
  const names = (schemas[name]?.oneOf ?? []).map(({ $ref }) => $ref.slice($ref.lastIndexOf('/') + 1));
  return new Map(names.map((each) => [schemas[each]?.properties?.type?.const, each]));
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

/** What a keyword asks of a value. */
const duties: Readonly<Record<string, (bound: unknown) => string>> = {
  type: (type) => `must be ${typeNames[String(type)] ?? type}`,
  enum: (values) => `must be one of ${[values].flat().join(', ')}`,
  minimum: (bound) => `must be at least ${bound}`,
  maximum: (bound) => `must be at most ${bound}`,
  exclusiveMinimum: (bound) => `must be above ${bound}`,
  minLength: (bound) => (bound === 1 ? 'must not be empty' : `must have at least ${bound} characters`),
  maxLength: (bound) => `must have at most ${bound} characters`,
};

/** An error of the schema in words. The value itself is not repeated. */
function describe(error: ErrorObject, place?: string): string {
  const { instancePath, keyword, message, params, schema, parentSchema } = error;
  const missing = keyword === 'required' ? [String(params.missingProperty)] : [];
  const fields = [...(place === undefined ? [] : [place]), ...instancePath.split('/').slice(1), ...missing];
  const where = fields.join('.') || 'body';
  if (keyword === 'required') return `${where}: is missing`;
  if (keyword === 'additionalProperties') {
    const unknown = String(params.additionalProperty);
    const known = Object.keys(parentSchema?.properties ?? {});
    return `${where}: has no field ${unknown}${didYouMean(unknown, known)}`;
  }
  // Nobody reads a form off its pattern, so its description says it.
  if (keyword === 'pattern') return `${where}: has the wrong form. ${String(parentSchema?.description).trim()}`;
  return `${where}: ${duties[keyword]?.(schema) ?? message ?? 'does not fit'}`;
}

function propertiesOf(validate: ReturnType<typeof ajv.getSchema>): string[] {
  const schema: unknown = validate?.schema;
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return [];
  return Object.keys(Object(schema.properties));
}
