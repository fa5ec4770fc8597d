import {
  type Constraint,
  constraints,
  type OpenPointId,
  type Requirement,
  requirements,
} from '../../generated/catalogue.ts';
import { type JsonObject, setAt, valueAt } from '../contract/json.ts';
import { contractOperation } from '../contract/operations.ts';
import { schemaFaults } from '../contract/schema.ts';
import { valueClasses } from './classes/index.ts';
import type { ValueClass } from './classes/value-class.ts';

/** A constraint on a request's body, with an example of the contract that shows the field. */
export interface ProbedConstraint {
  constraint: Constraint;
  /** JSON pointer to the schema of the whole value in which the constraint's path begins. */
  schema: string;
  example: JsonObject;
}

/** A value for a constraint, with its class and what the contract says of a request that has it. */
export interface ClassedValue {
  valueClass: ValueClass;
  value: unknown;
  /** Whether a request with the value must be refused or accepted. `free`: both are permitted. */
  expected: 'refused' | 'accepted' | 'free';
  /** The open point that leaves the value, or a part of the requirement, free. */
  openPoint?: OpenPointId;
}

/** Every constraint on the body of an operation, given by its name, that has values and whose field an example has. */
export function probedConstraints(operation: string): ProbedConstraint[] {
  const { bodySchema: schema, examples } = contractOperation(operation);
  if (schema === undefined) return [];
  return constraints
    .filter((constraint) => constraint.operation === operation && constraint.in === 'body')
    .flatMap((constraint) => {
      const example = examples.find((each) => valueAt(each, constraint.path) !== undefined);
      return example ? [{ constraint, schema, example }] : [];
    })
    .filter(({ constraint }) => valueClasses.some((each) => each.keywords.includes(constraint.keyword)));
}

/** The example of an operation's body that shows the most fields. Throws when the contract has none. */
export function fullestExample(operation: string): JsonObject {
  const { examples } = contractOperation(operation);
  const [fullest] = [...examples].sort((left, right) => Object.keys(right).length - Object.keys(left).length);
  if (!fullest) throw new Error(`the contract has no example of the body of ${operation}`);
  return fullest;
}

/** The requirement that a constraint names. Throws when the catalogue has none, which is a fault of the contract. */
export function requirementOf({ id, requirement }: Constraint): Requirement {
  const found = requirements.find((each) => each.id === requirement);
  if (!found) throw new Error(`the constraint ${id} names no requirement of the catalogue`);
  return found;
}

/**
 * Fields whose values the target may refuse although the constraint allows them: a payment method of the merchant binds them, or the
 * currency of an item may have to be that of the order (open point `item-currency`).
 */
const boundElsewhere = [
  'checkout.create.orderAmount.value',
  'checkout.create.orderAmount.currency',
  'orders.create.items.*.amount.currency',
];

/**
 * Whether values at the edge of a constraint must be accepted. Where the specification leaves the edges open, or another
 * rule binds the field too, only values beyond the constraint are judged.
 */
export function areEdgesJudged(constraint: Constraint): boolean {
  const { level, openPoint } = requirementOf(constraint);
  const field = [constraint.operation, ...constraint.path].join('.');
  return level === 'MUST' && openPoint === undefined && !boundElsewhere.includes(field);
}

/** The middle of every range, for those who need the same values each time. */
const always = () => 0.5;

/**
 * The values of every class for one constraint, in a body that keeps the contract. A class has only those of its values that break
 * this constraint and, where any does so alone, no other one.
 */
export function classedValues(
  probed: Omit<ProbedConstraint, 'example'>,
  body: unknown,
  random: () => number = always,
): ClassedValue[] {
  const { constraint } = probed;
  const { level, openPoint } = requirementOf(constraint);
  const sample = valueAt(body, constraint.path);
  const of = { constraint, sample, random, isRequired: isRequired(constraint) };
  return valueClasses
    .filter(({ keywords }) => keywords.includes(constraint.keyword))
    .flatMap((valueClass): ClassedValue[] => {
      const made = distinct(valueClass.make(of));
      if (valueClass.keeps) {
        if (!areEdgesJudged(constraint)) return [];
        return kept(probed, body, made).map((value) => ({ valueClass, value, expected: 'accepted' }));
      }
      const changed = made.filter((value) => value !== sample);
      const free = valueClass.free ?? (level === 'MAY' ? openPoint : undefined);
      const values = valueClass.free ? changed : breaking(probed, body, changed);
      return values.map((value) => ({
        valueClass,
        value,
        expected: free || level === 'MAY' ? 'free' : 'refused',
        ...((free ?? openPoint) && { openPoint: free ?? openPoint }),
      }));
    });
}

/**
 * Every value of every class for a right body of an operation, with the place where it stands: for those who choose among them, such as
 * a generator of random requests.
 */
export function allValues(
  operation: string,
  body: JsonObject,
  random: () => number,
): (ClassedValue & { constraint: Constraint })[] {
  return probedConstraints(operation)
    .filter(({ constraint }) => valueAt(body, constraint.path) !== undefined)
    .flatMap((probed) =>
      classedValues(probed, body, random).map((value) => ({ ...value, constraint: probed.constraint })),
    );
}

/** Whether a field must be given, wherever the object that holds it is given. */
export function isRequired({ operation, path }: Pick<Constraint, 'operation' | 'path'>): boolean {
  const place = path.join('.');
  return constraints.some(
    (each) => each.operation === operation && each.keyword === 'required' && each.path.join('.') === place,
  );
}

const distinct = (values: readonly unknown[]) => [
  ...new Map(values.map((value) => [JSON.stringify(value) ?? 'absent', value])).values(),
];

function kept({ constraint, schema }: Omit<ProbedConstraint, 'example'>, body: unknown, values: readonly unknown[]) {
  return values.filter((value) => schemaFaults(setAt(body, constraint.path, value), schema).length === 0);
}

function breaking(
  { constraint, schema }: Omit<ProbedConstraint, 'example'>,
  body: unknown,
  values: readonly unknown[],
): unknown[] {
  const effects = values.map((value) => ({
    value,
    ...effect(constraint, schema, setAt(body, constraint.path, value)),
  }));
  const own = effects.filter((each) => each.own);
  // A constraint that follows from another one at the same place cannot be broken alone; then both are broken.
  const alone = own.filter(({ others }) => !others);
  return (alone.length > 0 ? alone : own).map(({ value }) => value);
}

const compositions = ['allOf', 'anyOf', 'oneOf'];

/** Keywords whose wrong values are reported under other keywords of the schema: any fault of such a value shows that they are broken. */
const shownByOthers = ['required', 'x-decimal.number'];

/** Whether a body breaks the constraint, and whether it breaks anything else. */
function effect({ path, keyword, requirement }: Constraint, schema: string, body: unknown) {
  const place = path.map((segment) => (segment === '*' ? '0' : segment)).join('.');
  const name = keyword.split('.')[0];
  const faults = schemaFaults(body, schema).map((fault) => ({
    own:
      (fault.path === place &&
        (compositions.includes(keyword) || (fault.keyword === name && fault.requirement === requirement))) ||
      (shownByOthers.includes(keyword) && `${fault.path}.`.startsWith(`${place}.`)),
    // A schema around the place fails because of the place, which is no other fault.
    around: compositions.includes(fault.keyword) || place.startsWith(`${fault.path}.`),
  }));
  return { own: faults.some(({ own }) => own), others: faults.some(({ own, around }) => !own && !around) };
}
