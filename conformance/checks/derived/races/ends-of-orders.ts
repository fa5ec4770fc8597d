import { makeCheckoutOrder } from '../../../arrange/checkout-orders/checkout-orders.ts';
import { type AnyMadeOrder, passSoon, soon } from '../../../arrange/orders/any-order.ts';
import { makeOrder } from '../../../arrange/orders/orders.ts';
import { confirmed } from '../../../arrange/orders/payments.ts';
import { pollFor } from '../../../arrange/requests/bring-to.ts';
import { everyRound, isAtOnce, racing } from '../../../arrange/situations/races.ts';
import { isFinal } from '../../../arrange/situations/situations.ts';
import type { CheckContext } from '../../../check/context.ts';
import type { CheckDeclaration } from '../../../check/define-checks.ts';
import { expectThat, isAccepted, statusOf } from '../../../check/expect.ts';
import { show } from '../../../contract/show.ts';
import type { Credentials, OrderStep } from '../../../drivers/driver.ts';
import type { Answer } from '../../../wire/exchange.ts';
import { expectPath, type Moves } from './moves.ts';

const detected: OrderStep = { type: 'transaction_detected' };
const cancelled: OrderStep = { type: 'cancelled' };
const failing: OrderStep = { type: 'payment_failed' };

/** What is different about the orders of the two products. */
interface RacingProduct {
  area: 'orders' | 'checkout';
  noun: string;
  make(
    context: CheckContext,
    merchant: Credentials,
    changes: { expiresAt?: string; callbackUrl?: string },
  ): Promise<AnyMadeOrder>;
  rules: Moves;
}

const products: readonly RacingProduct[] = [
  {
    area: 'orders',
    noun: 'an order',
    make: makeOrder,
    rules: { final: 'orders.states.final', table: 'orders.states.no-other-moves' },
  },
  { area: 'checkout', noun: 'a checkout order', make: makeCheckoutOrder, rules: { final: 'checkout.states.final' } },
];

/** Confirms a payment after a race, whichever of the two has won, and asks once more. */
async function andConfirm({ merchant, orderId, query }: AnyMadeOrder, context: CheckContext): Promise<Answer[]> {
  await context.orderEvent(merchant, orderId, confirmed);
  return [await query()];
}

/** Two steps of a race of which one order can take only one, and what is broken where it takes both. */
interface Rivals {
  steps: readonly [OrderStep, OrderStep];
  /** Takes a new order to where the race begins. */
  before: readonly OrderStep[];
}

const paymentAndCancellation: Rivals = { steps: [detected, cancelled], before: [] };
const endOfPaymentAndCancellation: Rivals = { steps: [confirmed, cancelled], before: [detected] };
const bothEndsOfPayment: Rivals = { steps: [confirmed, failing], before: [detected] };

/**
 * Whether the driver tells by its outcomes which steps an order takes: of two rivals, one after the other, it says that the second one is refused,
 * unless the order shows that it was taken.
 */
async function tellsWhatIsTaken(
  context: CheckContext,
  makeOne: () => Promise<AnyMadeOrder>,
  { steps: [one, other], before }: Rivals,
): Promise<boolean> {
  for (const steps of [
    [one, other],
    [other, one],
  ] as const) {
    const { merchant, orderId, query } = await makeOne();
    for (const step of before) await context.orderEvent(merchant, orderId, step);
    const [first, second] = steps;
    const { done } = await context.orderEvent(merchant, orderId, first);
    // What the first one leads to may show a little later.
    if (first !== detected) await pollFor(context, `order ends after ${first.type}`, query, isFinal);
    const again = await context.orderEvent(merchant, orderId, second);
    // A target may let a checkout order be cancelled whose payment it has seen.
    const isMove = first === detected && statusOf(await query()) === 'CLOSED';
    if (!done || (again.done && !isMove)) return false;
  }
  return true;
}

/**
 * Fails where an order has taken both of two steps, which lead to two ends, or away from one: by the word of a driver that refuses the second of
 * them where they do not meet. No answer need have shown the state that was left.
 */
