import type { CheckContext } from '../../check/context.ts';
import { expectAccepted, statusOf } from '../../check/expect.ts';
import { counted } from '../../contract/counted.ts';
import { show } from '../../contract/show.ts';
import { isFinalStatus } from '../../contract/statuses.ts';
import type { OrderStep } from '../../drivers/driver.ts';
import { Broken, Inconclusive, NotApplicable, PermittedChoice } from '../../errors/outcomes.ts';
import { shorten } from '../../text/shorten.ts';
import type { Answer } from '../../wire/exchange.ts';
import { type AnyMadeOrder, takeStep, tooLittle } from '../orders/any-order.ts';
import type { Acceptance } from '../orders/orders.ts';
import { confirmed } from '../orders/payments.ts';
import { needState, pollFor } from '../requests/bring-to.ts';

/**
 * Does all of it side by side, each to its end, so that a step that fails keeps nothing else from being exchanged; what each has
 * come to. Throws the gravest of the errors then: one that no check expects, `Broken`, `Inconclusive`, `NotApplicable` or `PermittedChoice`.
 */
export async function sideBySide<const Parts extends readonly Promise<unknown>[]>(
  parts: Parts,
): Promise<{ -readonly [Index in keyof Parts]: Awaited<Parts[Index]> }> {
  const settled = await Promise.allSettled(parts);
  const errors = settled.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
  const [gravest] = errors.toSorted((left, right) => gravity(right) - gravity(left));
  if (gravest instanceof Broken) {
    throw amongOthers(gravest, errors.filter((error) => error instanceof Broken).length, parts.length);
  }
  if (errors.length > 0) throw gravest;
  return Promise.all(parts);
}

const sideBySideCases = 'cases side by side';

/** A fault of one case that says in how many of all cases there is one, because that leads to its cause. Where there is one in each, it is told as it is. */
function amongOthers(
  { message, expected, actual, requirement, exchange }: Broken,
  broken: number,
  all: number,
): Broken {
  const isTold = broken === all || actual.includes(sideBySideCases);
  const others = isTold ? '' : `; of ${all} ${sideBySideCases} ${counted(broken, 'shows a fault', 'show a fault')}`;
  return new Broken(`${message}${others}`, {
    expected,
    actual: `${actual}${others}`,
    ...(requirement && { requirement }),
    ...(exchange !== undefined && { exchange }),
  });
}

function gravity(error: unknown): number {
  if (error instanceof NotApplicable || error instanceof PermittedChoice) return 0;
  if (error instanceof Inconclusive) return 1;
  return error instanceof Broken ? 2 : 3;
}

/** Holds of a create that it is accepted. Its finding says what the request has beside what every request has. */
export const acceptedWith =
  (changes: object): Acceptance =>
  (created, what) =>
    expectAccepted(created, `${what}${inWords(changes)}`);

/** The changed fields of a create, as words behind what it makes. A long list is told by its length. Empty: nothing is changed. */
function inWords(changes: object): string {
  const words = Object.entries(changes).map(([name, value]) =>
    Array.isArray(value) && value.length > 1
      ? `${counted(value.length, 'entry', 'entries')} in ${name}`
      : `${name} = ${shorten(show(value), 120)}`,
  );
  return words.length === 0 ? '' : ` with ${words.join(' and ')}`;
}

/**
 * Something that a target may refuse: `undefined` where it did. An answer that says nothing of what was asked, such as one that finds a right
 * signature wrong, is no such refusal and leaves the check without a verdict.
 */
export async function ifTaken<Made>(made: Promise<Made>): Promise<Made | undefined> {
  try {
    return await made;
  } catch (error) {
    if (error instanceof NotApplicable || (error instanceof Inconclusive && !error.isNoChoice)) return undefined;
    throw error;
  }
}

/** Something that leads to a state which a target may leave out: `undefined` where it does. */
export async function whereReached<Made>(brought: Promise<Made>): Promise<Made | undefined> {
  try {
    return await brought;
  } catch (error) {
    if (error instanceof PermittedChoice) return undefined;
    throw error;
  }
}

/** Ways in which an order comes to an end without being paid, by what they are called. */
export const unpaidEnds: Readonly<Record<'underpaid' | 'failed' | 'cancelled', readonly OrderStep[]>> = {
  underpaid: [{ type: 'transaction_detected', amount: tooLittle }, confirmed],
  failed: [{ type: 'transaction_detected' }, { type: 'payment_failed' }],
  cancelled: [{ type: 'cancelled' }],
};

/** True for a view of an order that has come to an end. */
export const isFinal = (answer: Answer): boolean => isFinalStatus('orders', statusOf(answer));

