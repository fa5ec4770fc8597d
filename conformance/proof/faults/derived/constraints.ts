import { type Constraint, constraints, type Json } from '../../../../generated/catalogue.ts';
import type { AppParts } from '../../../../server/app.ts';
import { allChecks } from '../../../checks/index.ts';
import { addDecimals, compareDecimals } from '../../../contract/decimals.ts';
import { errorCode } from '../../../contract/error-codes.ts';
import { setAt, valueAt } from '../../../contract/json.ts';
import { contractOperation, contractOperations } from '../../../contract/operations.ts';
import { schemaFaults } from '../../../contract/schema.ts';
import {
  areEdgesJudged,
  classedValues,
  type ProbedConstraint,
  probedConstraints,
} from '../../../values/classed-values.ts';
import { bodyOf, isOf, isRightlySigned, objectAt, onlyFor, readingBodies, underContract } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';

/** A constraint that has its own check, with a request that satisfies it. */
interface Judged extends ProbedConstraint {
  /** Values at the constraint's path: some satisfy it and lie at its edge, others break it. */
  values: { allowed: unknown[]; broken: unknown[] };
}

/**
 * Constraints whose faults are elsewhere: no example names a refundable order, so no value can be made up here; and text that is no number
 * has to be read as some number before an order can be made of it.
 */
const hasFaultElsewhere = ({ id, keyword }: Constraint) =>
  id === 'refunds.create.acquiringOrderId.required' || keyword === 'x-decimal.number';

const judged: readonly Judged[] = contractOperations
  .flatMap(({ name }) => probedConstraints(name))
  .filter(({ constraint }) => !hasFaultElsewhere(constraint))
  .filter(({ constraint }) => allChecks.some(({ id, level }) => id === constraint.id && level !== 'MAY'))
  .map((probed) => ({ ...probed, values: valuesOf(probed) }));

function valuesOf(probed: ProbedConstraint): Judged['values'] {
  const values = classedValues(probed, probed.example);
  const which = (wanted: (typeof values)[number]['expected']) =>
    values.filter(({ expected }) => expected === wanted).map(({ value }) => value);
  return { allowed: which('accepted'), broken: which('refused') };
}

const nameOf = ({ path }: Constraint) => path.filter((step) => step !== '*').join('.');
const isSame = (left: readonly string[], right: readonly string[]) => left.join('/') === right.join('/');

/** Whether a body breaks a constraint of its schema. */
function breaks(body: unknown, schema: string, { path, keyword, requirement }: Constraint): boolean {
  const place = path.map((step) => (step === '*' ? '0' : step)).join('.');
  const [name] = keyword.split('.');
  // A composition reports the requirements of its parts; no other composition has its path.
  return schemaFaults(body, schema).some(
    (fault) =>
      fault.path === place && fault.keyword === name && (name === 'anyOf' || fault.requirement === requirement),
  );
}

/** Constraints at the same path that must be removed too before any of the breaking values can pass. */
function companions({ constraint, schema, example, values }: Judged): Constraint[] {
  const { id, operation, path } = constraint;
  const others = constraints.filter(
    (each) => each.id !== id && each.operation === operation && isSame(each.path, path),
  );
  const broken = values.broken.map((value) =>
    others.filter((other) => breaks(setAt(example, path, value), schema, other)),
  );
  return broken.some((each) => each.length === 0) ? [] : [...new Set(broken.flat())];
}

/** No rules: the rules beside the constraints would refuse some of the same values. */
const noRules: AppParts['rules'] = { createOrder: [], createCheckoutOrder: [], createRefund: [] };

/** A server without the given constraints. */
function without(deleted: readonly Constraint[]): (parts: AppParts) => AppParts {
  const pointers = deleted.map(({ pointer }) => pointer);
  const changed = underContract((document) => {
    for (const pointer of pointers) {
      const end = pointer.lastIndexOf('/');
      Reflect.deleteProperty(objectAt(document, pointer.slice(0, end)), pointer.slice(end + 1));
    }
  });
  return (parts) => ({
    ...changed(parts),
    rules: noRules,
    constraints: parts.constraints.filter(({ pointer }) => !pointers.includes(pointer)),
  });
}

/**
 * A server that uses the example's value in place of a missing or unreadable one. Deleting the constraint alone would
 * leave it without a value to work with.
 */
function makingUp({ constraint, schema, example }: Judged): Make {
  const { path, operation } = constraint;
  return {
    // The made-up value need not fit the other fields.
    parts: (parts) => ({ ...parts, rules: noRules }),
    merchantApi: readingBodies(operation, (body) =>
      breaks(body, schema, constraint) ? setAt(body, path, valueAt(example, path)) : body,
    ),
  };
}

/** Servers that lack one constraint of the contract. */
const missing: readonly Fault[] = judged.map((each) => {
  const { id, keyword, requirement } = each.constraint;
  const makesUp = keyword === 'required' || keyword === 'format';
  return {
    id: `constraint-missing-${kebab(id)}`,
    title: `Does not hold ${nameOf(each.constraint)} to its rule (${keyword}).`,
    breaks: requirement,
    caughtBy: id,
    make: makesUp ? makingUp(each) : { parts: without([each.constraint, ...companions(each)]) },
  };
});