async function expectOneTaken(
  context: CheckContext,
  makeOne: () => Promise<AnyMadeOrder>,
  rivals: Rivals,
  taken: readonly OrderStep[],
  end: Answer,
  { final, table }: Moves,
): Promise<void> {
  const [one, other] = rivals.steps;
  if (!taken.includes(one) || !taken.includes(other) || !isAccepted(end)) return;
  // A payment that was seen, and then cancelled: only the table of the moves of hosted orders excludes it.
  const isCancelled = one === detected && statusOf(end) === 'CLOSED';
  const requirement = isCancelled ? table : final;
  if (!requirement || !(await tellsWhatIsTaken(context, makeOne, rivals))) return;
  expectThat(false, end, {
    expected: `one of ${one.type} and ${other.type} taken, and the other one refused, as where they do not meet`,
    actual: `the driver says that both were done, and data.status = ${show(statusOf(end))}`,
    requirement,
  });
}

/**
 * Holds the rounds of a race between steps that happen to an order of one merchant. The rules over the whole run see whether two ends of an
 * order are announced.
 */
async function everyRoundOf(
  context: CheckContext,
  make: RacingProduct['make'],
  rules: Moves,
  round: (
    order: AnyMadeOrder,
    step: (each: OrderStep) => () => Promise<unknown>,
    race: (rivals: Rivals) => Promise<Answer[]>,
  ) => Promise<unknown>,
): Promise<void> {
  const [merchant, { url: callbackUrl }] = [await context.ownMerchant(), await context.mailbox()];
  const makeOne = () => make(context, merchant, { callbackUrl });
  await everyRound(async (held) => {
    const order = await makeOne();
    const { orderId, query } = order;
    const step = (each: OrderStep) => () => context.orderEvent(merchant, orderId, each);
    await round(order, step, async (rivals) => {
      const taken: OrderStep[] = [];
      const racer = (each: OrderStep) => async () => {
        if ((await step(each)()).done) taken.push(each);
      };
      const answers = await racing(context, rivals.steps.map(racer), query, isAtOnce(held));
      expectPath(answers, rules);
      const end = answers.at(-1);
      if (end) await expectOneTaken(context, makeOne, rivals, taken, end, rules);
      return answers;
    });
  });
}

const racesOf = ({ area, noun, make, rules }: RacingProduct): readonly CheckDeclaration[] => [
  {
    id: `${area}.race.paid-while-expiring`,
    title: `${noun.replace(/^a/, 'A')} whose payment comes at the moment of its expiry is paid or ended, and stays so`,
    requirements: [rules.final, ...(rules.table ? [rules.table] : [])],
    needs: ['order-events', 'clock'],
    async run(context) {
      await everyRound(async () => {
        const merchant = await context.ownMerchant();
        const order = await make(context, merchant, soon(context));
        const pay = () => context.orderEvent(merchant, order.orderId, detected);
        const answers = await racing(context, [pay, () => passSoon(context, merchant)], order.query);
        expectPath([...answers, ...(await andConfirm(order, context))], rules);
      });
    },
  },
  {
    id: `${area}.race.paid-while-cancelled`,
    title: `${noun.replace(/^a/, 'A')} that is cancelled at the moment of its payment is paid or ended, and stays so`,
    requirements: [rules.final, ...(rules.table ? [rules.table] : [])],
    needs: ['order-events'],
    run: (context) =>
      everyRoundOf(context, make, rules, async (_order, _step, race) => {
        const answers = await race(paymentAndCancellation);
        expectPath([...answers, ...(await race(endOfPaymentAndCancellation))], rules);
      }),
  },
  {
    id: `${area}.race.confirmed-while-failing`,
    title: `${noun.replace(/^a/, 'A')} whose payment is confirmed and fails at nearly the same moment comes to one of these ends, and stays there`,
    requirements: [rules.final],
    needs: ['order-events'],
    run: (context) =>
      everyRoundOf(context, make, rules, async (_order, step, race) => {
        await step(detected)();
        await race(bothEndsOfPayment);
      }),
  },
];

export const endOfOrderRaces: readonly CheckDeclaration[] = products.flatMap(racesOf);
