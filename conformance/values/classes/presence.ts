import { isObject } from '../../contract/json.ts';
import type { ValueClass } from './value-class.ts';

/** A value that no reading turns into the type of the sample, and that is not null. */
export function ofOtherStructure(sample: unknown): unknown[] {
  if (Array.isArray(sample)) return [{ text: 'text' }];
  if (typeof sample === 'object') return ['text', 17, ['text', 'text']];
  if (typeof sample === 'number') return ['text', { text: 'text' }, ['text', 'text']];
  return [{ text: 'text' }, ['text', 'text']];
}

const isTypeOf = (types: unknown, type: string) =>
  [types].flat().includes(type) || (type === 'number' && [types].flat().includes('integer'));

/** A class of values of another JSON type. */
const typeClass = (name: string, title: string, derivation: string, make: ValueClass['make']): ValueClass => ({
  id: `type.${name}`,
  title,
  keywords: ['type'],
  derivation,
  free: 'field-forms',
  make,
});

/** Fields that are left out, and values of another JSON type than the contract's. */
export const presenceClasses: readonly ValueClass[] = [
  {
    id: 'presence.absent',
    title: 'absent',
    keywords: ['required'],
    derivation: 'The field is left out.',
    make: () => [undefined],
  },
  {
    id: 'presence.null',
    title: 'null in a required field',
    keywords: ['required'],
    derivation: 'Null stands in the place of the required value.',
    make: () => [null],
  },
  {
    id: 'presence.other-structure',
    title: 'of a structure that cannot stand for the required value',
    keywords: ['required'],
    derivation:
      'An object or a list of two texts stands for a text, a text for an object, an object for a list, letters for a number.',
    make: ({ sample }) => ofOtherStructure(sample),
  },
  typeClass('null', 'null in an optional field', 'Null stands in the place of an optional value.', (of) =>
    of.isRequired || isTypeOf(of.constraint.value, 'null') ? [] : [null],
  ),
  typeClass(
    'number-for-text',
    'a number in the place of text',
    'A number stands for a text: the one that the text shows, or any.',
    ({ constraint, sample }) =>
      isTypeOf(constraint.value, 'string') ? [Number.isFinite(Number(sample)) ? Number(sample) : 17] : [],
  ),
  typeClass('truth-value', 'a truth value', 'A truth value stands for every other value.', () => [true]),
  typeClass(
    'text-for-number',
    'a number as text',
    'The text of a number stands for the number.',
    ({ constraint, sample }) => (isTypeOf(constraint.value, 'number') ? [String(sample)] : []),
  ),
  typeClass(
    'text-for-list',
    'a single value in the place of a list',
    'A text or a number stands for a list.',
    ({ constraint }) => (isTypeOf(constraint.value, 'array') ? ['text', 17] : []),
  ),
  typeClass(
    'other-structure',
    'of another structure in an optional field',
    'An object or a list stands for a text, a text for an object, an object for a list.',
    (of) => (of.isRequired ? [] : ofOtherStructure(of.sample)),
  ),
];

/** Numbers that break the rule of a whole number, or lie beyond a bound. */
export const numberClasses: readonly ValueClass[] = [
  {
    id: 'number.fraction',
    title: 'a fraction where a whole number is due',
    keywords: ['type'],
    derivation: 'A half is added to the right number, and a half alone.',
    make: ({ constraint, sample }) =>
      [constraint.value].flat().includes('integer') ? [Number(sample) + 0.5, 0.5, Number(sample) + 1e-9] : [],
  },
  {
    id: 'number.at-bound',
    title: 'a number at the bound',
    keywords: ['minimum', 'maximum', 'exclusiveMinimum'],
    derivation: 'The bound itself, or the whole number beside a bound that is not permitted.',
    keeps: true,
    make: ({ constraint: { keyword, value } }) => [keyword === 'exclusiveMinimum' ? Number(value) + 1 : Number(value)],
  },
  {
    id: 'number.beyond-bound',
    title: 'a number beyond the bound',
    keywords: ['minimum', 'maximum', 'exclusiveMinimum'],
    derivation:
      'The next whole numbers beyond the bound, one far beyond what any integer type holds, and the bound where it is not permitted itself.',
    make: ({ constraint: { keyword, value } }) => {
      const [bound, step] = [Number(value), keyword === 'maximum' ? 1 : -1];
      const beyond = [bound + step, bound + 1000 * step, 1e30 * step];
      return keyword === 'exclusiveMinimum' ? [bound, ...beyond] : beyond;
    },
  },
];

/** Lists with too few or too many entries. */
export const listClasses: readonly ValueClass[] = [
  {
    id: 'list.beyond-bound',
    title: 'a list that is too short or too long',
    keywords: ['minItems', 'maxItems'],
    derivation: 'One entry fewer or one entry more than the bound, and twice as many.',
    make: ({ constraint: { keyword, value }, sample }) => {
      const bound = Number(value);
      return keyword === 'minItems'
        ? [entries(sample, bound - 1)]
        : [entries(sample, bound + 1), entries(sample, bound * 2)];
    },
  },
];

/** A list with `count` entries: those of the sample, then copies of its last object, or different texts. */
function entries(sample: unknown, count: number): unknown[] {
  const own: unknown[] = Array.isArray(sample) ? sample.slice(0, count) : [];
  const last = own.at(-1);
  if (isObject(last)) return Array.from({ length: count }, (_, index) => own[index] ?? last);
  return [...own, ...Array.from({ length: count - own.length }, (_, index) => `assay-no-such-entry-${index}`)];
}
