import type { operations } from '../../generated/types.ts';
import type { Merchant } from '../domain/merchant.ts';
import type { RequestTarget } from '../signing/request-target.ts';

/** The `operationId` of each operation of the merchant contract. */
export type OperationId = keyof operations;

/** An authenticated request that the contract accepts. Body, query and path have the types of its operation. */
export interface OperationRequest<Body, Query, Parameters> {
  requestId: string;
  /** The merchant who has signed it. */
  merchant: Merchant;
  body: Body;
  query: Query;
  /** The values in the path, percent-encoding undone. */
  parameters: Parameters;
  /** Path and query as they were sent. */
  target: RequestTarget;
}

type BodyOf<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } }
  ? Body
  : undefined;
type AnswerOf<Operation> = Operation extends { responses: { 200: { content: { 'application/json': infer Answer } } } }
  ? Answer
  : never;
type ParametersOf<Operation, In extends 'query' | 'path'> = Operation extends {
  parameters: { [Key in In]?: infer Found };
}
  ? NonNullable<Found>
  : never;

/** Carries out an operation and resolves with the body of the answer, which has HTTP status 200. */
export type Handler<Id extends OperationId> = (
  request: OperationRequest<
    BodyOf<operations[Id]>,
    ParametersOf<operations[Id], 'query'>,
    ParametersOf<operations[Id], 'path'>
  >,
) => Promise<AnswerOf<operations[Id]>>;

/** An operation of the contract that the server carries out. */
export interface Operation {
  readonly id: OperationId;
  /** The parameters of the query that do not count, given the others; they are taken out before the contract is applied. */
  ignored(query: object): readonly string[];
  /** The request has passed authentication and the operation's schemas. */
  answer(request: OperationRequest<unknown, unknown, unknown>): Promise<object>;
}

/**
 * Ties a handler to its operation; both have the types that are generated from the contract. `ignored` names the parameters of a
 * query that do not count; without it all of them do.
 */
export function operation<Id extends OperationId>(
  id: Id,
  handler: Handler<Id>,
  { ignored = () => [] }: Partial<Pick<Operation, 'ignored'>> = {},
): Operation {
  return { id, ignored, answer: (request) => handler(request as Parameters<Handler<Id>>[0]) };
}
