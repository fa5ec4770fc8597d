import type { RequirementId } from '../../generated/catalogue.ts';
import type { RequestRule } from '../services/orders/rules.ts';
import type { Guard } from './address-guard.ts';

/**
 * Refuses a request whose `field` is a URL to which the guard lets no webhook go, so that what is accepted can be delivered.
 * Host names are checked later, when they are resolved.
 */
export function addressRule<Field extends string>(
  field: Field,
  requirement: RequirementId,
  guard: Pick<Guard, 'addressProblem'>,
): RequestRule<{ readonly [Key in Field]?: string }> {
  return {
    requirement,
    violation: (request) => {
      const url = request[field];
      const problem = url === undefined ? undefined : guard.addressProblem(url);
      return problem === undefined ? undefined : `${field}: ${problem}`;
    },
  };
}
