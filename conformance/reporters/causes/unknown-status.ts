import type { RequirementId } from '../../../generated/catalogue.ts';
import { isObject, parseJson, valueAt } from '../../contract/json.ts';
import { statusesOf } from '../../contract/statuses.ts';
import type { CheckReport } from '../../run/report.ts';
import { shownExchange } from '../exchange-text.ts';
import type { Asked, Call } from './calls.ts';
import type { Named } from './named.ts';
import { sentenceCause } from './single-check.ts';

/**
 * The cause of a check that finds fault with a status which the contract does not have: the sentence that says which there are, whatever the check
 * asks for.
 */
export function unknownStatusCause({ check, calls }: Asked): Named | undefined {
  const shown = shownExchange(check);
  const call = calls.find(({ exchange }) => exchange === shown);
  if (!call || !statusesIn(call).some((status) => isUnknown(status, call) && tellsOf(status, check))) return undefined;
  const values: RequirementId = `${call.operation.area}.states.values`;
  return sentenceCause({ brokenRequirement: values });
}

/** The statuses of what an answer shows, which may be a list. */
function statusesIn({ accepted, exchange }: Call): string[] {
  const data = accepted ? valueAt(parseJson(exchange.response?.body ?? ''), ['data']) : undefined;
  return [data].flat().flatMap((view) => (isObject(view) && typeof view.status === 'string' ? [view.status] : []));
}

/** One example of the contract shows a new hosted order as PENDING. */
const isUnknown = (status: string, { operation }: Call): boolean =>
  !statusesOf(operation.area).includes(status) && !(operation.name === 'orders.create' && status === 'PENDING');

/** Whether a check tells of a status: as what it found, or as a word of why it has no verdict. */
const tellsOf = (status: string, { reason, actual }: CheckReport): boolean =>
  reason === null
    ? actual?.includes(`status = ${status}`) === true
    : reason.split(/[^\p{L}\p{N}_-]+/u).includes(status);
