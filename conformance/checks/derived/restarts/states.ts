import { makeCheckoutOrder } from '../../../arrange/checkout-orders/checkout-orders.ts';
import { type AnyMadeOrder, expire, type Product } from '../../../arrange/orders/any-order.ts';
import { makeOrder } from '../../../arrange/orders/orders.ts';
import { makeRefund } from '../../../arrange/refunds/refunds.ts';
import { amidRestart, pollAfterRestart, sendOnce } from '../../../arrange/situations/restarts.ts';
import { confirmed, exchanges, overpaid, unpaidEnds } from '../../../arrange/situations/situations.ts';
import type { CheckContext } from '../../../check/context.ts';
import type { CheckDeclaration } from '../../../check/define-checks.ts';
import { expectThat, isAccepted, statusOf, summary } from '../../../check/expect.ts';
import { show } from '../../../contract/show.ts';
import { isFinalStatus, progressOf } from '../../../contract/statuses.ts';
import type { Credentials, OrderStep, RefundStep } from '../../../drivers/driver.ts';
import { Inconclusive } from '../../../errors/outcomes.ts';
import type { Answer } from '../../../wire/exchange.ts';
import { expectAllAsShown, type Records, recordsOf } from './records.ts';

/** Whether a status takes another one back. Statuses that the contract does not have are judged elsewhere. */
function takesBack(area: Records['area'], seen: string, now: string): boolean {
  const [before, after] = [progressOf(area, seen) ?? 0, progressOf(area, now) ?? 2];
  return after < before || (before === 2 && now !== seen);
}

/** Something whose status moves while the target ends. */
interface Moving {
  query(): Promise<Answer>;
  /** The steps that move it on, one after the other. */
  steps: readonly (() => Promise<unknown>)[];
}

const detected: OrderStep = { type: 'transaction_detected' };
const courses: readonly (readonly OrderStep[])[] = [
  [detected],
  [detected, confirmed],
  unpaidEnds.cancelled,
  // What was paid stays as it was shown, also where it is not what was due.
  [overpaid, confirmed],
  unpaidEnds.underpaid,
];

/** Courses of hosted orders, which exchanges pay too. */
const hostedCourses: typeof courses = [
  ...courses,
  [{ type: 'transaction_detected', paymentMethod: exchanges[0] }, confirmed],
];
const refundCourses: readonly (readonly RefundStep['type'][])[] = [
  ['processing_started'],
  ['processing_started', 'completed'],
  ['processing_started', 'failed'],
  ['closed'],
];

/** More time than an order has to be paid, in seconds. */
const longAfterExpiry = 2 * 24 * 60 * 60;

/** Moves things while the target ends. Fails when one is then in a status behind the one that it was last seen in, or shows something of it otherwise. */
async function expectNothingTakenBack(context: CheckContext, area: Records['area'], moving: readonly Moving[]) {
  const seen = new Map<Moving, Answer>();
  const look = async (each: Moving) => {
    const answer = await sendOnce(each.query);
    if (answer && typeof statusOf(answer) === 'string') seen.set(each, answer);
  };
  const move = async (each: Moving) => {
    for (const step of each.steps) {
      await step();
      await look(each);
    }
    return true;
  };
  // Half of them have come to their end before, so that a driver that takes long meets some of every kind.
  const half = moving.length / 2;
  for (const each of moving.slice(0, half)) await move(each);
  const [first] = moving;
  if (!first) throw new Inconclusive('there is nothing that moves');
  await amidRestart(context, moving.slice(half), move, first.query);
  await Promise.all(
    [...seen].map(async ([{ query }, shown]) => {
      const before = String(statusOf(shown));
      const isKept = (answer: Answer) => isAccepted(answer) && !takesBack(area, before, String(statusOf(answer)));
      const answer = await pollAfterRestart(context, query, isKept);
      expectThat(isKept(answer), answer, {
        expected: `data.status = ${before}, as before the restart, or a status after it`,
        actual: isAccepted(answer) ? `data.status = ${show(statusOf(answer))}` : summary(answer),
      });
      // A state that it has moved on to may show less.
      if (before === statusOf(answer)) expectAllAsShown(answer, recordsOf[area], shown);
    }),
  );
}

const movingOrder = (context: CheckContext, order: AnyMadeOrder, course: readonly OrderStep[]): Moving => ({
  query: order.query,
  steps: course.map((step) => () => context.orderEvent(order.merchant, order.orderId, step)),
});

