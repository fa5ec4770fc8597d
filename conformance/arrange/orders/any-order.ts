import { type Area, type OrdersEvent, type OrdersState, ordersMachine } from '../../../generated/catalogue.ts';
import type { CheckContext } from '../../check/context.ts';
import { expectAccepted, expectField, isAccepted, needAccepted, statusOf } from '../../check/expect.ts';
import { keysOf } from '../../check/keys-of.ts';
import type { Need } from '../../check/needs.ts';
import type { Credentials, OrderStep, StepOutcome } from '../../drivers/driver.ts';
import { Broken, Inconclusive, NeedNotMet } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import { bringTo, pollFor } from '../requests/bring-to.ts';
import { byChosenMeans } from './payments.ts';

/** The two products that have orders: `orders` are the hosted ones. */
export type Product = Extract<Area, 'orders' | 'checkout'>;

/** The states of an order, the same for both products. */
export const orderStates: readonly OrdersState[] = keysOf(ordersMachine.states);

/** Why a check of letters beyond ASCII is skipped. */
export const noFurtherLetters = 'letters beyond ASCII are refused (open point field-forms)';

/**
 * Ids of 64 characters that are easily confused: with the first one those that differ from it in the last letter, in its case, or in their
 * signs, and at the end two that have the same hash in a language that adds up characters times 31.
 */
export function similarOrderIds(context: CheckContext): [first: string, ...others: string[]] {
  const id = `${context.newOrderId()}-`.padEnd(63, 'a');
  return [`${id}a`, `${id}b`, `${id}A`, `${id.replaceAll('-', '_')}a`, `${id.slice(0, -1)}BB`, `${id.slice(0, -1)}Aa`];
}

/** How long a check's order waits for its payment, in seconds. */
export const orderLifetime = 1800;

/** The time at which an order expires that a check makes now, ISO 8601. `merchant`: whose order it is, where its time may have been moved. */
export function ordinaryExpiry(context: CheckContext, merchant?: Credentials): string {
  const now = merchant ? context.businessTime(merchant) : context.now();
  return new Date(now + orderLifetime * 1000).toISOString();
}

/** An order of either product that was made before the judgement. */
export interface AnyMadeOrder {
  product: Product;
  merchant: Credentials;
  orderId: string;
  /** The answer to its create. */
  created: Answer;
  /** Queries the order as it is now. */
  query(): Promise<Answer>;
}

/** A payment that is too small for every order of a check, as decimal text. */
export const tooLittle = '0.01';

const driverSteps = {
  detect: { type: 'transaction_detected' },
  'detect-too-little': { type: 'transaction_detected', amount: tooLittle },
  confirm: { type: 'payment_confirmed' },
  cancel: { type: 'cancelled' },
} as const;

/** The steps that lead from INIT into each state. */
const stepsTo: Readonly<Record<OrdersState, readonly (keyof typeof driverSteps)[]>> = {
  INIT: [],
  PROCESSING: ['detect'],
  SUCCEEDED: ['detect', 'confirm'],
  FAILED: ['detect-too-little', 'confirm'],
  CLOSED: ['cancel'],
};

/**
 * Brings an order from INIT into `state` through the driver; with `from`, one that it has brought to that state on the same way. Throws
 * `Inconclusive` when the order does not get there. The driver may refuse a step that the target has made superfluous.
 */
export async function bringOrderTo(
  context: CheckContext,
  order: AnyMadeOrder,
  state: OrdersState,
  from: OrdersState = 'INIT',
): Promise<void> {
  const steps = stepsTo[state].slice(stepsTo[from].length).map((name) => driverSteps[name]);
  await bringTo(context, order.product, state, order.query, steps, (step) => takeStep(context, order, step));
}

/**
 * Has the driver take a step with an order. A hosted order is paid by one means or another where the step does not say by which; a driver that does not
 * know that one pays in its own way. Throws `Inconclusive` when the driver fails.
 */
export async function takeStep(
  context: CheckContext,
  { product, merchant, orderId }: Pick<AnyMadeOrder, 'product' | 'merchant' | 'orderId'>,
  step: OrderStep,
): Promise<StepOutcome> {
  const chosen = product === 'orders' ? byChosenMeans(context, step) : step;
  const outcome = await context.orderEvent(merchant, orderId, chosen);
  return outcome.done || chosen === step ? outcome : context.orderEvent(merchant, orderId, step);
}

/** Lets the target see a transaction of `amount`, decimal text in the currency that is due. Throws `Inconclusive` when it cannot. */
export async function payOrder(context: CheckContext, order: AnyMadeOrder, amount: string): Promise<void> {
  const outcome = await takeStep(context, order, { type: 'transaction_detected', amount });
  if (!outcome.done) throw new Inconclusive(`the driver did not pay the order: ${outcome.message}`);
}

/** Why payments fail; `undefined`: the target chooses. */
const failureReasons = [undefined, 'timeout', 'error'] as const satisfies readonly OrderStep['reason'][];

/**
 * Lets `event` happen to an order: through the driver; to one that was just made with `soon`, by letting its time run out. A payment that
 * fails does so for each reason, until one takes effect.
 */
export async function happenToOrder(
  context: CheckContext,
  order: AnyMadeOrder,
  event: OrdersEvent,
): Promise<StepOutcome> {
  const { merchant, orderId } = order;
  if (event === 'expired') {
    await passSoon(context, merchant);
    return { done: true };
  }
  if (event !== 'payment_failed') return takeStep(context, order, { type: event });
  let outcome: StepOutcome = { done: true };
  for (const reason of failureReasons) {
    outcome = await context.orderEvent(merchant, orderId, { type: event, ...(reason && { reason }) });
    if (outcome.done) break;
  }
  return outcome;
}

