import { type Constraint, constraints, type Requirement } from '../../generated/catalogue.ts';
import { type JsonObject, setAt, valueAt } from '../contract/json.ts';
import { contractOperation } from '../contract/operations.ts';
import { schemaFaults } from '../contract/schema.ts';
import { type Candidates, candidates } from './candidates.ts';

/** A constraint on a request's body, with an example of the contract that shows the field. */
export interface ProbedConstraint {
  constraint: Constraint;
  /** Where the schema of the body stands in the contract. */
  schema: string;
  example: JsonObject;
}

/** How many values beyond a constraint are sent at most. */
const mostBroken = 3;

const compositions = ['allOf', 'anyOf', 'oneOf'];

/** Every constraint on the body of an operation, given by its name, that can be broken and whose field an example has. */
export function probedConstraints(operation: string): ProbedConstraint[] {
  const { bodySchema: schema, examples } = contractOperation(operation);
  if (schema === undefined) return [];
  return constraints
    .filter((constraint) => constraint.operation === operation && constraint.in === 'body')
    .flatMap((constraint) => {
      const example = examples.find((each) => valueAt(each, constraint.path) !== undefined);
      return example ? [{ constraint, schema, example }] : [];
    })
    .filter((probed) => probeValues(probed, probed.example).broken.length > 0);
}

/** Fields whose values a payment method of the merchant may refuse although the constraint allows them. */
const boundByPaymentMethods = ['checkout.create.orderAmount.value', 'checkout.create.orderAmount.currency'];

/**
 * Whether values at the edge of a constraint must be accepted. Where the specification leaves the edges open, or a rule of
 * the merchant binds the field too, only values beyond the constraint are judged.
 */
export function areEdgesJudged({ operation, path }: Constraint, { level, openPoint }: Requirement): boolean {
  return level === 'MUST' && openPoint === undefined && !boundByPaymentMethods.includes([operation, ...path].join('.'));
}

/** The values to send for a constraint in a right body, chosen by their faults against the contract. */
export function probeValues({ constraint, schema }: Omit<ProbedConstraint, 'example'>, body: unknown): Candidates {
  const { allowed, broken } = candidates(constraint, valueAt(body, constraint.path));
  const effects = broken.map((value) => ({
    value,
    ...effect(constraint, schema, setAt(body, constraint.path, value)),
  }));
  const breaking = effects.filter(({ own }) => own);
  // A constraint that follows from another one at the same place cannot be broken alone; then both are broken.
  const alone = breaking.filter(({ others }) => !others);
  const chosen = (alone.length > 0 ? alone : breaking).slice(0, mostBroken);
  return {
    allowed: allowed.filter((value) => schemaFaults(setAt(body, constraint.path, value), schema).length === 0),
    broken: chosen.map(({ value }) => value),
  };
}

/** Whether a body breaks the constraint, and whether it breaks anything else. */
function effect({ path, keyword, requirement }: Constraint, schema: string, body: unknown) {
  const place = path.map((segment) => (segment === '*' ? '0' : segment)).join('.');
  const name = keyword.split('.')[0];
  const faults = schemaFaults(body, schema).map((fault) => ({
    own:
      fault.path === place &&
      (compositions.includes(keyword) || (fault.keyword === name && fault.requirement === requirement)),
    // A schema around the place fails because of the place, which is no other fault.
    around: compositions.includes(fault.keyword) || place.startsWith(`${fault.path}.`),
  }));
  return { own: faults.some(({ own }) => own), others: faults.some(({ own, around }) => !own && !around) };
}
