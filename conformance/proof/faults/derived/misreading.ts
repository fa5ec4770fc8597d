import type { Constraint } from '../../../../generated/catalogue.ts';
import type { AppParts } from '../../../../server/app.ts';
import { isObject, setAt } from '../../../contract/json.ts';
import { contractOperations } from '../../../contract/operations.ts';
import { schemaFaults } from '../../../contract/schema.ts';
import {
  type ClassedValue,
  classedValues,
  type ProbedConstraint,
  probedConstraints,
  requirementOf,
} from '../../../values/classed-values.ts';
import { readingBodies } from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';

/** The constraints that a check judges, with an example of a request that keeps them. */
export const judged = contractOperations
  .flatMap(({ name }) => probedConstraints(name))
  .filter(({ constraint }) => requirementOf(constraint).level === 'MUST');

/** The rules beside the constraints would refuse a value that was made up for one field. */
export const noRules = (parts: AppParts): AppParts => ({
  ...parts,
  rules: { createOrder: [], createCheckoutOrder: [], createRefund: [] },
});

/** The body with `change` made to every value at a path, in each entry of a list. A field that is absent stays so. */
function changedAt(body: unknown, [step, ...rest]: readonly string[], change: (value: unknown) => unknown): unknown {
  if (step === undefined) return change(body);
  if (step === '*') return Array.isArray(body) ? body.map((entry) => changedAt(entry, rest, change)) : body;
  if (!isObject(body) || !Object.hasOwn(body, step)) return body;
  return { ...body, [step]: changedAt(body[step], rest, change) };
}

/** A change of texts; every other value stays as it is. */
export const inText = (change: (text: string) => unknown) => (value: unknown) =>
  typeof value === 'string' ? change(value) : value;

const kebab = (id: string) => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('.', '-');
const fieldOf = ({ path }: Constraint) => path.filter((step) => step !== '*').join('.');

/**
 * A server that reads the values of one field as `change` makes them. None where every value that must be refused breaks the contract even
 * then, so that nobody could tell the server from a right one.
 */
export function misreading(
  probed: ProbedConstraint,
  name: string,
  title: string,
  change: (value: unknown) => unknown,
): Fault[] {
  const { constraint, schema, example } = probed;
  const { operation, path } = constraint;
  const shows = ({ expected, value }: ClassedValue) =>
    expected === 'refused' &&
    value !== undefined &&
    schemaFaults(setAt(example, path, change(value)), schema).length === 0;
  if (!classedValues(probed, example).some(shows)) return [];
  return [
    faultOf(constraint, name, title, {
      parts: noRules,
      merchantApi: readingBodies(operation, (body) => changedAt(body, path, change)),
    }),
  ];
}

/** The same servers with the rules beside the constraints: what they make of a value must fit these too. */
export const keepingRules = (faults: readonly Fault[]): Fault[] =>
  faults.map(({ make: { parts: _noRules, ...make }, ...fault }) => ({ ...fault, make }));

/** A fault that the check of a constraint must find. `name` begins its id. */
export function faultOf(constraint: Constraint, name: string, title: string, make: Fault['make']): Fault {
  const { id } = constraint;
  return {
    id: `${name}-${kebab(id)}`,
    title: `${title} (${fieldOf(constraint)}).`,
    breaks: constraint.requirement,
    caughtBy: id,
    make,
  };
}

/** The judged constraints with one of these keywords. */
export const of = (...keywords: string[]) => judged.filter(({ constraint }) => keywords.includes(constraint.keyword));
