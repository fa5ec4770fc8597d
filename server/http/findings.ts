import { BadRequest } from 'express-openapi-validator/dist/framework/types.js';
import { type Constraint, type Requirement, requirements } from '../../generated/catalogue.ts';
import { Refusal, reasonOf } from '../services/refusal.ts';
import { generalPath, samePath, valuesAt } from './body-values.ts';

/** A part of a request that breaks a constraint. */
export interface Finding {
  /** Where it is, such as `/body/items/0/quantity`. */
  path: string;
  message: string;
  /** The keyword of the broken constraint. */
  keyword: string;
}

/**
 * The refusal of a request, made from an error of the validator; `undefined` for any other error.
 *
 * @param constraints those of the request's operation
 */
export function contractRefusal(
  error: unknown,
  body: unknown,
  constraints: readonly Constraint[],
): Refusal | undefined {
  if (!(error instanceof BadRequest)) return undefined;
  const [first] = error.errors;
  if (!first?.errorCode) return new Refusal('invalid-parameter', `request: ${first?.message ?? error.message}`);
  const keyword = first.errorCode.replace('.openapi.validation', '');
  const finding = { path: first.path, message: first.message, keyword };
  return findingRefusal(patternFinding(finding, body, constraints) ?? finding, constraints);
}

/**
 * The broken pattern of a text that is not one of the permitted values; `undefined` when the text keeps its pattern. The
 * validator compares with the permitted values first, and the two may have codes of their own (open point `orders-currency`).
 */
function patternFinding(
  { path, keyword }: Finding,
  body: unknown,
  constraints: readonly Constraint[],
): Finding | undefined {
  const [, place, ...fields] = path.split('/');
  if (keyword !== 'enum' || place !== 'body') return undefined;
  const [{ value } = { value: undefined }] = valuesAt(body, fields);
  if (typeof value !== 'string') return undefined;
  const general = generalPath(fields);
  const broken = constraints.find(
    (each) =>
      each.keyword === 'pattern' && samePath(each.path, general) && !new RegExp(String(each.value), 'u').test(value),
  );
  return broken && { path, keyword: broken.keyword, message: `must match ${broken.value}` };
}

/** The keywords whose values say nothing to a person, such as a pattern: the requirement takes the place of the message. */
const unreadable: ReadonlySet<string> = new Set(['pattern', 'format']);

/** The refusal that names the field and the rule, in the words of its requirement. */
export function findingRefusal({ path, message, keyword }: Finding, constraints: readonly Constraint[]): Refusal {
  const [, place, ...fields] = path.split('/');
  const field = place === 'body' && fields.length === 0 ? 'body' : fields.join('.');
  const general = generalPath(fields);
  const ofField = constraints.filter((each) => samePath(each.path, general));
  const candidates = ofField.filter((each) => each.keyword === keyword);
  const constraint =
    // A field may have several patterns. The message quotes the one that is broken.
    candidates.find(({ value }) => message.includes(String(value))) ??
    candidates[0] ??
    // The message is about an alternative, and the requirement is that of all alternatives.
    ofField.find((each) => each.keyword === 'anyOf');
  const requirement = requirements.find(({ id }) => id === constraint?.requirement);
  return new Refusal(reasonOf(requirement?.id), `${field}: ${inWords(message, keyword, requirement)}`);
}

function inWords(message: string, keyword: string, requirement: Requirement | undefined): string {
  if (requirement === undefined) return message;
  if (unreadable.has(keyword)) return requirement.text;
  return requirement.level === 'MAY' ? message : `${message}. ${requirement.text}`;
}
