import type { NextFunction, Request, RequestHandler, Response } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import type { OpenAPIV3, OpenApiRequestHandler } from 'express-openapi-validator/dist/framework/types.js';
import { type Choices, type Constraint, requirements } from '../../generated/catalogue.ts';
import { compareAmounts, isDecimalText } from '../domain/money.ts';
import { Refusal, reasonOf } from '../services/refusal.ts';
import { bodyFields } from './body-fields.ts';
import { type ContractDocument, type Validated, validatedDocument } from './contract-document.ts';
import { dealWithUnknown } from './unknown-fields.ts';

/** Parts of the request where the validator finds fault; anything else about a request is a fault of its route. */
interface Finding {
  path: string;
  message: string;
  keyword: string;
}

/** Middlewares that hold an area's requests, and with `responses` its answers, against the contract. */
export function contractValidation(options: {
  contract: ContractDocument;
  constraints: readonly Constraint[];
  validated: Validated;
  unknownFields: Choices['unknown-fields'];
}): (RequestHandler | OpenApiRequestHandler)[] {
  const validator = validatorOf(options.contract, options.validated);
  const deal = dealWithUnknown[options.unknownFields];
  const operations = bodyFields(options.constraints);
  const onlyKnown: RequestHandler = (request, _response, next) => {
    const fields = operations.get(operationOf(request));
    if (fields) request.body = deal(request.body, fields);
    next();
  };
  return [...validator, keywordValidation(options.constraints), onlyKnown];
}

type Validator = ReturnType<typeof OpenApiValidator.middleware>;

const validators = new WeakMap<ContractDocument, Map<string, Validator>>();

/** The validator of an area of a contract. It is made once for all servers of a process, since that takes a while. */
function validatorOf(contract: ContractDocument, validated: Validated): Validator {
  const name = JSON.stringify([validated.segment, validated.responses]);
  const ofContract = validators.get(contract) ?? new Map<string, Validator>();
  const validator = ofContract.get(name) ?? createValidator(contract, validated);
  validators.set(contract, ofContract.set(name, validator));
  return validator;
}

function createValidator(contract: ContractDocument, validated: Validated): Validator {
  // A copy, because the validator changes what it is given.
  const document: unknown = structuredClone(validatedDocument(contract, validated));
  if (!isOpenApi(document)) throw new Error('the contract is no OpenAPI 3.1 document');
  return OpenApiValidator.middleware({
    apiSpec: document,
    validateApiSpec: false,
    validateSecurity: false,
    fileUploader: false,
    // The default looks at the form only, and takes 30 February for a date.
    ajvFormats: { mode: 'full' },
    validateRequests: { allowUnknownQueryParameters: true },
    validateResponses: validated.responses,
  });
}

/** What the refusal of a request is called in its area, made from an error of the validator; `undefined` for any other error. */
export function refusalOf(error: unknown, request: Request, constraints: readonly Constraint[]): Refusal | undefined {
  if (!(error instanceof OpenApiValidator.error.BadRequest)) return undefined;
  const [first] = error.errors;
  if (!first?.errorCode) return new Refusal('invalid-parameter', `request: ${first?.message ?? error.message}`);
  const keyword = first.errorCode.replace('.openapi.validation', '');
  const finding = { path: first.path, message: first.message, keyword };
  return findingRefusal(formFinding(finding, request, constraints) ?? finding, operationOf(request), constraints);
}

/**
 * What is wrong about the form of a text that is none of the permitted ones; `undefined` when nothing is. The validator
 * compares before it looks at the form, and the two may have codes of their own (open point `orders-currency`).
 */
function formFinding({ path, keyword }: Finding, request: Request, constraints: readonly Constraint[]) {
  const [, place, ...steps] = path.split('/');
  if (keyword !== 'enum' || place !== 'body') return undefined;
  const [{ value } = { value: undefined }] = valuesAt(request.body, steps);
  if (typeof value !== 'string') return undefined;
  const operation = operationOf(request);
  const wrong = constraints.find(
    (each) =>
      each.operation === operation &&
      each.keyword === 'pattern' &&
      sameSteps(each.path, steps.map(generalStep)) &&
      !new RegExp(String(each.value), 'u').test(value),
  );
  return wrong && { path, keyword: wrong.keyword, message: `must match ${wrong.value}` };
}

function findingRefusal({ path, message, keyword }: Finding, operation: string, constraints: readonly Constraint[]) {
  const [, place, ...steps] = path.split('/');
  const field = place === 'body' && steps.length === 0 ? 'body' : steps.join('.');
  const general = steps.map(generalStep);
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

/** How an amount compares with a bound: -1, 0 or 1. No bound is below 0, so that an amount with a sign is below each. */
const compare = (value: string, bound: string) => (value.startsWith('-') ? -1 : compareAmounts(value, bound));

interface Evaluator {
  holds(value: string, bound: string): boolean;
  /** What a value that fails must do, in the words in front of the bound. */
  must: string;
}

/** Constraints that JSON Schema has no keyword for, or one that validators do not act on. */
const evaluators: Readonly<Record<string, Evaluator>> = {
  'x-decimal.minimum': { holds: (value, bound) => compare(value, bound) >= 0, must: 'be at least' },
  'x-decimal.maximum': { holds: (value, bound) => compare(value, bound) <= 0, must: 'be at most' },
  'x-decimal.exclusiveMaximum': { holds: (value, bound) => compare(value, bound) < 0, must: 'be below' },
  'x-decimal.exclusiveMinimum': { holds: (value, bound) => compare(value, bound) > 0, must: 'be above' },
  contentMediaType: { holds: isJson, must: 'be text of the type' },
};

/** Evaluates those constraints; runs after the validator, so that every value has its form. */
function keywordValidation(constraints: readonly Constraint[]): RequestHandler {
  const evaluated = new Map<string, (Constraint & Evaluator & { bound: string })[]>();
  for (const constraint of constraints) {
    const evaluator = constraint.in === 'body' ? evaluators[constraint.keyword] : undefined;
    if (!evaluator) continue;
    const ofOperation = evaluated.get(constraint.operation) ?? [];
    evaluated.set(constraint.operation, [
      ...ofOperation,
      { ...constraint, ...evaluator, bound: String(constraint.value) },
    ]);
  }
  return (request: Request, _response: Response, next: NextFunction) => {
    const operation = operationOf(request);
    for (const { path, keyword, bound, holds, must } of evaluated.get(operation) ?? []) {
      for (const { value, at } of valuesAt(request.body, path)) {
        if (typeof value !== 'string') continue;
        if (keyword.startsWith('x-decimal') && !isDecimalText(value.replace(/^-/, ''))) continue;
        if (holds(value, bound)) continue;
        const finding = { path: `/body/${at.join('/')}`, message: `must ${must} ${bound}`, keyword };
        return next(findingRefusal(finding, operation, constraints));
      }
    }
    next();
  };
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

function generalStep(step: string): string {
  return /^[0-9]+$/.test(step) ? '*' : step;
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
