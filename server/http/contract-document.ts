import type { contract } from '../../generated/contract.ts';

export type ContractDocument = typeof contract;

type Json = ContractDocument[string];
type JsonObject = Record<string, Json>;

/** What of the contract a validator looks at. */
export interface Validated {
  /** The path segment behind the merchant. */
  segment: string;
  /** Whether answers are held against the contract too. */
  responses: boolean;
}

/**
 * The contract as the validator takes least time with it: one area's paths, since it tries them one by one for every request;
 * each reference replaced by what it refers to, since it goes through all components for every schema that it compiles; and
 * without answers, unless those are `validated` too.
 */
export function validatedDocument(contract: ContractDocument, validated: Validated): ContractDocument {
  const { webhooks: _sent, components: _inPlace, paths, ...rest } = contract;
  const ofArea = Object.entries(isObject(paths) ? paths : {}).filter(([path]) => segmentOf(path) === validated.segment);
  const taken = validated.responses
    ? ofArea
    : ofArea.map(([path, item]): [string, Json] => [path, mapValues(item, withoutResponses)]);
  return { ...rest, paths: resolved(Object.fromEntries(taken), contract, new Map()) };
}

/** `orders` for `/api/v1/merchants/{merchantId}/orders/{merchantOrderId}`. */
function segmentOf(path: string): string | undefined {
  return path.split('/')[5];
}

function withoutResponses(operation: Json): Json {
  if (!isObject(operation)) return operation;
  const { responses: _answers, ...rest } = operation;
  return rest;
}

/** A value with all its references replaced. What is referred to twice is the same object in both places. */
function resolved(value: Json, root: ContractDocument, known: Map<string, Json>): Json {
  if (Array.isArray(value)) return value.map((each) => resolved(each, root, known));
  if (!isObject(value)) return value;
  const { $ref: reference, ...beside } = value;
  if (typeof reference !== 'string') return mapValues(value, (each) => resolved(each, root, known));
  const target = known.get(reference) ?? resolved(referredTo(reference, root), root, known);
  known.set(reference, target);
  return Object.keys(beside).length > 0 && isObject(target) ? { ...target, ...beside } : target;
}

/** What a reference such as `#/components/schemas/Money` means. */
function referredTo(reference: string, root: ContractDocument): Json {
  const found = reference
    .split('/')
    .slice(1)
    .reduce<Json | undefined>((at, step) => (isObject(at) ? at[step] : undefined), root);
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
