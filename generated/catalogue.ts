// Written by hand: the catalogue with its types. Its data in catalogue/ and its ids in catalogue-ids.ts are generated.

/**
 * The catalogue of `openapi/catalogue/` for everything that reads it: requirements, constraints on requests, error codes,
 * state machines, open points, limits, networks and signature mistakes.
 *
 * The data are JSON, one file for each catalogue, so that a browser loads only the catalogues that its page uses. The
 * unions of ids are generated because they change with the data; the other types are stable and written here. The compiler
 * sees the texts of JSON as `string`, so `typed` gives each catalogue its type, and `openapi/generate/catalogue.test.ts`
 * compiles the same data as literals of these types.
 */

import choices from './catalogue/choices.json' with { type: 'json' };
import constraintData from './catalogue/constraints.json' with { type: 'json' };
import errors from './catalogue/errors.json' with { type: 'json' };
import limitData from './catalogue/limits.json' with { type: 'json' };
import machines from './catalogue/machines.json' with { type: 'json' };
import payment from './catalogue/networks.json' with { type: 'json' };
import openPointData from './catalogue/open-points.json' with { type: 'json' };
import requirementData from './catalogue/requirements.json' with { type: 'json' };
import mistakeData from './catalogue/signature-mistakes.json' with { type: 'json' };
import type {
  CheckoutEvent,
  CheckoutState,
  Choices,
  CurrencyCode,
  LimitId,
  NetworkCode,
  OpenPointId,
  OrdersEvent,
  OrdersState,
  RefundsEvent,
  RefundsState,
  RequirementId,
  SignatureMistakeCode,
} from './catalogue-ids.ts';
import type { Json } from './contract.ts';

export type * from './catalogue-ids.ts';
export type { Json } from './contract.ts';

export type Level = 'MUST' | 'SHOULD' | 'MAY';
export type Area = 'general' | 'auth' | 'orders' | 'refunds' | 'checkout' | 'webhooks';

/** One sentence that binds an implementation. */
export interface Requirement {
  readonly id: RequirementId;
  readonly level: Level;
  readonly area: Area;
  readonly text: string;
  /** The section of the specification that it comes from. */
  readonly source: string;
  /** Where the contract carries it: `file#/pointer`, relative to `openapi/`. */
  readonly places: readonly string[];
  /** What can verify it; `none` has a reason. */
  readonly verification: { readonly by: 'schema' | 'check' | 'none'; readonly reason?: string };
  /** The open point that leaves part of it free. */
  readonly openPoint?: OpenPointId;
  /** The error code that the reference server answers a violation with, where it is not the area's usual one. */
  readonly error?: string;
}

/** One constraint on a request. */
export interface Constraint {
  /** `area.operation.field.keyword`. */
  readonly id: string;
  readonly operation: string;
  readonly in: 'body' | 'path' | 'query' | 'header';
  /** Steps to the value; `*` is each entry of an array. */
  readonly path: readonly string[];
  readonly keyword: string;
  readonly value: Json;
  readonly requirement: RequirementId;
  /** JSON pointer of the keyword in the bundled contract. */
  readonly pointer: string;
}

/** One error code with what to do about it. */
export interface KnownError {
  readonly code: string;
  readonly name: string;
  readonly meaning: string;
  readonly remedy: string;
  /** How to see it from the reference server in sandbox mode. */
  readonly provoke: string;
  /** HTTP status of the reference server's answer; absent for a code inside a record. */
  readonly httpStatus?: number;
  readonly requirement?: RequirementId;
  readonly openPoint?: OpenPointId;
}

/** One move of a state machine. */
export interface Transition<State extends string, Event extends string> {
  /** `null`: the record comes to be. */
  readonly from: State | null;
  readonly event: Event;
  /** Which of several moves of one event, where the amount paid decides. */
  readonly when?: 'paidInFull' | 'underpaid';
  readonly condition?: string;
  readonly to: State;
  readonly effects?: readonly string[];
  readonly requirement?: RequirementId;
  readonly openPoint?: OpenPointId;
}

/** A state machine as the contract has it. */
export interface Machine<State extends string, Event extends string> {
  readonly title: string;
  readonly initial: State;
  readonly states: Readonly<Record<State, { readonly meaning: string; readonly final: boolean }>>;
  readonly events: readonly Event[];
  readonly transitions: readonly Transition<State, Event>[];
  /** States that no move leads to, with the reason. */
  readonly unreachable: Readonly<Partial<Record<State, string>>>;
  /** The sentence that makes its final states final. */
  readonly final: RequirementId;
  /** The sentence that there are no other moves. */
  readonly noOtherMoves?: RequirementId;
  /** The sentence that leaves free every move that has no requirement of its own. */
  readonly free?: RequirementId;
  readonly openPoint?: OpenPointId;
}