/** Lets one thing after the other happen to an order, and waits until it has come to an end. Where it ends is not judged. */
export async function letHappen(
  context: CheckContext,
  order: AnyMadeOrder,
  steps: readonly OrderStep[],
): Promise<Answer> {
  const { product, query } = order;
  let done = false;
  for (const step of steps) done = (await takeStep(context, order, step)).done;
  const types = steps.map(({ type }) => type).join(', ');
  return done ? pollFor(context, `${product} end after ${types}`, query, isFinal) : query();
}

/**
 * Lets one thing after the other happen to an order, which must bring it to `status`. Throws `Inconclusive` where it does not: what a driver's
 * steps leave undone is no fault of what follows them.
 */
export async function needEnd(
  context: CheckContext,
  order: AnyMadeOrder,
  steps: readonly OrderStep[],
  status: string,
): Promise<Answer> {
  const end = await letHappen(context, order, steps);
  needState(order.product, end, status, steps);
  return end;
}

/** Lets one transaction pay orders, one after the other, as some wallets send to many addresses at once. A target may refuse it for all but the first. */
export async function payByOneTransaction(
  context: CheckContext,
  orders: readonly AnyMadeOrder[],
  payment: OrderStep,
): Promise<void> {
  for (const { product, merchant, orderId, query } of orders) {
    let done = false;
    for (const step of [payment, confirmed]) done = (await context.orderEvent(merchant, orderId, step)).done;
    if (done) await pollFor(context, `${product} end that are paid by a transaction with others`, query, isFinal);
  }
}

/** Waits until an order has come to an end by itself. Which end that is, and whether it comes, is not judged. */
export const awaitEnd = (context: CheckContext, { product, query }: AnyMadeOrder): Promise<Answer> =>
  pollFor(context, `${product} expire`, query, isFinal);

/** Times of the day that a wrong form of hours, minutes or milliseconds shows as others: about midnight and noon, with digits that need zeros before them. */
const telling = [
  '00:00:00.007',
  '00:30:09.070',
  '11:59:59.900',
  '12:00:05.001',
  '12:59:09.099',
  '13:00:00.010',
  '23:59:59.009',
];

/**
 * For each telling time of the day the moment that is one to 23 hours ahead, as text in UTC. Where there is none, one twelve hours from it stands
 * for it: a check makes as many orders at any time, and so chooses the same for each.
 */
export function momentsOfTheDay({ now }: Pick<CheckContext, 'now'>): string[] {
  const hour = 3_600_000;
  const today = new Date(now()).toISOString().slice(0, 10);
  return telling.flatMap((time) => {
    const moments = [0, 24, -12, 12, 36].map((hours) => Date.parse(`${today}T${time}Z`) + hours * hour);
    const next = moments.find((moment) => moment > now() + hour && moment < now() + 23 * hour);
    return next === undefined ? [] : [new Date(next).toISOString()];
  });
}

/** Times of expiry that come soon: a customer stands at a till. How little time is too little is not said, but a few minutes are permitted. */
export const nearExpiries = (context: CheckContext): string[] =>
  [2, 6, 14].map((minutes) => new Date(context.now() + minutes * 60_000).toISOString());

/** Fractions of a second that a reader of milliseconds takes for others: fewer digits than three, and more, also near the next second. */
const fractions = ['.5', '.07', '.123456', '.040302010', '.9996'];

/** Times of expiry in two hours with fractions of a second in other precisions than milliseconds. */
export const otherPrecisions = (context: CheckContext): string[] =>
  fractions.map((fraction) => new Date(context.now() + 7_200_000).toISOString().replace(/\.\d+/, fraction));

/**
 * Times of expiry in zones behind UTC, two with a half hour. They are far enough ahead to be in the future for a reader that leaves the
 * offset or its sign out of account, and within a day.
 */
export const behindUtc = (context: CheckContext): string[] =>
  [
    { ahead: 16, behind: 5, offset: '-05:00' },
    { ahead: 15, behind: 5.5, offset: '-05:30' },
    // The hours of this one have no sign of their own.
    { ahead: 14, behind: 0.5, offset: '-00:30' },
  ].map(({ ahead, behind, offset }) =>
    new Date(context.now() + (ahead - behind) * 3_600_000).toISOString().replace('Z', offset),
  );

/** An order whose payer, platform and merchant take their time: seconds that tell the times in its view apart. */
export const pauses = { beforePayment: 7 * 60, beforeConfirmation: 11 * 60, beforeRefund: 26 * 3600 } as const;
