import type { Check } from '../../check/check.ts';
import { fieldRuleChecks } from '../../checks/derived/field-rules.ts';
import { allChecks } from '../../checks/index.ts';

const ids = fieldRuleChecks.map(({ id }) => id);
/** The area and the keyword, which are the first and the last word of an id. */
const kindOf = (id: string) => `${id.split('.')[0]} ${id.split('.').at(-1)}`;
const kinds = ids.map(kindOf);
const repeated = new Set(ids.filter((id, index) => kinds.indexOf(kindOf(id)) !== index));

/**
 * What `npm test` holds against conforming servers: one check for each kind of constraint and area, since the others only look
 * at another field, and no random sequences, which take long. `npm run proof` takes every check.
 */
export const quickChecks: readonly Check[] = allChecks.filter(
  ({ id }) => !repeated.has(id) && !id.endsWith('.exploration'),
);
