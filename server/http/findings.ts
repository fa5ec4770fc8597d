import { BadRequest } from 'express-openapi-validator/dist/framework/types.js';
import { type Constraint, requirements } from '../../generated/catalogue.ts';
import { Refusal, reasonOf } from '../services/refusal.ts';
import { generalPath, samePath, valuesAt } from './body-values.ts';
import { type Finding, inWords } from './refusal-words.ts';

/**
 * The refusal of a request, made from an error of the validator; `undefined` for any other error.
 *
 * @param constraints those of the request's operation
 */
export function contractRefusal(
  error: unknown,
  request: { readonly body: unknown; readonly query: unknown },
  constraints: readonly Constraint[],
): Refusal | undefined {
  if (!(error instanceof BadRequest)) return undefined;
  const [first] = error.errors;
  if (!first?.errorCode) return new Refusal('invalid-parameter', `request: ${first?.message ?? error.message}`);
  // The validator checks the type of a time by a keyword of its own.
  const keyword = first.errorCode.replace('.openapi.validation', '').replace('x-eov-type', 'type');
  const [, place, ...fields] = first.path.split('/');
  const [{ value } = { value: undefined }] = valuesAt(place === 'query' ? request.query : request.body, fields);
  const finding = { path: first.path, message: first.message, keyword, value };
  return findingRefusal(patternFinding(finding, constraints) ?? finding, constraints);
}

/**
 * The broken pattern of a text that is not one of the permitted values; `undefined` when the text keeps its pattern. The
 * validator compares with the permitted values first, and the two may have codes of their own (open point `orders-currency`).
 */
function patternFinding({ path, keyword, value }: Finding, constraints: readonly Constraint[]): Finding | undefined {
  const [, place, ...fields] = path.split('/');
  if (keyword !== 'enum' || place !== 'body' || typeof value !== 'string') return undefined;
  const general = generalPath(fields);
  const broken = constraints.find(
    (each) =>
      each.keyword === 'pattern' && samePath(each.path, general) && !new RegExp(String(each.value), 'u').test(value),
  );
  return broken && { path, keyword: broken.keyword, message: `must match ${broken.value}`, value };
}

/** The refusal that names the field, the rule and, where the rule does not say it, the cure. */
export function findingRefusal(
  { path, message, keyword, value }: Finding,
  constraints: readonly Constraint[],
): Refusal {
  const [, place, ...fields] = path.split('/');
  if (place === 'body' && fields.length === 0) {
    return new Refusal('invalid-parameter', 'body: must be a JSON object; send one');
  }
  if (place === 'query' && Array.isArray(value)) {
    return new Refusal('invalid-parameter', `${fields.join('.')}: is given ${value.length} times; give it once`);
  }
  const general = generalPath(fields);
  const ofField = constraints.filter((each) => samePath(each.path, general));
  const candidates = ofField.filter((each) => each.keyword === keyword);
  const constraint =
    // A field may have several patterns. The message quotes the one that is broken.
    candidates.find(({ value: bound }) => message.includes(String(bound))) ??
    candidates[0] ??
    // The message is about an alternative, and the requirement is that of all alternatives.
    ofField.find((each) => each.keyword === 'anyOf');
  const rule = constraint && inWords({ value, name: fields.at(-1) ?? '', constraint, ofField });
  const sentence = requirements.find(({ id }) => id === constraint?.requirement)?.text;
  return new Refusal(reasonOf(constraint?.requirement), `${fields.join('.')}: ${rule ?? sentence ?? message}`);
}
