import type { CheckContext } from '../../check/context.ts';
import type { Need } from '../../check/needs.ts';
import type { JsonObject } from '../../contract/json.ts';
import { type ContractOperation, contractOperation } from '../../contract/operations.ts';
import type { Credentials } from '../../drivers/driver.ts';
import type { Answer } from '../../wire/exchange.ts';
import type { SignedClient, SignedRequest } from './signed-client.ts';

/** A request that keeps every rule, not sent yet. */
export interface PreparedRequest {
  client: SignedClient;
  request: SignedRequest;
  /** The request's body; absent for operations without one. */
  body?: JsonObject;
  /**
   * The answer to another request that differs from this one by its ids only, and a query for the record that it made. It is
   * there where sending this one to its success would use up what other checks need.
   */
  twin?: { answer: Answer; find(): Promise<Answer> };
  /** The record that the request makes; absent: the operation makes nothing. */
  makes?: {
    /** The field of the body that holds the record's id, given by the merchant. */
    id: 'merchantOrderId' | 'merchantRefundOrderId';
    /** Queries the record under that id, or under another one that was sent. A success says that it was made. */
    find(id?: string): Promise<Answer>;
  };
  /** Lets other checks use what the request names. Call it when the request was refused and made nothing. */
  release?(): void;
}

/** How a request to an operation is made. */
export interface Arrangement {
  /** The request in words, for titles and messages: `a create`, `a refund query`. */
  readonly noun: string;
  /** Needs of a check that sends the request. */
  readonly needs: readonly Need[];
  /**
   * Makes a request that keeps every rule and would succeed, with ids of its own, and whatever has to exist before it.
   * Throws `Inconclusive` when that does not work.
   */
  prepare(context: CheckContext, merchant: Credentials): Promise<PreparedRequest>;
  /** The same for a request that is to be changed so that it is refused. Absent: `prepare` costs no more. */
  prepareRefused?(context: CheckContext, merchant: Credentials): Promise<PreparedRequest>;
}

/** An operation of the contract that checks can send requests to. */
export interface ArrangedOperation extends ContractOperation, Arrangement {
  /** The name of the schema of its refusals. */
  readonly failure: string;
}

/** The operation of the contract with this name, with a way to make requests. Throws when the contract has none. */
export function arrangeOperation(name: string, arrangement: Arrangement): ArrangedOperation {
  const operation = contractOperation(name);
  const failure = operation.answers.get(401)?.split('/').at(-1);
  if (failure === undefined) throw new Error(`the contract declares no answer with HTTP 401 for ${name}`);
  return { ...operation, failure, ...arrangement };
}

/** A POST of `body` as JSON. */
export function post(path: string, body: unknown): SignedRequest {
  return { method: 'POST', path, body: Buffer.from(JSON.stringify(body)) };
}
