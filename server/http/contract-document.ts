import type { contract } from '../../generated/contract.ts';
import type { RoutedOperation } from './route-table.ts';

export type ContractDocument = typeof contract;

type Json = ContractDocument[string];
type JsonObject = Record<string, Json>;

/**
 * The contract in the form with which the validator takes least time: with one operation only, so that it has nothing to
 * look up; with every reference replaced by its target, since it goes through all components for every schema that it
 * compiles; and without the operation's answers, unless `responses` are to be validated too.
 */
export function validatedDocument(
  contract: ContractDocument,
  { path, method }: Pick<RoutedOperation, 'path' | 'method'>,
  responses: boolean,
): ContractDocument {
  const { webhooks: _sent, components: _inPlace, paths, ...rest } = contract;
  const item = isObject(paths) ? paths[path] : undefined;
  if (!isObject(item)) throw new Error(`the contract has no path ${path}`);
  const validated = Object.entries(item).flatMap(([name, value]): [string, Json][] => {
    if (name === method.toLowerCase()) return [[name, responses ? value : withoutResponses(value)]];
    return name === 'parameters' ? [[name, value]] : [];
  });
  return { ...rest, paths: resolved({ [path]: Object.fromEntries(validated) }, contract, new Map()) };
}

function withoutResponses(operation: Json): Json {
  if (!isObject(operation)) return operation;
  const { responses: _answers, ...rest } = operation;
  return rest;
}

/** A value with all its references replaced. Two references to one target become the same object. */
function resolved(value: Json, root: ContractDocument, known: Map<string, Json>): Json {
  if (Array.isArray(value)) return value.map((each) => resolved(each, root, known));
  if (!isObject(value)) return value;
  const { $ref: reference, ...beside } = value;
  if (typeof reference !== 'string') return mapValues(value, (each) => resolved(each, root, known));
  const target = known.get(reference) ?? resolved(referredTo(reference, root), root, known);
  known.set(reference, target);
  return Object.keys(beside).length > 0 && isObject(target) ? { ...target, ...beside } : target;
}

/** The target of a reference such as `#/components/schemas/Money`. */
function referredTo(reference: string, root: ContractDocument): Json {
  const found = reference
    .split('/')
    .slice(1)
    .reduce<Json | undefined>((at, name) => (isObject(at) ? at[name] : undefined), root);
  if (found === undefined) throw new Error(`the contract refers to ${reference}, which is not there`);
  return found;
}

function mapValues(value: Json, change: (each: Json) => Json): Json {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, change(each)]));
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
