import type { RequirementId, SignatureMistakeCode } from '../../../generated/catalogue-ids.ts';
import type { CheckContext } from '../../check/context.ts';
import type { ContractOperation } from '../../contract/operations.ts';
import type { Credentials } from '../../drivers/driver.ts';
import type { Answer } from '../../wire/exchange.ts';
import type { Arrangement } from '../requests/arranged-operation.ts';
import type { SignedRequest } from '../requests/signed-client.ts';

/** A right request that was accepted, with what its headers said. */
export interface AcceptedRequest {
  readonly request: SignedRequest;
  readonly timestamp: string;
  readonly signature: string;
}

/** A change to a request that was right before. `accepted` is one to the same operation that the target has accepted. */
export type RequestChange = (request: SignedRequest, accepted: AcceptedRequest) => SignedRequest;

/** One way to break a rule. */
export interface Way {
  /** The changed request in words that follow the noun of its operation, such as `without X-Signature`. */
  words: string;
  change: RequestChange;
  /** The request may be refused for another reason than its signature, such as an address at which there is nothing. */
  otherRefusals?: true;
  /** The request is so long that the target may hang up before it has read all of it, which is a refusal too. */
  mayHangUp?: true;
}

/** The things that the ways of a rule are made of. */
export interface Asked {
  readonly context: CheckContext;
  /** The merchant that sends the request. */
  readonly merchant: Credentials;
  readonly operation: ContractOperation;
  /** The answer to the right request. */
  readonly answer: Answer;
}

/**
 * How the contract sees a request that breaks a rule. Where several refusals fit, all are allowed.
 *
 * - `failed-signature`: a signature of the right form that does not verify.
 * - `malformed-signature`: one of another form, which may also count as a wrong parameter.
 * - `failed-authentication`: another reason for which authentication fails.
 * - `malformed-header`: a header that is missing or has a wrong form, which may also count as a wrong parameter.
 * - `unrelated`: the answer says nothing about how authentication fails.
 */
export type Refusal =
  | 'failed-signature'
  | 'malformed-signature'
  | 'failed-authentication'
  | 'malformed-header'
  | 'unrelated';

/** A rule of authentication: a request that is right but for one thing is refused, by whichever operation receives it. */
export interface AuthenticationRule {
  /** The last word of the ids of its checks. */
  readonly name: string;
  /** The wrong request in words that follow the noun of its operation, for titles. */
  readonly words: string;
  /** The requirements that a target breaks which accepts the request; a failure names the first one. */
  readonly requirements: (operation: ContractOperation) => readonly [RequirementId, ...RequirementId[]];
  readonly refusal: Refusal;
  /** The operations that it binds. Absent: all of them. */
  readonly binds?: (operation: ContractOperation) => boolean;
  /** It needs another merchant's credentials. */
  readonly needsOther?: true;
  /** A create breaks it under an id that is taken, too: a target that looks for the id first answers without asking who sends it. */
  readonly underTakenId?: true;
  /** The signing mistakes that its ways make, beside other ways. */
  readonly mistakes?: readonly SignatureMistakeCode[];
  /** Changes the right request, which stays right, before it is broken. `answer` is the one that the right request had. */
  readonly prepare?: (request: SignedRequest, answer: Answer) => SignedRequest;
  /** Changes the right request, which stays right, before it is sent as the one that the target has accepted. Absent: it is the ordinary one. */
  readonly acceptedAs?: (request: SignedRequest) => SignedRequest;
  /** The ways to break it, beside those of its mistakes. */
  readonly ways?: (asked: Asked) => readonly Way[] | Promise<readonly Way[]>;
}

/** The operations on which X-Api-Key is required. Checkout operations may ignore it (open point `checkout-api-key`). */
export const needsKey = ({ area }: ContractOperation): boolean => area !== 'checkout';

/** The operations that send a body, which is signed. */
export const hasBody = ({ bodySchema }: ContractOperation): boolean => bodySchema !== undefined;

/** The operations whose query is signed when there is one. */
export const isGet = ({ method }: ContractOperation): boolean => method === 'GET';

/** The operation whose right request has a query, which is signed. */
export const hasQuery = ({ name }: ContractOperation): boolean => name === 'refunds.query';

/** The id of the check that an operation keeps a rule. */
export const idOfRule = (rule: { name: string }, operation: ContractOperation): string =>
  `auth.${operation.name}.${rule.name}`;

/** The beginning of a title: the noun of an operation with a capital letter, and the words that follow it. */
export const titleOf = ({ noun }: Arrangement, words: string): string =>
  `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${words}`;
