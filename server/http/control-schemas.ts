import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { closest } from 'fastest-levenshtein';
import type { components } from '../../generated/sandbox-control.ts';
import { contract } from '../../generated/sandbox-control-contract.ts';
import { SandboxRefusal } from '../services/control/sandbox-refusal.ts';

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
  return (value, place) => {
    const fits = ajv.compile<Schemas[Name]>(referenceTo(name));
    if (fits(value)) return value;
    const [first] = fits.errors ?? [];
    throw new SandboxRefusal('unprocessable', first ? describe(first, place) : 'the body does not fit');
  };
}

/** An error of the schema in words. The value itself is not repeated. */
function describe({ instancePath, keyword, message, params, parentSchema }: ErrorObject, place?: string): string {
  const fields = [...(place === undefined ? [] : [place]), ...instancePath.split('/').slice(1)];
  const where = fields.join('.') || 'body';
  if (keyword === 'additionalProperties') {
    const unknown = String(params.additionalProperty);
    const known = Object.keys(parentSchema?.properties ?? {});
    return `${where}: has no field ${unknown}; did you mean ${closest(unknown, known)}?`;
  }
  return `${where}: ${message ?? 'does not fit'} ${JSON.stringify(params)}`;
}

function propertiesOf(validate: ReturnType<typeof ajv.getSchema>): string[] {
  const schema: unknown = validate?.schema;
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return [];
  return Object.keys(Object(schema.properties));
}
