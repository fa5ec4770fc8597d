import type { RequirementId } from '../../generated/catalogue.ts';
import { contract } from '../../generated/contract.ts';
import { atPointer, ownValue } from './json.ts';
import { type SchemaFault, schemaFaults } from './schema.ts';
import { cut, show } from './show.ts';
import { typeNames } from './type-names.ts';

/** A place in a body that is not as the contract declares it, in the contract's words. */
export interface FaultyPlace {
  /** The place, such as `data.paidAt`. Empty: the whole body. */
  path: string;
  /** The value there. `undefined`: there is none. */
  value: unknown;
  /** The rule depends on the status that the body shows. */
  byStatus: boolean;
  /** The contract's rule, and what is there instead. */
  expected: string;
  actual: string;
  /** The requirement that the contract names for the rule, if it names one. */
  requirement: RequirementId | undefined;
}

/** Every place in which a body breaks the schema at a JSON pointer of the contract, one fault for each place. */
export function faultyPlaces(body: unknown, pointer: string): FaultyPlace[] {
  const all = schemaFaults(body, pointer);
  if (all.length === 0) return [];
  const byPath = new Map<string, SchemaFault[]>();
  for (const fault of all) byPath.set(fault.path, [...(byPath.get(fault.path) ?? []), fault]);
  const places = [...byPath].flatMap(([path, faults]) => {
    const decisive = decisiveOf(faults, at(body, path));
    return decisive ? [placeOf(path, decisive, faults, all, body)] : [];
  });
  // Every schema that is broken as a whole is broken at a place within; should it ever not be so, the whole body is the place.
  return places.length > 0 ? places : [wholeBody(body)];
}

const wholeBody = (body: unknown): FaultyPlace => ({
  path: '',
  value: body,
  byStatus: false,
  expected: 'a body as the contract declares it',
  actual: show(body),
  requirement: undefined,
});

/** Keywords that only sum up what other keywords found. */
const summaries = ['if', 'oneOf', 'anyOf', 'allOf', 'not'];

/** The fault that says most about its place; `undefined`: a place within it, or around it, says what is wrong. */
function decisiveOf(faults: readonly SchemaFault[], value: unknown): SchemaFault | undefined {
  const named = faults.filter((fault) => !summaries.includes(fault.keyword) && !isNullBranch(fault));
  // Where the status asks for a value and one is there, only its form is wrong, on which the field itself has a rule of its own.
  const ofForm = named.filter((fault) => !(asksForValue(fault) && value !== undefined && value !== null));
  const telling = ofForm.length > 0 ? ofForm : named;
  const mistyped = telling.filter(({ keyword }) => keyword === 'type');
  return telling.find(isByStatus) ?? mistyped.find(isOfField) ?? mistyped[0] ?? telling[0];
}

/** The rule stands at the field itself, and not in a branch that the field may take. */
const isOfField = ({ schemaPath }: SchemaFault) => /\/properties\/[^/]+\/[^/]+$/.test(schemaPath);

/** The null of a schema that takes an object or null: the other branch says what is wrong with a value that is there. */
const isNullBranch = ({ keyword, rule, schemaPath }: SchemaFault) =>
  keyword === 'type' && rule === 'null' && /\/oneOf\/[0-9]+\/type$/.test(schemaPath);

const condition = /^(.*)\/(then|else)\//;
const isByStatus = ({ schemaPath }: SchemaFault) => condition.test(schemaPath);

/** The rule that a field has a value in a status, which stands there as the type of that value. */
const asksForValue = (fault: SchemaFault) => isByStatus(fault) && fault.keyword === 'type' && fault.rule !== 'null';

function placeOf(
  path: string,
  decisive: SchemaFault,
  faults: readonly SchemaFault[],
  all: readonly SchemaFault[],
  body: unknown,
): FaultyPlace {
  const value = path === '' ? body : at(body, path);
  const name = path || 'the body';
  // Text in the place of a number stands in quotation marks, which tell it from one.
  const isMistyped = decisive.keyword === 'type' && typeof value === 'string';
  const byStatus = isByStatus(decisive);
  const around = `${condition.exec(decisive.schemaPath)?.[1]}/if`;
  const conditional = all.find(({ schemaPath }) => schemaPath === around)?.requirement;
  return {
    path,
    value,
    byStatus,
    expected: `${name} ${inWords(decisive, faults, byStatus)}`,
    actual:
      value === undefined
        ? `${name} is absent`
        : `${name} = ${isMistyped ? JSON.stringify(cut(value, 300)) : show(value)}`,
    requirement: decisive.keyword === 'false schema' && conditional ? conditional : decisive.requirement,
  };
}

const at = (body: unknown, path: string): unknown => path.split('.').reduce(ownValue, body);

/** What a keyword asks for, as words behind the name of the field. */
function inWords({ path, keyword, rule }: SchemaFault, faults: readonly SchemaFault[], byStatus: boolean): string {
  const values = faults.filter((fault) => fault.keyword === 'const').map((fault) => show(fault.rule));
  switch (keyword) {
    case 'required':
      return 'is there';
    case 'false schema':
      return byStatus ? 'is absent in this status' : 'is absent';
    case 'type':
      if (byStatus) return rule === 'null' ? 'has no value before the payment succeeded' : 'has a value in this status';
      return `is ${[rule]
        .flat()
        .map((type) => typeNames[String(type)] ?? type)
        .join(' or ')}`;
    case 'const':
      return values.length > 1 ? `is one of ${values.join(', ')}` : `= ${values[0]}`;
    case 'enum':
      return `is one of ${[rule].flat().join(', ')}`;
    case 'minLength':
      return 'is not empty';
    case 'minimum':
      return `is ${rule} or more`;
    case 'format':
      return 'is an absolute address';
    case 'pattern':
      return formInWords(path, rule);
    default:
      return 'is as the contract declares it';
  }
}

function formInWords(path: string, rule: unknown): string {
  const name = path.split('.').at(-1) ?? '';
  const utc = atPointer(contract, '/components/schemas/UtcDateTime/pattern');
  if (/(At|Time)$/.test(name)) return `is an ISO 8601 time${rule === utc ? ' in UTC' : ''}`;
  if (name === 'currency') return 'is a currency in upper-case letters and digits';
  if (name === 'network') return 'is a name in upper case';
  const [, most] = /\{1,([0-9]+)\}\)\?\$$/.exec(String(rule)) ?? [];
  return `is plain decimal text${most === undefined ? '' : ` with at most ${most} decimal places`}`;
}
