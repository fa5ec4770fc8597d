import type { Constraint } from '../../generated/catalogue.ts';
import type { JsonObject } from '../contract/json.ts';
import { contractOperation, contractOperations } from '../contract/operations.ts';
import { type ClassedValue, classedValues, probedConstraints } from './classed-values.ts';
import { changedIds, impossibleIds, type ParameterValue, wrongHeaderValues } from './parameters.ts';

/** How many values there are for the constraints of one kind in one place of requests. */
export interface ValueCount {
  place: Constraint['in'];
  /** The keyword of the contract, or what a parameter is compared with where the contract sets none for it. */
  kind: string;
  /** How many constraints or parameters have values. */
  constraints: number;
  classes: number;
  values: number;
  /** How many of the values must be refused, and how many accepted; what is left over is free. */
  refused: number;
  accepted: number;
}

/** The middle of every range, as for the examples of the contract. */
const middle = () => 0.5;

/** Ids of the forms that the reference server gives, for the parameters of a refund query. */
const refundIds: Readonly<Record<string, string>> = {
  refundOrderId: 'ref.3n5p7r9tavcxe2g4h6j8kmqswy',
  merchantRefundOrderId: 'shop-2026-000017-refund-1',
  acquiringOrderId: 'ord.7k2m4q6s8ua3c5e7g9jbdfhkmn',
};

type Counted = Pick<ClassedValue, 'valueClass' | 'expected'>;

/** The values that the suite derives from the examples of the contract, by place and by kind of constraint. A run has other ids and times. */
export function countValues(): ValueCount[] {
  const refused = (values: readonly ParameterValue[]): Counted[] =>
    values.map(({ valueClass }) => ({ valueClass, expected: 'refused' }));
  const bodies = contractOperations.flatMap(({ name }) =>
    probedConstraints(name).map((probed) => ({
      keyword: probed.constraint.keyword,
      values: classedValues(probed, probed.example),
    })),
  );
  const keywords = [...new Set(bodies.map(({ keyword }) => keyword))];
  return [
    ...keywords.map((keyword) => {
      const own = bodies.filter((each) => each.keyword === keyword);
      const values = own.flatMap((each) => each.values);
      return count('body', keyword, own.length, values);
    }),
    count('header', 'pattern', 1, refused(wrongHeaderValues('X-Timestamp', '1767261600123', middle))),
    count(
      'path',
      'ids that no order can have',
      2,
      ['orders.create', 'checkout.create'].flatMap((create) =>
        refused(impossibleIds(create, 'merchantOrderId', exampleOf(create), middle)),
      ),
    ),
    count(
      'query',
      'ids that are nearly those of a refund',
      Object.keys(refundIds).length,
      Object.entries(refundIds).flatMap(([name, id]) =>
        refused(changedIds(id, middle, name === 'merchantRefundOrderId' ? 'merchant' : 'platform')),
      ),
    ),
  ];
}

function exampleOf(operation: string): JsonObject {
  const [example] = contractOperation(operation).examples;
  if (!example) throw new Error(`the contract has no example of ${operation}`);
  return example;
}

function count(place: ValueCount['place'], kind: string, constraints: number, values: readonly Counted[]): ValueCount {
  const expected = (wanted: Counted['expected']) => values.filter((each) => each.expected === wanted).length;
  return {
    place,
    kind,
    constraints,
    classes: new Set(values.map(({ valueClass }) => valueClass.id)).size,
    values: values.length,
    refused: expected('refused'),
    accepted: expected('accepted'),
  };
}
