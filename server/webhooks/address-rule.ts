import type { RequirementId } from '../../generated/catalogue.ts';
import type { RequestRule } from '../services/orders/rules.ts';
import { literalAddressProblem } from './address-guard.ts';

/** Refuses a request whose `field` names an address inside, where webhooks must not go. Names are looked at when they are used. */
export function addressRule<Field extends string>(
  field: Field,
  requirement: RequirementId,
): RequestRule<{ readonly [Key in Field]?: string }> {
  return {
    requirement,
    violation: (request) => {
      const url = request[field];
      const problem = url === undefined ? undefined : literalAddressProblem(url);
      return problem === undefined ? undefined : `${field}: ${problem}`;
    },
  };
}
