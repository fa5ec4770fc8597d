import { constraints } from '../../generated/catalogue.ts';
import type { JsonObject } from '../contract/json.ts';
import { type ClassedValue, classedValues, probedConstraints } from './classed-values.ts';
import { valueClasses } from './classes/index.ts';
import type { ConstrainedValue, ValueClass } from './classes/value-class.ts';

// Parameters in headers, paths and queries, from the same classes as the fields of bodies.

/** A text for a parameter, with the class that it is from. */
export interface ParameterValue {
  valueClass: ValueClass;
  value: string;
}

/** The classes whose every value another careless reader takes for the right one. */
const nearlyRight = ['text.number-form', 'text.more-behind', 'text.escaped', 'text.wildcard'];

/** Every value of the classes that are nearly right, and one of each other class. */
function chosen(values: readonly ParameterValue[], random: () => number): ParameterValue[] {
  const classes = [...new Set(values.map(({ valueClass }) => valueClass))];
  return classes.flatMap((valueClass) => {
    const own = values.filter((each) => each.valueClass === valueClass);
    return nearlyRight.includes(valueClass.id) ? own : own.splice(Math.floor(random() * own.length), 1);
  });
}

/** What an HTTP library can send as the value of a header: blanks at its ends do not arrive, and control characters are refused. */
const sendable = /^[\x21-\x7e\x80-\xff]([\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/;

/** Values of every class that breaks the pattern of a header: all that are nearly right, and one of each other class. `sample` is right. */
export function wrongHeaderValues(header: string, sample: string, random: () => number): ParameterValue[] {
  const constraint = constraints.find(
    (each) => each.in === 'header' && each.path[0] === header && each.keyword === 'pattern',
  );
  if (!constraint) throw new Error(`the contract has no pattern for the header ${header}`);
  const values = breakingPattern({ constraint, sample, random, isRequired: true });
  return chosen(
    values.filter(({ value }) => sendable.test(value)),
    random,
  );
}

/**
 * Every value of every class that no id can be which `create` takes in `field`, each made from the id in a right body. A query has no
 * pattern of its own: an id that its create refuses cannot exist.
 */
export function impossibleIds(
  create: string,
  field: string,
  body: JsonObject,
  random: () => number,
): (ClassedValue & ParameterValue)[] {
  return probedConstraints(create)
    .filter(({ constraint: { path, keyword } }) => path.join('.') === field && /^(pattern|m..Length)$/.test(keyword))
    .flatMap((probed) => classedValues(probed, body, random))
    .flatMap(({ value, ...classed }) =>
      classed.expected === 'refused' && typeof value === 'string' && value !== '' ? [{ ...classed, value }] : [],
    );
}

/** Blanks and line ends around an id that a merchant gave may be overlooked where the contract gives the id no form. */
const overlooked = ['text.blank', 'text.line-feed-at-end'];

/**
 * Values of every class for an id to which the contract gives no form, each of them another id. `givenBy` says who chose the id. None for
 * an id that has other characters than the visible ones of ASCII.
 */
export function changedIds(id: string, random: () => number, givenBy: 'merchant' | 'platform'): ParameterValue[] {
  if (!/^[!-~]+$/.test(id)) return [];
  const marks = [...new Set(id.replace(/[A-Za-z0-9._~-]/g, ''))].map((mark) => `\\${mark}`).join('');
  const constraint = { keyword: 'pattern', value: `^[A-Za-z0-9._~${marks}-]{${id.length}}$` };
  const values = breakingPattern({ constraint, sample: id, random, isRequired: true });
  const changed = chosen(
    values.filter(({ valueClass, value }) => value !== '' && !overlooked.includes(valueClass.id)),
    random,
  );
  const near = [
    ...changed,
    ...withUnderscore(id),
    ...inAlikeLetters(id),
    ...(givenBy === 'platform' ? withMoreAround(id) : []),
  ];
  return givenBy === 'merchant' || mixesCases(id) ? [...near, ...inOtherCase(id)] : near;
}

/**
 * The longest run of letters and digits has letters of both cases. In letters of one case a platform may write numbers whose digits it
 * reads in either, such as hexadecimal ones.
 */
export function mixesCases(id: string): boolean {
  const [longest = ''] = (id.match(/[a-z0-9]+/gi) ?? []).sort((one, other) => other.length - one.length);
  return /[a-z]/.test(longest) && /[A-Z]/.test(longest);
}

/** Longer ids than one of the platform's that a careless reader takes for it, because it leaves out what stands behind or before it. */
export function longerIds(id: string): readonly string[] {
  const behind = [' ', '\t', '\n', '\0', '.', '/', '%20'].map((end) => `${id}${end}`);
  return [...behind, ` ${id}`, `/${id}`, `"${id}"`];
}

const withMoreAround = (id: string) => [
  ...ofClass(
    'text.more-behind',
    longerIds(id).filter((each) => each.startsWith(id)),
    id,
  ),
  ...ofClass(
    'text.longer',
    longerIds(id).filter((each) => !each.startsWith(id)),
    id,
  ),
];

const inOtherCase = (id: string) => ofClass('text.other-case', [id.toLowerCase(), id.toUpperCase()], id);

/** An id that a search with LIKE takes for `id`: the wildcard is a character that ids may have. */
const withUnderscore = (id: string) => ofClass('text.wildcard', [`${id.slice(0, -1)}_`], id);

/** Ids that a database takes for `id` which compares letters without their marks or their width. */
const inAlikeLetters = (id: string) =>
  ofClass(
    'text.other-script',
    [
      id.replace(/[aceinosuyz]/i, (letter) => `${letter}\u0301`.normalize('NFC')),
      id.replace(/[a-z0-9]/i, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
    ],
    id,
  );

/** Those of the values that are not the id itself, as ones of a class. */
function ofClass(classId: string, values: readonly string[], id: string): ParameterValue[] {
  return valueClasses
    .filter((valueClass) => valueClass.id === classId)
    .flatMap((valueClass) => values.map((value) => ({ valueClass, value })))
    .filter(({ value }) => value !== id);
}

function breakingPattern(of: ConstrainedValue): ParameterValue[] {
  const pattern = new RegExp(String(of.constraint.value));
  return valueClasses
    .filter(({ keywords, keeps, free }) => keywords.includes('pattern') && !keeps && free === undefined)
    .flatMap((valueClass) => valueClass.make(of).map((value) => ({ valueClass, value: String(value) })))
    .filter(({ value }) => !pattern.test(value));
}
