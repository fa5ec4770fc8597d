import { valueClasses } from '../../../../conformance/values/classes/index.ts';
import type { ValueClass } from '../../../../conformance/values/classes/value-class.ts';
import { countValues } from '../../../../conformance/values/counts.ts';
import { openPointLink } from '../catalogue-links.ts';
import { code, table, text } from '../markdown.ts';
import type { Part } from './part.ts';

function standing({ free, keeps }: ValueClass): string {
  if (free !== undefined) return `free (${openPointLink(free)})`;
  return keeps ? 'accepted' : 'refused';
}

/** `value-classes`: every class of values that the suite tries in requests, with its derivation and what the contract says of it. */
export const valueClassTable: Part = {
  options: {},
  make: () =>
    table(
      ['Class', 'Values', 'From', 'The contract wants it'],
      valueClasses.map((each) => [
        code(each.id),
        text(each.derivation),
        each.keywords.map(code).join(', '),
        standing(each),
      ]),
    ),
};

/** `value-counts`: how many values of how many classes there are, by place and by kind of constraint. */
export const valueCountTable: Part = {
  options: {},
  make: () => {
    const counts = countValues();
    const sum = (name: 'constraints' | 'values' | 'refused' | 'accepted') =>
      String(counts.reduce((total, each) => total + each[name], 0));
    return table(
      ['Place', 'Kind', 'Constraints', 'Classes', 'Values', 'Must be refused', 'Must be accepted'],
      [
        ...counts.map(({ place, kind, constraints, classes, values, refused, accepted }) => [
          place,
          kind.includes(' ') ? text(kind) : code(kind),
          ...[constraints, classes, values, refused, accepted].map(String),
        ]),
        ['all', '', sum('constraints'), '', sum('values'), sum('refused'), sum('accepted')],
      ],
    );
  },
};