/** One question that the specification leaves open. */
export interface OpenPoint {
  readonly id: OpenPointId;
  readonly area: Area;
  readonly question: string;
  /** Every permitted answer by its name. */
  readonly values: Readonly<Record<string, string>>;
  /** The value that the reference server takes. */
  readonly reference: string;
  /** True: the values are all that is permitted, so any other answer is worth a warning. */
  readonly exhaustive: boolean;
  readonly also?: string;
  /** False: the reference server cannot be told to take another value. */
  readonly selectable?: boolean;
  readonly reason?: string;
  readonly requirementless?: string;
  /** What the runner fails or warns about in any case. */
  readonly judged: readonly {
    readonly level: Level;
    /** The requirements that hold the rule, all of its level. */
    readonly requirements: readonly RequirementId[];
    readonly text: string;
  }[];
  /** What it records and fails only where a configuration pins the point. */
  readonly observed: string;
  readonly source: string;
}

/** A number that the interface sets. */
export interface Limit {
  readonly id: LimitId;
  readonly area: Area;
  readonly subject: string;
  readonly requirement?: RequirementId;
  readonly openPoint?: OpenPointId;
  readonly note?: string;
  /** The one value, or the smallest and the largest permitted one. */
  readonly value?: number | string;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly unit?: string;
}

/** A chain that payments travel on. */
export interface Network {
  readonly code: NetworkCode;
  readonly displayName: string;
  readonly standard: string;
  /** How a hosted order's payment detail writes it. */
  readonly hostedName: string;
  readonly confirmations: number;
  readonly confirmationsSource: 'specification' | 'reference';
  readonly addressFamily: 'tron' | 'evm' | 'solana';
  readonly estimatedConfirmationTimeSec: number;
  readonly note?: string;
}

/** A way in which signatures are made wrongly. */
export interface SignatureMistake {
  readonly code: SignatureMistakeCode;
  readonly what: string;
  readonly cure: string;
}

/** A currency and where it can be paid. */
export interface Currency {
  readonly code: CurrencyCode;
  readonly networks: readonly NetworkCode[];
  /** The products whose orders can be paid in it. */
  readonly products: readonly ('hosted' | 'checkout')[];
}
/** Every requirement, area by area in alphabetical order of the areas. */
export const requirements: readonly Requirement[] = typed(requirementData);

/** Every constraint on a request that names its requirement. */
export const constraints: readonly Constraint[] = typed(constraintData);

export const orderErrorCodes: readonly KnownError[] = typed(errors.orderErrorCodes);
export const checkoutErrorCodes: readonly KnownError[] = typed(errors.checkoutErrorCodes);
export const refundErrorCodes: readonly KnownError[] = typed(errors.refundErrorCodes);
export const refundFailureCodes: readonly KnownError[] = typed(errors.refundFailureCodes);

export const ordersMachine: Machine<OrdersState, OrdersEvent> = typed(machines.orders);
export const checkoutMachine: Machine<CheckoutState, CheckoutEvent> = typed(machines.checkout);
export const refundsMachine: Machine<RefundsState, RefundsEvent> = typed(machines.refunds);

/** Every open point of the specification. */
export const openPoints: readonly OpenPoint[] = typed(openPointData);

/** The choices of the reference server unless it is told otherwise. */
export const referenceChoices: Choices = typed(choices.reference);

/** At each open point the first value that the reference server does not take. */
export const contraryChoices: Choices = typed(choices.contrary);

/** Every limit, by its id. */
export const limits: Readonly<Record<LimitId, Limit>> = typed(limitData);

export const networks: readonly Network[] = typed(payment.networks);
export const currencies: readonly Currency[] = typed(payment.currencies);
export const signatureMistakes: readonly SignatureMistake[] = typed(mistakeData);

/** A limit as a number, in its own unit. Throws when it has no such bound. */
export function limit(id: LimitId, bound: 'value' | 'min' | 'max'): number {
  const number = Number(limits[id][bound] ?? Number.NaN);
  if (Number.isNaN(number)) throw new Error(`the limit ${id} has no number as its ${bound}`);
  return number;
}

function typed<Data>(data: unknown): Data {
  return data as Data;
}