const orderStates = (
  area: 'orders' | 'checkout',
  noun: string,
  make: (context: CheckContext, merchant: Credentials) => Promise<AnyMadeOrder>,
): CheckDeclaration => ({
  id: `${area}.restart.states`,
  title: `The status of a ${noun} is not taken back when the target has ended without warning`,
  requirements: ['general.restart.states', 'general.restart.acknowledged'],
  needs: ['own-merchant', 'order-events', 'restart'],
  long: true,
  async run(context) {
    const merchant = await context.ownMerchant();
    const all = area === 'orders' ? hostedCourses : courses;
    const moving = [...all, ...all].map(async (course) => movingOrder(context, await make(context, merchant), course));
    await expectNothingTakenBack(context, area, await Promise.all(moving));
  },
});

const makeUnpaid = (context: CheckContext, area: Product, merchant: Credentials): Promise<AnyMadeOrder> =>
  area === 'orders' ? makeOrder(context, merchant) : makeCheckoutOrder(context, merchant);

/** A hosted order whose payment is under way. `undefined`: the driver lets nobody pay, or it was not seen in PROCESSING. */
async function makeUnderWay(context: CheckContext, merchant: Credentials): Promise<AnyMadeOrder | undefined> {
  if (!context.has('order-events')) return undefined;
  const order = await makeOrder(context, merchant);
  await context.orderEvent(merchant, order.orderId, detected);
  return statusOf(await order.query()) === 'PROCESSING' ? order : undefined;
}

/** Lets another order expire before the restart. Throws `Inconclusive` when it does not: then the restart is not to blame for those that do not either. */
async function expireBefore(context: CheckContext, area: Product): Promise<void> {
  await expire(context, await makeUnpaid(context, area, await context.ownMerchant()));
}

const expiring = (area: Product): CheckDeclaration => ({
  id: `${area}.restart.expires`,
  title: `A ${recordsOf[area].noun} that nobody pays expires also when the target has ended without warning before${area === 'orders' ? ', and one whose payment is under way does not' : ''}`,
  requirements: ['general.restart.expiry'],
  needs: ['own-merchant', 'clock', 'restart'],
  async run(context) {
    const merchant = await context.ownMerchant();
    const [order, underWay] = await Promise.all([
      makeUnpaid(context, area, merchant),
      area === 'orders' ? makeUnderWay(context, merchant) : undefined,
      expireBefore(context, area),
    ]);
    await amidRestart(context, [order], ({ query }) => sendOnce(query), order.query);
    await context.advanceClock(merchant, longAfterExpiry);
    const hasEnded = (answer: Answer) => !isAccepted(answer) || isFinalStatus(area, statusOf(answer));
    const answer = await pollAfterRestart(context, order.query, hasEnded);
    expectThat(isAccepted(answer) && hasEnded(answer), answer, {
      expected: 'an order that nobody has paid has ended, two days after it was made before the restart',
      actual: isAccepted(answer) ? `data.status = ${show(statusOf(answer))}` : summary(answer),
    });
    if (!underWay) return;
    const view = await pollAfterRestart(context, underWay.query, isAccepted);
    expectThat(isAccepted(view) && statusOf(view) !== 'CLOSED', view, {
      expected: 'an order whose payment was under way before the restart is not CLOSED two days later',
      actual: isAccepted(view) ? `data.status = ${show(statusOf(view))}` : summary(view),
    });
  },
});

/** No status is taken back, and what nobody pays still expires. */
export const stateChecks: readonly CheckDeclaration[] = [
  orderStates('orders', 'hosted order', makeOrder),
  orderStates('checkout', 'checkout order', makeCheckoutOrder),
  {
    id: 'refunds.restart.states',
    title: 'The status of a refund is not taken back when the target has ended without warning',
    requirements: ['general.restart.states', 'general.restart.acknowledged'],
    needs: ['own-merchant', 'order-events', 'refund-events', 'restart'],
    long: true,
    async run(context) {
      const merchant = await context.ownMerchant();
      const moving = [...refundCourses, ...refundCourses].map(async (course): Promise<Moving> => {
        const { refundOrderId, query } = await makeRefund(context, merchant);
        return { query, steps: course.map((type) => () => context.refundEvent(merchant, refundOrderId, { type })) };
      });
      await expectNothingTakenBack(context, 'refunds', await Promise.all(moving));
    },
  },
  ...(['orders', 'checkout'] as const).map(expiring),
];
