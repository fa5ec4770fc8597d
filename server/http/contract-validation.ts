import type { NextFunction, Request, RequestHandler, Response } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import type { OpenAPIV3, OpenApiRequestHandler } from 'express-openapi-validator/dist/framework/types.js';
import { type Constraint, requirements } from '../../generated/catalogue.ts';
import type { contract } from '../../generated/contract.ts';
import { compareAmounts, isDecimalText } from '../domain/money.ts';
import { Refusal, reasonOf } from '../services/refusal.ts';

export type ContractDocument = typeof contract;

/** Parts of the request where the validator finds fault; anything else about a request is a fault of its route. */
interface Finding {
  path: string;
  message: string;
  keyword: string;
}

/**
 * Middlewares that hold every request, and with `validateResponses` every response, against the contract.
 * The document is copied, because the validator changes what it is given.
 */
export function contractValidation(options: {
  contract: ContractDocument;
  constraints: readonly Constraint[];
  validateResponses: boolean;
}): (RequestHandler | OpenApiRequestHandler)[] {
  const document: unknown = structuredClone(options.contract);
  if (!isOpenApi(document)) throw new Error('the contract is no OpenAPI 3.1 document');
  const validator = OpenApiValidator.middleware({
    apiSpec: document,
    validateApiSpec: false,
    validateSecurity: false,
    fileUploader: false,
    // The default looks at the form only, and takes 30 February for a date.
    ajvFormats: { mode: 'full' },
    validateRequests: { allowUnknownQueryParameters: true },
    validateResponses: options.validateResponses,
  });
  return [...validator, keywordValidation(options.constraints), knownFields(options.constraints)];
}

/** What the refusal of a request is called in its area, made from an error of the validator; `undefined` for any other error. */
export function refusalOf(error: unknown, request: Request, constraints: readonly Constraint[]): Refusal | undefined {
  if (!(error instanceof OpenApiValidator.error.BadRequest)) return undefined;
  const [first] = error.errors;
  if (!first?.errorCode) return new Refusal('invalid-parameter', `request: ${first?.message ?? error.message}`);
  const keyword = first.errorCode.replace('.openapi.validation', '');
  return findingRefusal({ path: first.path, message: first.message, keyword }, operationOf(request), constraints);
}

function findingRefusal({ path, message, keyword }: Finding, operation: string, constraints: readonly Constraint[]) {
  const [, place, ...steps] = path.split('/');
  const field = place === 'body' && steps.length === 0 ? 'body' : steps.join('.');
  const general = steps.map((step) => (/^[0-9]+$/.test(step) ? '*' : step));
  const constraint = constraints.find(
    (each) => each.operation === operation && each.keyword === keyword && sameSteps(each.path, general),
  );
  const requirement = requirements.find(({ id }) => id === constraint?.requirement);
  const rule = requirement === undefined || requirement.level === 'MAY' ? '' : `. ${requirement.text}`;
  return new Refusal(
    reasonOf(requirement?.id),
    `${field}: ${message}${rule}`,
    requirement && { requirement: requirement.id },
  );
}

/** Constraints that JSON Schema has no keyword for, or one that validators do not act on. */
const evaluators: Readonly<Record<string, { holds(value: string, bound: string): boolean; must: string }>> = {
  'x-decimal.minimum': { holds: (value, bound) => compareAmounts(value, bound) >= 0, must: 'be at least' },
  'x-decimal.maximum': { holds: (value, bound) => compareAmounts(value, bound) <= 0, must: 'be at most' },
  'x-decimal.exclusiveMinimum': { holds: (value, bound) => compareAmounts(value, bound) > 0, must: 'be above' },
  contentMediaType: { holds: isJson, must: 'be text of the type' },
};

/** Evaluates those constraints; runs after the validator, so that every value has its form. */
function keywordValidation(constraints: readonly Constraint[]): RequestHandler {
  const evaluated = constraints.flatMap((constraint) => {
    const evaluator = constraint.in === 'body' ? evaluators[constraint.keyword] : undefined;
    return evaluator ? [{ ...constraint, ...evaluator, bound: String(constraint.value) }] : [];
  });
  return (request: Request, _response: Response, next: NextFunction) => {
    const operation = operationOf(request);
    for (const { path, keyword, bound, holds, must } of evaluated.filter((each) => each.operation === operation)) {
      for (const { value, at } of valuesAt(request.body, path)) {
        if (typeof value !== 'string' || (keyword.startsWith('x-decimal') && !isDecimalText(value))) continue;
        if (holds(value, bound)) continue;
        const finding = { path: `/body/${at.join('/')}`, message: `must ${must} ${bound}`, keyword };
        return next(findingRefusal(finding, operation, constraints));
      }
    }
    next();
  };
}

/** The fields of a body that the contract names, and those of what is in them. */
type FieldTree = Map<string, FieldTree>;

/** Leaves out of bodies what the contract does not name (open point `unknown-fields`): it is neither kept nor looked at. */
function knownFields(constraints: readonly Constraint[]): RequestHandler {
  const trees = new Map<string, FieldTree>();
  for (const { operation, path } of constraints.filter((each) => each.in === 'body')) {
    let tree = trees.get(operation) ?? new Map();
    trees.set(operation, tree);
    for (const step of path) {
      const below: FieldTree = tree.get(step) ?? new Map();
      tree.set(step, below);
      tree = below;
    }
  }
  return (request, _response, next) => {
    const tree = trees.get(operationOf(request));
    if (tree) request.body = onlyKnown(request.body, tree);
    next();
  };
}

function onlyKnown(value: unknown, tree: FieldTree): unknown {
  const entries = tree.get('*');
  if (Array.isArray(value)) return entries ? value.map((each) => onlyKnown(each, entries)) : value;
  if (typeof value !== 'object' || value === null) return value;
  const known = [...tree].filter(([name]) => Object.hasOwn(value, name));
  return Object.fromEntries(known.map(([name, below]) => [name, onlyKnown(Reflect.get(value, name), below)]));
}

function* valuesAt(
  value: unknown,
  path: readonly string[],
  at: string[] = [],
): Generator<{ value: unknown; at: string[] }> {
  const [step, ...rest] = path;
  if (step === undefined) {
    yield { value, at };
  } else if (step === '*') {
    if (Array.isArray(value)) {
      for (const [index, each] of value.entries()) yield* valuesAt(each, rest, [...at, String(index)]);
    }
  } else if (typeof value === 'object' && value !== null && Object.hasOwn(value, step)) {
    yield* valuesAt(Reflect.get(value, step), rest, [...at, step]);
  }
}

/** The contract's short name of the operation that a request matched. */
function operationOf(request: Request): string {
  const { openapi } = request as OpenApiAware;
  const name = openapi?.schema?.['x-name'];
  return typeof name === 'string' ? name : '';
}

/** What the validator adds to a request that it has matched with an operation. */
interface OpenApiAware extends Request {
  openapi?: { schema?: { 'x-name'?: unknown } };
}

function sameSteps(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((step, index) => step === right[index]);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isOpenApi(document: unknown): document is OpenAPIV3.DocumentV3_1 {
  return typeof document === 'object' && document !== null && 'openapi' in document && 'paths' in document;
}
