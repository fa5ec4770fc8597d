import { valueClasses } from '../../../../conformance/values/classes/index.ts';
import type { ValueClass } from '../../../../conformance/values/classes/value-class.ts';
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
