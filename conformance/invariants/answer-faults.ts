import { isDeepStrictEqual } from 'node:util';
import type { RequirementId } from '../../generated/catalogue.ts';
import { contract } from '../../generated/contract.ts';
import { type FaultyPlace, faultyPlaces } from '../contract/faulty-places.ts';
import { atPointer, isObject, ownValue, valueAt } from '../contract/json.ts';
import { isOnImpossibleDay } from '../contract/moments.ts';
import { contractOperation } from '../contract/operations.ts';
import { show } from '../contract/show.ts';
import { successCode } from '../contract/success-code.ts';
import { type Book, type Exchanged, idField, isCreate } from './book.ts';
import { hasBoundFields } from './bound-answers.ts';
import { isPlainAmount } from './values.ts';

/** A place in an answer that is not as the contract declares it. */
export interface AnswerFault {
  /**
   * Which invariant names it: `presence`: a field of a view is absent, null or has a value where it should not; `amount` and `time`: the
   * form of an amount or a time in a view; `declared`: everything else, and all of a refusal.
   */
  kind: 'declared' | 'presence' | 'amount' | 'time';
  /** The rule depends on the status that the view shows. */
  byStatus: boolean;
  /** The place, such as `data.paidAt`. Empty: the whole body. */
  path: string;
  /** The contract's rule, and what is there instead, in words. */
  expected: string;
  actual: string;
  /** The requirement that the contract names for the rule, if it names one. */
  requirement: RequirementId | undefined;
}

/** The JSON pointers to the schemas of an operation's answers. */
interface AnswerSchemas {
  success: string;
  refusal: string;
}

const known = new Map<string, AnswerSchemas>();

/** Which schema the contract has for the successes of an operation, and which for its refusals. */
function schemasOf(operation: string): AnswerSchemas {
  const found = known.get(operation) ?? readSchemas(operation);
  known.set(operation, found);
  return found;
}

function readSchemas(operation: string): AnswerSchemas {
  const pointers = [...contractOperation(operation).answers.values()].flatMap((pointer) => {
    const parts = atPointer(contract, `${pointer}/oneOf`);
    return Array.isArray(parts) ? parts.map((part: unknown) => String(ownValue(part, '$ref')).slice(1)) : [pointer];
  });
  const isSuccess = (pointer: string) => atPointer(contract, `${pointer}/properties/code/const`) === successCode;
  const success = pointers.find(isSuccess);
  const refusal = pointers.find((pointer) => !isSuccess(pointer));
  if (!success || !refusal) throw new Error(`the contract declares no success or no refusal of ${operation}`);
  return { success, refusal };
}

const kept = new WeakMap<Exchanged, readonly AnswerFault[]>();

/**
 * Every place in which the body of an answer breaks the schema that the contract declares for it, or shows a day that no calendar has,
 * one fault for each place. None for an answer that the contract does not bind, and for a body that is no JSON object.
 */
export function answerFaults(book: Book, exchanged: Exchanged): readonly AnswerFault[] {
  const found = kept.get(exchanged) ?? readFaults(book, exchanged);
  kept.set(exchanged, found);
  return found;
}

function readFaults(book: Book, exchanged: Exchanged): readonly AnswerFault[] {
  const { answered, accepted, operation } = exchanged;
  if (!isObject(answered) || !hasBoundFields(book, exchanged)) return [];
  const { success, refusal } = schemasOf(operation);
  const places = faultyPlaces(answered, accepted ? success : refusal).map((place) => toAnswerFault(place, exchanged));
  const impossible = accepted ? impossibleDays(answered.data) : [];
  const all = [...places, ...impossible.filter(({ path }) => !places.some((place) => place.path === path))];
  return all.filter(({ path, kind, byStatus }) => byStatus || !isFree(book, exchanged, path, kind));
}

/** A moment of ISO 8601 in any zone. */
const inAnyZone = new RegExp(String(atPointer(contract, '/components/schemas/DateTime/pattern')));

const isTimeField = (name: string) => /(At|Time)$/.test(name);

