import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
import { type ContractDocument, validatedDocument } from './contract-document.ts';
import type { RoutedOperation } from './route-table.ts';
import { runMiddleware } from './run-middleware.ts';

/**
 * Holds a request against its operation; rejects with the validator's error. With responses, `brokenAnswer` receives the
 * error when an answer is sent that breaks the contract.
 */
export type Validate = (request: Request, response: Response, brokenAnswer: (error: unknown) => void) => Promise<void>;

const validators = new Map<string, Validate>();

/**
 * The validator of an operation. All servers of a process share it, because making one takes a while. Two contracts that
 * describe the operation alike have the same validator.
 */
export function contractValidator(
  contract: ContractDocument,
  operation: RoutedOperation,
  responses: boolean,
): Validate {
  const document = validatedDocument(contract, operation, responses);
  const key = createHash('sha256')
    .update(`${responses} ${JSON.stringify(document)}`)
    .digest('base64');
  const validate = validators.get(key) ?? createValidator(document, responses);
  validators.set(key, validate);
  return validate;
}

function createValidator(described: ContractDocument, responses: boolean): Validate {
  // A copy, because the validator changes the document that it is given.
  const document: unknown = structuredClone(described);
  if (!isOpenApi(document)) throw new Error('the contract is no OpenAPI 3.1 document');
  const middlewares = OpenApiValidator.middleware({
    apiSpec: document,
    validateApiSpec: false,
    validateSecurity: false,
    fileUploader: false,
    // The default looks at the form only, and takes 30 February for a date.
    ajvFormats: { mode: 'full' },
    validateRequests: { allowUnknownQueryParameters: true },
    validateResponses: responses,
  });
  return async (request, response, brokenAnswer) => {
    for (const middleware of middlewares) await runMiddleware(middleware, request, response, brokenAnswer);
  };
}

function isOpenApi(document: unknown): document is OpenAPIV3.DocumentV3_1 {
  return typeof document === 'object' && document !== null && 'openapi' in document && 'paths' in document;
}
