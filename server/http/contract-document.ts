import type { contract } from '../../generated/contract.ts';

export type ContractDocument = typeof contract;

type Json = ContractDocument[string];

/** The contract without what it says of answers: the validator compiles that even when it is told to leave answers alone. */
export function withoutResponses(contract: ContractDocument): ContractDocument {
  const { webhooks: _sent, paths = {}, ...rest } = contract;
  return { ...rest, paths: mapValues(paths, (item) => mapValues(item, withoutAnswers)) };
}

function withoutAnswers(operation: Json): Json {
  if (typeof operation !== 'object' || operation === null || Array.isArray(operation)) return operation;
  const { responses: _answers, ...rest } = operation;
  return rest;
}

function mapValues(value: Json, change: (each: Json) => Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, change(each)]));
}
