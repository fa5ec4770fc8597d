import type { RequirementId } from '../../../generated/catalogue.ts';
import { makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { type AnyMadeOrder, passSoon, soon, tooLittle } from '../../arrange/orders/any-order.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { exchanges, overpaid } from '../../arrange/orders/payments.ts';
import { bringRefundTo, makeRefund } from '../../arrange/refunds/refunds.ts';
import { ifTaken, letHappen, sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectField, statusOf } from '../../check/expect.ts';
import type { Credentials, OrderStep, RefundStep } from '../../drivers/driver.ts';
import type { Answer } from '../../wire/exchange.ts';

const inFull: OrderStep = { type: 'transaction_detected' };
const tooSmall: OrderStep = { type: 'transaction_detected', amount: tooLittle };
const confirmed: OrderStep = { type: 'payment_confirmed' };
const failed: OrderStep = { type: 'payment_failed' };
const timedOut: OrderStep = { type: 'payment_failed', reason: 'timeout' };
const erred: OrderStep = { type: 'payment_failed', reason: 'error' };
const cancelled: OrderStep = { type: 'cancelled' };

/** Every way of an order to a final state by the contract's table, and ways with a step between that moves nothing. */
const waysOfOrders: readonly (readonly OrderStep[])[] = [
  [inFull, confirmed],
  [inFull, timedOut],
  [inFull, erred],
  [tooSmall, confirmed],
  [tooSmall, failed],
  [cancelled],
  [inFull, cancelled, confirmed],
  [tooSmall, inFull, confirmed],
  [confirmed, cancelled],
];

const stepsOfOrders: readonly OrderStep[] = [inFull, confirmed, failed, timedOut, erred, cancelled, tooSmall, overpaid];

/** Payments that hosted orders alone can have. */
const stepsOfHosted: readonly OrderStep[] = exchanges.map((paymentMethod) => ({ ...inFull, paymentMethod }));

const waysOfRefunds: readonly (readonly RefundStep['type'][])[] = [
  ['processing_started', 'completed'],
  ['processing_started', 'failed'],
  ['completed'],
  ['failed'],
  ['closed'],
  ['processing_started', 'closed', 'completed'],
];

/** A failure may be told from another one by its code. */
const stepsOfRefunds: readonly RefundStep[] = [
  { type: 'completed' },
  { type: 'failed' },
  { type: 'failed', errorCode: 'NETWORK_UNAVAILABLE' },
  { type: 'closed' },
  { type: 'processing_started' },
];

const finalStates: readonly unknown[] = ['SUCCEEDED', 'FAILED', 'CLOSED'];

/** The same steps, beginning with another one for each seed. */
function turned<Step>(steps: readonly Step[], random: number): Step[] {
  const first = Math.floor(random * steps.length);
  return [...steps.slice(first), ...steps.slice(0, first)];
}

/** Longer than anything waits that has ended, in seconds. */
const months = 200 * 86_400;

/** Something that has ended. */
interface Ended {
  query: () => Promise<Answer>;
  /** The status that it had at its end. */
  status: unknown;
  /** Takes every step there is. */
  takeSteps(): Promise<void>;
}

/** Fails when time moves what has ended, or a step after a long time, where time can be moved. */
async function expectLasting(
  context: CheckContext,
  merchant: Credentials,
  ended: readonly (Ended | undefined)[],
): Promise<void> {
  if (!context.has('clock')) return;
  await context.advanceClock(merchant, months);
  const all = ended.flatMap((each) => each ?? []);
  const expectSame = async ({ query, status }: Ended) => expectField(await query(), 'data.status', status);
  await sideBySide(all.map(expectSame));
  await sideBySide(
    all.map(async (each) => {
      await each.takeSteps();
      await expectSame(each);
    }),
  );
}

/** The address of a new mailbox, which takes nothing where `refuses`: what has ended, has so whether or not anybody heard of it. */
async function addressOf(context: CheckContext, refuses: boolean): Promise<string> {
  const mailbox = await context.mailbox();
  if (refuses) mailbox.reply({ status: 500 });
  return mailbox.url;
}

/**
 * Takes the steps of a way, or else of another one where that has led to no final state, and then every step there is. Fails when a final
 * state that was seen once is left. Returns what has ended, if it has.
 */
async function expectFinal<Step>(
  context: CheckContext,
  query: () => Promise<Answer>,
  { way, otherwise = [], steps }: { way: readonly Step[]; otherwise?: readonly Step[]; steps: readonly Step[] },
  take: (step: Step) => Promise<unknown>,
): Promise<Ended | undefined> {
  const isFinal = (answer: Answer) => finalStates.includes(statusOf(answer));
  for (const step of way) await take(step);
  if (!isFinal(await query())) for (const step of otherwise) await take(step);
  const ended = await context.poll(query, isFinal);
  // Where a way leads is the question of other checks.
  if (!isFinal(ended)) return undefined;
  const status = statusOf(ended);
  for (const step of turned(steps, context.random())) {
    await take(step);
    expectField(await query(), 'data.status', status);
  }
  const takeSteps = async () => {
    for (const step of steps) await take(step);
  };
  return { query, status, takeSteps };
}

type MakeOrder = (
  context: CheckContext,
  merchant: Credentials,
  changes: { expiresAt?: string; callbackUrl: string },
) => Promise<AnyMadeOrder>;

function ordersCheck(
  area: 'orders' | 'checkout',
  noun: string,
  make: MakeOrder,
  rule: RequirementId,
  steps: readonly OrderStep[],
): CheckDeclaration {
  return {
    id: `${area}.state.final-by-every-way`,
    title: `Whatever way has brought ${noun} to a final state, neither an event nor time moves it again`,
    requirements: [rule],
    needs: ['order-events'],
    long: true,
    async run(context) {
      const merchant = await context.ownMerchant();
      // The rules over the whole run see what is announced of each, and whether a step that moved nothing is.
      const notified = async (changes: { expiresAt?: string } = {}, refuses = false) =>
        make(context, merchant, { ...changes, callbackUrl: await addressOf(context, refuses) });
      const byWay = async (way: readonly OrderStep[], index: number) => {
        const order = await notified({}, index % 2 === 0);
        const take = (step: OrderStep) => context.orderEvent(merchant, order.orderId, step);
        return expectFinal(context, order.query, { way, steps }, take);
      };
      /** An order that was paid, and whose refund has succeeded, where it can be refunded. */
      const refunded = async () => {
        if (!context.has('refund-events') || !context.has('refunds')) return undefined;
        const order = await notified();
        await letHappen(context, order, [inFull, confirmed]);
        const refund = await ifTaken(makeRefund(context, merchant, { order }));
        const isDone = refund && bringRefundTo(context, refund, 'SUCCEEDED').then(() => true);
        if (!isDone || !(await whereReached(ifTaken(isDone)))) return undefined;
        const take = (step: OrderStep) => context.orderEvent(merchant, order.orderId, step);
        return expectFinal(context, order.query, { way: [], steps }, take);
      };
      const ended = await sideBySide([...waysOfOrders.map(byWay), refunded()]);
      if (!context.has('clock')) return;
      // The clock of a merchant is that of all of its orders.
      const expiring = await notified(soon(context));
      await passSoon(context, merchant);
      const take = (step: OrderStep) => context.orderEvent(merchant, expiring.orderId, step);
      const expired = await expectFinal(context, expiring.query, { way: [], steps }, take);
      await expectLasting(context, merchant, [...ended, expired]);
    },
  };
}

const refundsCheck: CheckDeclaration = {
  id: 'refunds.state.final-by-every-way',
  title: 'Whatever way has brought a refund to a final state, neither an event nor time moves it again',
  requirements: ['refunds.states.final'],
  needs: ['order-events', 'refund-events'],
  async run(context) {
    const merchant = await context.ownMerchant();
    const ended = await sideBySide(
      waysOfRefunds.map(async (way, index) => {
        const notifyUrl = await addressOf(context, index % 2 === 0);
        const refund = await makeRefund(context, merchant, { notifyUrl });
        const take = (step: RefundStep) => context.refundEvent(merchant, refund.refundOrderId, step);
        // Which moves lead to a final state is free.
        const otherwise: RefundStep[] = [{ type: 'processing_started' }, { type: 'completed' }];
        const ofWay = way.map((type): RefundStep => ({ type }));
        return expectFinal(context, refund.query, { way: ofWay, otherwise, steps: stepsOfRefunds }, take);
      }),
    );
    await expectLasting(context, merchant, ended);
  },
};

export const finalStateChecks: readonly CheckDeclaration[] = [
  ordersCheck('orders', 'an order', makeOrder, 'orders.states.final', [...stepsOfOrders, ...stepsOfHosted]),
  ordersCheck('checkout', 'a checkout order', makeCheckoutOrder, 'checkout.states.final', stepsOfOrders),
  refundsCheck,
];
