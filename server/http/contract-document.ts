import type { contract } from '../../generated/contract.ts';

export type ContractDocument = typeof contract;

type Json = ContractDocument[string];

/** Where all paths of the contract begin; the segment of the area follows. */
const base = '/api/v1/merchants/{merchantId}/';

/**
 * The part of the contract that says what one area takes and, with `responses`, answers. The validator goes through the paths
 * of its document at every request, and compiles what it finds of answers even when it is told to leave them alone.
 */
export function areaDocument(contract: ContractDocument, segment: string, responses: boolean): ContractDocument {
  const { webhooks: _sent, paths = {}, ...rest } = contract;
  const ofArea = entriesOf(paths).filter(([path]) => path.slice(base.length).split('/')[0] === segment);
  const items = ofArea.map(([path, item]): [string, Json] => [path, responses ? item : withoutResponses(item)]);
  return { ...rest, paths: Object.fromEntries(items) };
}

/** A path item whose operations say nothing of their answers. */
function withoutResponses(item: Json): Json {
  const fields = entriesOf(item).map(([name, field]): [string, Json] => {
    if (typeof field !== 'object' || field === null || Array.isArray(field)) return [name, field];
    const { responses: _answers, ...operation } = field;
    return [name, operation];
  });
  return Object.fromEntries(fields);
}

function entriesOf(value: Json): [string, Json][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