/** For each keyword with bounds: the next stricter bound, and whether a value satisfies that bound. */
const stricter: Readonly<
  Record<string, { bound: (bound: Json) => Json; keeps: (value: unknown, bound: Json) => boolean }>
> = {
  minLength: { bound: (bound) => Number(bound) + 1, keeps: (value, bound) => String(value).length >= Number(bound) },
  maxLength: { bound: (bound) => Number(bound) - 1, keeps: (value, bound) => String(value).length <= Number(bound) },
  exclusiveMinimum: { bound: (bound) => Number(bound) + 1, keeps: (value, bound) => Number(value) > Number(bound) },
  'x-decimal.exclusiveMinimum': {
    bound: (bound) => addDecimals([String(bound), '0.01']),
    keeps: (value, bound) => compareDecimals(String(value), String(bound)) > 0,
  },
  enum: {
    bound: (values) => [values].flat().slice(0, -1),
    keeps: (value, values) => [values].flat().includes(String(value)),
  },
};

/** A server for which a constraint is one step stricter. */
function tightened({ pointer }: Constraint, bound: Json): (parts: AppParts) => AppParts {
  const end = pointer.lastIndexOf('/');
  const changed = underContract((document) => {
    objectAt(document, pointer.slice(0, end))[pointer.slice(end + 1)] = bound;
  });
  return (parts) => ({
    ...changed(parts),
    constraints: parts.constraints.map((each) => (each.pointer === pointer ? { ...each, value: bound } : each)),
  });
}

/** Servers that refuse values just within a bound. A constraint whose edges are not judged has no such server. */
const tooStrict: readonly Fault[] = judged.flatMap(({ constraint, example, values }): Fault[] => {
  const { id, keyword, path, value, requirement } = constraint;
  const rule = stricter[keyword];
  if (!rule || !areEdgesJudged(constraint) || values.allowed.length === 0) return [];
  const bound = rule.bound(value);
  // The check's valid request must pass, or the check could not judge, and one of its values must not.
  if (!rule.keeps(valueAt(example, path), bound) || values.allowed.every((each) => rule.keeps(each, bound))) return [];
  return [
    {
      id: `constraint-too-strict-${kebab(id)}`,
      title: `Draws the bound of ${nameOf(constraint)} one step too narrow (${keyword}).`,
      breaks: requirement,
      caughtBy: id,
      make: { parts: tightened(constraint, bound) },
    },
  ];
});

/** A server that answers in another way where a body breaks the constraint. */
function answeringAt({ constraint, schema }: Judged, status: number, instead: { code: string; message: string }): Make {
  return {
    merchantApi: onlyFor(
      (request) => isOf(constraint.operation)(request) && breaks(bodyOf(request), schema, constraint),
      async (request, server) => {
        const answer = await server.forward(request);
        if (!isRightlySigned(request, server)) return answer;
        return { ...answer, status, body: Buffer.from(JSON.stringify({ ...bodyOf(answer), ...instead })) };
      },
    ),
  };
}

/** A server that fails where a body breaks the constraint. */
function failingAt(each: Judged): Make {
  const { area } = contractOperation(each.constraint.operation);
  return answeringAt(each, 500, { code: errorCode(area, 'SYSTEM_ERROR'), message: 'the value could not be converted' });
}

/** Servers that fail at what they should refuse. Hosted orders may be refused with any code, and their HTTP status is judged in every answer. */
const failing: readonly Fault[] = judged
  .filter(({ constraint: { operation } }) => operation !== 'orders.create')
  .map((each) => {
    const { id, keyword, requirement } = each.constraint;
    return {
      id: `constraint-fails-${kebab(id)}`,
      title: `Fails with a system error where ${nameOf(each.constraint) || 'the body'} breaks its rule (${keyword}).`,
      breaks: requirement,
      caughtBy: id,
      make: failingAt(each),
    };
  });

/** Servers that refuse a text that is too long with the code for something else. */
const miscoded: readonly Fault[] = judged
  .filter(({ constraint: { keyword, operation } }) => keyword === 'maxLength' && operation === 'checkout.create')
  .map((each) => ({
    id: `constraint-miscoded-${kebab(each.constraint.id)}`,
    title: `Refuses ${nameOf(each.constraint)} that is too long as an order that it does not find.`,
    breaks: 'checkout.errors.invalid-parameter',
    caughtBy: each.constraint.id,
    make: answeringAt(each, 200, { code: errorCode('checkout', 'ORDER_NOT_FOUND'), message: 'not found' }),
  }));

function kebab(id: string): string {
  return id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('.', '-');
}

/** For each constraint that a check judges: a fault that leaves it out and, where possible, one that tightens it or fails at it. */
export const constraintFaults: readonly Fault[] = [...missing, ...tooStrict, ...failing, ...miscoded];
