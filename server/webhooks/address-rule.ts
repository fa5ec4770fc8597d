import type { RequirementId } from '../../generated/catalogue.ts';
import type { RequestRule } from '../services/orders/rules.ts';
import { literalAddressProblem } from './address-guard.ts';

/** Refuses a request whose `field` is a URL that points to a private network. Host names are checked later, when they are resolved. */
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
