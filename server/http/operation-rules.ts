import type { Request, Response } from 'express';
import type { Choices, Constraint } from '../../generated/catalogue.ts';
import { bodyFieldsOf } from './body-fields.ts';
import type { ContractDocument } from './contract-document.ts';
import { contractValidator } from './contract-validator.ts';
import { contractRefusal } from './findings.ts';
import { parseJsonBody, parseJsonBodyWithoutNumbers } from './json-body.ts';
import { keywordRules } from './keyword-rules.ts';
import { lenientBody } from './lenient-body.ts';
import type { RoutedOperation } from './route-table.ts';
import { dealWithUnknown } from './unknown-fields.ts';

/** The contract's rules for the requests of one operation. Both functions throw a `Refusal` for a request that breaks one. */
export interface OperationRules {
  /** The body's JSON; `undefined` for an empty body. */
  readBody(bytes: Buffer): unknown;
  /**
   * Holds the request, with the values in its path, against the contract, and leaves in `request.body` what its handler
   * gets. `brokenAnswer` receives the error when the answer breaks the contract later; that needs `responses`.
   */
  check(
    request: Request,
    response: Response,
    parameters: Readonly<Record<string, string>>,
    brokenAnswer: (error: unknown) => void,
  ): void;
}

/** What is done where a request names no content type (open point `content-type`). */
const nameContentType: Readonly<Record<Choices['content-type'], (request: Request) => void>> = {
  required: () => {},
  optional: ({ headers }) => {
    headers['content-type'] ||= 'application/json';
  },
};

/** `responses`: whether answers are held against the contract too. */
export function operationRules(
  operation: RoutedOperation,
  parts: { contract: ContractDocument; constraints: readonly Constraint[]; responses: boolean; choices: Choices },
): OperationRules {
  const { contract, responses, choices } = parts;
  const constraints = parts.constraints.filter((each) => each.operation === operation.name);
  const fields = bodyFieldsOf(constraints);
  const validate = contractValidator(contract, operation, responses);
  const keywordRefusal = keywordRules(constraints);
  const isLenient = fields && choices['field-forms'] === 'lenient';
  const dealWith = dealWithUnknown[choices['unknown-fields']];

  return {
    readBody: (bytes) => (isLenient ? lenientBody(parseJsonBodyWithoutNumbers(bytes), fields) : parseJsonBody(bytes)),
    check: (request, response, parameters, brokenAnswer) => {
      nameContentType[choices['content-type']](request);
      try {
        validate(request, response, parameters, brokenAnswer);
      } catch (error) {
        throw contractRefusal(error, request, constraints) ?? error;
      }
      const refusal = keywordRefusal(request.body);
      if (refusal) throw refusal;
      if (fields) request.body = dealWith(request.body, fields);
    },
  };
}