/** The needs of a check that looks at an order in a state. An order that nobody pays comes to CLOSED by itself. */
export function orderStateNeeds(state: OrdersState): readonly Need[] {
  return state === ordersMachine.initial || state === 'CLOSED' ? [] : ['order-events'];
}

/** The needs of a check that lets `event` happen to an order in a state. */
export function orderEventNeeds(from: OrdersState, event: OrdersEvent): readonly Need[] {
  if (event !== 'expired') return ['order-events'];
  // The expiry of an order that waits for its payment can be awaited.
  return from === ordersMachine.initial ? [] : [...orderStateNeeds(from), 'clock'];
}

/** How long an order lives that is to expire where no clock can be moved, in seconds. */
export const awaitedLifetime = 5;

/** A field of a create: the order expires so soon that its expiry can be awaited. */
export function awaitedSoon(context: CheckContext): { expiresAt: string } {
  return { expiresAt: new Date(context.now() + awaitedLifetime * 1000).toISOString() };
}

/** Waits until the time of orders has run out that were just made with `awaitedSoon`. */
function awaitExpiry(context: CheckContext): Promise<void> {
  // The target's clock is known to the second.
  return context.pause((awaitedLifetime + 2) * 1000);
}

/** A field of a create: the order expires so soon that its expiry can be awaited, or as usual where time can be moved. */
export function soon(context: CheckContext): { expiresAt: string } {
  return context.has('clock') ? { expiresAt: ordinaryExpiry(context) } : awaitedSoon(context);
}

/** How far before and behind the expiry of an order its merchant's clock is moved, in seconds: a target that is further off is seen. */
const besideExpiry = 15;

/**
 * Lets the time of orders run out that were just made with `soon`, by moving the merchant's clock or by waiting. `shortlyBefore` is done
 * when little of their time is left, where the clock can be moved.
 */
export async function passSoon(
  context: CheckContext,
  merchant: Credentials,
  shortlyBefore?: () => Promise<unknown>,
): Promise<void> {
  if (!context.has('clock')) return awaitExpiry(context);
  if (!shortlyBefore) return context.advanceClock(merchant, orderLifetime + besideExpiry);
  await context.advanceClock(merchant, orderLifetime - besideExpiry);
  await shortlyBefore();
  await context.advanceClock(merchant, 2 * besideExpiry);
}

/**
 * What a check holds of the create of an order that is made with `soon`. A target that refuses it where no clock can be moved
 * has not broken a rule that the check asks about: orders may have to live longer there, and `NeedNotMet` is thrown.
 */
export function needSoonAccepted(context: CheckContext): (created: Answer, what: string) => void {
  if (context.has('clock')) return needAccepted;
  return (created, what) => {
    if (isAccepted(created)) return;
    const why = `${what} that expires after ${awaitedLifetime} seconds is refused, and no clock can be moved`;
    throw new NeedNotMet('clock', why);
  };
}

/** How long an order lives: as usual, or so that its expiry can be awaited. */
export type Lifetime = 'ordinary' | 'short';

/** The fields of a create that give an order its life, and what decides about the answer to the create. */
export const lifeOf = (context: CheckContext, lifetime: Lifetime) =>
  lifetime === 'short'
    ? { life: soon(context), acceptance: needSoonAccepted(context) }
    : { life: {}, acceptance: needAccepted };

/** The same for a check that asks whether such a create is accepted: where a clock can be moved, a refusal breaks a rule. */
export function expectSoonAccepted(context: CheckContext): (created: Answer, what: string) => void {
  const need = context.has('clock') ? undefined : needSoonAccepted(context);
  return (created, what) => {
    need?.(created, what);
    expectAccepted(created, what);
  };
}

/** The statuses in which an order that nobody pays may end. */
export const unpaidStatuses: readonly string[] = ['CLOSED', 'FAILED'];

/** Lets an order expire that was just made with `soon`; its view once it has ended. Throws `Inconclusive` when it does not end. */
export async function expire(context: CheckContext, order: AnyMadeOrder): Promise<Answer> {
  await passSoon(context, order.merchant);
  const hasEnded = (answer: Answer) => unpaidStatuses.includes(String(statusOf(answer)));
  const answer = await pollFor(context, `${order.product} expire`, order.query, hasEnded);
  if (hasEnded(answer)) return answer;
  throw notExpired(order.product, answer);
}

/** An order did not expire although its time is over, which other checks judge. */
export function notExpired(product: Product, view: Answer): Inconclusive {
  const requirement = `${product}.states.expired` as const;
  return new Inconclusive(`the order did not expire, but is ${String(statusOf(view))}`, { requirement });
}

/**
 * Does something for which the time of these orders must be over, which nobody has paid. Where it finds a fault and one of them has not expired,
 * the clock has not moved for the target, and the fault says nothing: throws `Inconclusive`.
 */
export async function unlessUnexpired(orders: readonly AnyMadeOrder[], work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    for (const { product, query } of orders) {
      const view = await query();
      if (!unpaidStatuses.includes(String(statusOf(view)))) throw notExpired(product, view);
    }
    throw error;
  }
}

/** Lets an order expire that was just made with `soon`, and pays it afterwards. Fails unless the order keeps the status that it ended with. */
export async function expectNoLatePayment(context: CheckContext, order: AnyMadeOrder): Promise<void> {
  const ended = await expire(context, order);
  for (const type of ['transaction_detected', 'payment_confirmed'] as const) {
    await context.orderEvent(order.merchant, order.orderId, { type });
    expectField(await order.query(), 'data.status', statusOf(ended));
  }
}
