import { contract } from '../../generated/contract.ts';
import { atReference, isObject, type JsonObject } from './json.ts';

/** A schema of the contract together with the schemas that it refers to or is composed of. */
export function branches(schema: unknown): JsonObject[] {
  if (!isObject(schema)) return [];
  const target = typeof schema.$ref === 'string' ? atReference(contract, schema.$ref) : undefined;
  const parts = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((part) => part ?? []);
  return [schema, ...[target, ...parts].flatMap(branches)];
}
