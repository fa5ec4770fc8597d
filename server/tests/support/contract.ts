import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { expect } from 'vitest';
import { contract } from '../../../generated/contract.ts';
import type { components as control } from '../../../generated/sandbox-control.ts';
import { contract as controlContract } from '../../../generated/sandbox-control-contract.ts';
import type { components } from '../../../generated/types.ts';
import type { Answer } from './http.ts';

export type OrderView = components['schemas']['OrderView'];
export type OrderFailure = components['schemas']['OrderFailure'];
type Schemas = components['schemas'];
type ControlSchemas = control['schemas'];

// That the documents are well-formed is shown when they are built.
const ajv = new Ajv2020({ strict: false, validateSchema: false, formats: { ...fullFormats, int64: true } })
  .addSchema(contract, 'contract')
  .addSchema(controlContract, 'control');

/** The schemas that were asked for, by what they were asked for. Ajv compiles the same object only once. */
const schemas = new Map<string, object>();

function schemaOf(key: string, make: () => object): object {
  const schema = schemas.get(key) ?? make();
  schemas.set(key, schema);
  return schema;
}

function compiled<Body>(document: 'contract' | 'control', name: string): ValidateFunction<Body> {
  const $ref = `${document}#/components/schemas/${name}`;
  return ajv.compile<Body>(schemaOf($ref, () => ({ $ref })));
}

/** The order that an answer shows; fails unless the answer is the contract's, with HTTP status 200. */
export function orderOf(answer: Answer): OrderView {
  const { code, message, data } = contractOf(answer, 200, 'OrderSuccess');
  expect({ code: data.standardResponseCode, message: data.standardResponseMessage }).toEqual({ code, message });
  return data;
}

/** The refusal in an answer; fails unless it is the contract's failure envelope, with HTTP status 200. */
export function failureOf(answer: Answer): OrderFailure {
  const refusal = contractOf(answer, 200, 'OrderFailure');
  expect(refusal.data.standardResponseCode).toBe(refusal.code);
  expect(refusal.message).not.toBe('');
  return refusal;
}

/** What the merchant API answered; fails unless it has that status and fits that schema of the contract. */
export function contractOf<Name extends keyof Schemas>(answer: Answer, status: number, schema: Name): Schemas[Name] {
  return valid(compiled<Schemas[Name]>('contract', schema), answer, status);
}

/** The schema of the answer with that status to an operation; throws where the contract declares none. */
function answerSchema(operation: string, status: number): object {
  for (const item of Object.values(Object(contract.paths))) {
    for (const each of Object.values(Object(item)).map(Object)) {
      if (each['x-name'] !== operation) continue;
      const schema: unknown = each.responses?.[status]?.content?.['application/json']?.schema;
      if (typeof schema !== 'object' || schema === null)
        throw new Error(`${operation} declares no answer with ${status}`);
      return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/'));
    }
  }
  throw new Error(`the contract has no operation ${operation}`);
}

/** HTTP status and code of an answer, such as `200 00000`; fails unless the contract declares it for that operation. */
export function outcomeOf(answer: Answer, operation: string): string {
  const schema = schemaOf(`${operation} ${answer.status}`, () => answerSchema(operation, answer.status));
  const { code } = valid(ajv.compile<{ code: string }>(schema), answer, answer.status);
  return `${answer.status} ${code}`;
}

/** A webhook's body; fails unless it is JSON that fits that schema of the contract. */
export function eventOf(body: Buffer, schema: 'OrderEvent' | 'RefundEvent'): Record<string, unknown> {
  const value: unknown = JSON.parse(body.toString());
  const fits = compiled<Record<string, unknown>>('contract', schema);
  if (!fits(value)) throw new Error(`the webhook breaks the contract: ${ajv.errorsText(fits.errors)}\n${body}`);
  return value;
}

/** What the control API answered; fails unless it has that status and fits that schema of its own document. */
export function controlOf<Name extends keyof ControlSchemas>(
  answer: Answer,
  status: number,
  schema: Name,
): ControlSchemas[Name] {
  return valid(compiled<ControlSchemas[Name]>('control', schema), answer, status);
}

/** The detail of a problem document; fails unless the answer is one, with that status in both places. */
export function problemOf(answer: Answer, status: number): string {
  expect(answer.contentType).toMatch(/^application\/problem\+json/);
  const problem = controlOf(answer, status, 'Problem');
  expect(problem.status).toBe(status);
  return problem.detail ?? '';
}

function valid<Body>(
  fits: ValidateFunction<Body>,
  { status, contentType, body, text }: Answer,
  expected: number,
): Body {
  expect(status, text).toBe(expected);
  expect(contentType).toMatch(/^application\/(problem\+)?json(;|$)/);
  if (!fits(body)) throw new Error(`the answer breaks the contract: ${ajv.errorsText(fits.errors)}\n${text}`);
  return body;
}
