import type { Check } from '../../check/check.ts';
import { fieldRuleChecks } from '../../checks/derived/field-rules.ts';
import { allChecks } from '../../checks/index.ts';

const kindOf = ({ area, id }: Check) => `${area} ${id.split('.').at(-1)}`;
const kinds = fieldRuleChecks.map(kindOf);
const repeated = new Set(fieldRuleChecks.filter((check, index) => kinds.indexOf(kindOf(check)) !== index));

/**
 * What `npm test` holds against conforming servers: one check for each kind of constraint and area, since the others only look
 * at another field, and no random sequences, which take long. `npm run proof` takes every check.
 */
export const quickChecks: readonly Check[] = allChecks.filter(
  (check) => !repeated.has(check) && !check.id.endsWith('.exploration'),
);