/** The times in a view, or in each of a list, on a day that no calendar has. */
function impossibleDays(data: unknown): AnswerFault[] {
  const views = Array.isArray(data)
    ? data.map((view, index) => [`data.${index}`, view] as const)
    : [['data', data] as const];
  return views.flatMap(([place, view]) =>
    (isObject(view) ? Object.entries(view) : []).flatMap(([name, value]) => {
      if (!isTimeField(name) || typeof value !== 'string' || !isOnImpossibleDay(value)) return [];
      const path = `${place}.${name}`;
      const expected = `${path} is on a day of the calendar`;
      const actual = `${path} = ${show(value)}`;
      return { kind: 'time' as const, byStatus: false, path, expected, actual, requirement: undefined };
    }),
  );
}

function toAnswerFault(
  { path, value, byStatus, expected, actual, requirement }: FaultyPlace,
  { accepted }: Exchanged,
): AnswerFault {
  const kind = accepted ? kindOf(path, value, byStatus) : 'declared';
  return { kind, byStatus, path, expected, actual, requirement };
}

const at = (body: unknown, path: string): unknown => path.split('.').reduce(ownValue, body);

function kindOf(path: string, value: unknown, byStatus: boolean): AnswerFault['kind'] {
  const steps = path.split('.');
  if (steps[0] !== 'data' || steps.length === 1) return 'declared';
  if (byStatus || value === undefined || value === null) return 'presence';
  if (isTimeField(steps.at(-1) ?? '')) return 'time';
  return steps.some((step) => /(Amount|^amount)$/.test(step)) ? 'amount' : 'declared';
}

/** The characters of the notations of numbers that the point orders-amount-limits leaves free. */
const anyNotation = /^[0-9+,.Ee-]*$/;

/** True for a fault that an open point leaves to the target. */
function isFree(book: Book, exchanged: Exchanged, path: string, kind: AnswerFault['kind']): boolean {
  const { answered, operation, accepted } = exchanged;
  if (!accepted) return false;
  const steps = path.split('.');
  const inList = /^[0-9]+$/.test(steps[1] ?? '');
  const view = at(answered, steps.slice(0, inList ? 2 : 1).join('.'));
  const field = steps.slice(inList ? 2 : 1);
  const value = at(answered, path);
  // The point orders-pending-example.
  if (operation === 'orders.create' && path === 'data.status' && value === 'PENDING') return true;
  // A field that was never given may be null or absent; one that was given is compared by the invariant echo.
  if (field.join('.') === 'extraData' && value === null) return true;
  const given = requestsFor(book, exchanged, view);
  // A server may take values of other types and forms (the point field-forms), and then has nothing else to show. A moment it can show in UTC.
  const isNoNumber =
    kind === 'amount' && steps.at(-1) !== 'currency' && typeof value === 'string' && !anyNotation.test(value);
  if (isNoNumber) return false;
  const isMoment = kind === 'time' && typeof value === 'string' && inAnyZone.test(value);
  if (!isMoment && given.some((sent) => value !== undefined && isDeepStrictEqual(valueAt(sent, field), value))) {
    return true;
  }
  // What an order for an amount in an odd form shows as amounts is left open (the point orders-amount-limits).
  return kind === 'amount' && given.some(isForOddAmount);
}

const isForOddAmount = (sent: unknown): boolean => {
  const value = valueAt(sent, ['orderAmount', 'value']);
  return value !== undefined && !isPlainAmount(value);
};

/** The bodies of the creates that may have made what a view shows, and for a refund those of its order too. */
function requestsFor(book: Book, { area, merchantId, operation, sent }: Exchanged, view: unknown): unknown[] {
  const id = valueAt(view, [idField[area]]);
  const own = typeof id === 'string' ? book.entity(area, merchantId, id) : undefined;
  const order = valueAt(view, ['acquiringOrderId']);
  const refunded =
    typeof order === 'string'
      ? (['orders', 'checkout'] as const).map((product) => book.entity(product, merchantId, order))
      : [];
  const origins = [own, ...refunded].flatMap((entity) => entity?.origins ?? []);
  return [...(isCreate(operation) ? [sent] : []), ...origins.map((origin) => origin.sent)];
}
