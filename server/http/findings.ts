import { BadRequest } from 'express-openapi-validator/dist/framework/types.js';
import { type Constraint, requirements } from '../../generated/catalogue.ts';
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

/** The refusal that names the field and the rule, in the words of its requirement. */
export function findingRefusal({ path, message, keyword }: Finding, constraints: readonly Constraint[]): Refusal {
  const [, place, ...fields] = path.split('/');
  const field = place === 'body' && fields.length === 0 ? 'body' : fields.join('.');
  const general = generalPath(fields);
  const constraint = constraints.find((each) => each.keyword === keyword && samePath(each.path, general));
  const requirement = requirements.find(({ id }) => id === constraint?.requirement);
  const rule = requirement === undefined || requirement.level === 'MAY' ? '' : `. ${requirement.text}`;
  return new Refusal(reasonOf(requirement?.id), `${field}: ${message}${rule}`);
}
