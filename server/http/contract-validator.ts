import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
// Inner modules of the validator. Its middleware finds the operation of each request anew, by patterns that it compiles for
// every request, and compiles the schema of OpenAPI itself at each start. The route table has found the operation already.
import { AjvOptions } from 'express-openapi-validator/dist/framework/ajv/options.js';
import { defaultSerDes } from 'express-openapi-validator/dist/framework/base.serdes.js';
import type {
  NormalizedOpenApiValidatorOpts,
  OpenAPIV3,
  OpenApiRequest,
} from 'express-openapi-validator/dist/framework/types.js';
import { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator.js';
import { ResponseValidator } from 'express-openapi-validator/dist/middlewares/openapi.response.validator.js';
import { SchemaPreprocessor } from 'express-openapi-validator/dist/middlewares/parsers/schema.preprocessor.js';
import { type ContractDocument, validatedDocument } from './contract-document.ts';
import type { RoutedOperation } from './route-table.ts';

/**
 * Holds a request against its operation, whose values in the path are `parameters`; throws the validator's error. With
 * responses, `brokenAnswer` receives the error when an answer is sent that breaks the contract.
 */
export type Validate = (
  request: Request,
  response: Response,
  parameters: Readonly<Record<string, string>>,
  brokenAnswer: (error: unknown) => void,
) => void;

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
  const validate = validators.get(key) ?? createValidator(document, operation, responses);
  validators.set(key, validate);
  return validate;
}

function createValidator(described: ContractDocument, operation: RoutedOperation, responses: boolean): Validate {
  // A copy, because the validator changes the document that it is given.
  const document: unknown = structuredClone(described);
  if (!isOpenApi(document)) throw new Error('the contract is no OpenAPI 3.1 document');
  const options = optionsFor(document, responses);
  const settings = new AjvOptions(options);
  const prepared = new SchemaPreprocessor(
    document,
    settings.preprocessor,
    options.validateResponses || {},
  ).preProcess();
  const requests = new RequestValidator(prepared.apiDoc, settings.request);
  const answers = responses && new ResponseValidator(prepared.apiDocRes, settings.response).validate();
  const match = {
    expressRoute: operation.path,
    openApiRoute: operation.path,
    schema: operationIn(prepared.apiDoc, operation),
    serial: -1,
    ...(answers && { _responseSchema: operationIn(prepared.apiDocRes, operation) }),
  };
  return (request, response, parameters, brokenAnswer) => {
    const matched: OpenApiRequest = Object.assign(request, { openapi: { ...match, pathParams: { ...parameters } } });
    requests.validate(matched, response, ignore);
    if (!answers) return;
    // It calls `next` at once, and again with an error for a broken answer.
    answers(matched, response, (error: unknown) => {
      if (error !== undefined) brokenAnswer(error);
    });
  };
}

function ignore(): void {}

/** The options of the validator, those that do not count included. */
function optionsFor(apiSpec: OpenAPIV3.DocumentV3_1, responses: boolean): NormalizedOpenApiValidatorOpts {
  return {
    apiSpec,
    validateRequests: { allowUnknownQueryParameters: true, coerceTypes: false },
    validateResponses: responses && { coerceTypes: false, removeAdditional: false },
    // The default looks at the form only, and takes 30 February for a date.
    ajvFormats: { mode: 'full' },
    validateFormats: true,
    formats: {},
    serDes: defaultSerDes,
    validateApiSpec: false,
    validateSecurity: false,
    fileUploader: false,
    operationHandlers: false,
    $refParser: { mode: 'bundle' },
  };
}

function operationIn(
  { paths }: Pick<OpenAPIV3.DocumentV3, 'paths'> | Pick<OpenAPIV3.DocumentV3_1, 'paths'>,
  { path, method }: RoutedOperation,
): OpenAPIV3.OperationObject {
  const operation: unknown = Object.entries(paths?.[path] ?? {}).find(([name]) => name === method.toLowerCase())?.[1];
  if (!isOperation(operation)) throw new Error(`the contract has no ${method} ${path}`);
  return operation;
}

function isOperation(value: unknown): value is OpenAPIV3.OperationObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOpenApi(document: unknown): document is OpenAPIV3.DocumentV3_1 {
  return typeof document === 'object' && document !== null && 'openapi' in document && 'paths' in document;
}
