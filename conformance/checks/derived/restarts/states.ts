import type { RequirementId } from '../../../../generated/catalogue-ids.ts';
import { makeCheckoutOrder } from '../../../arrange/checkout-orders/checkout-orders.ts';
import { type AnyMadeOrder, expire, type Product, tooLittle } from '../../../arrange/orders/any-order.ts';
import { ordersClient } from '../../../arrange/orders/client.ts';
import { makeOrder } from '../../../arrange/orders/orders.ts';
import { confirmed, exchanges, overpaid } from '../../../arrange/orders/payments.ts';
import { makeRefund } from '../../../arrange/refunds/refunds.ts';
import { amidRestart, pollAfterRestart, sendOnce } from '../../../arrange/situations/restarts.ts';
import { awaitEnd, ifTaken, isFinal, unpaidEnds } from '../../../arrange/situations/situations.ts';
import type { CheckContext } from '../../../check/context.ts';
import type { CheckDeclaration } from '../../../check/define-checks.ts';
import { expectThat, isAccepted, seenAt, statusOf, summary } from '../../../check/expect.ts';
import { show } from '../../../contract/show.ts';
import { isFinalStatus, progressOf } from '../../../contract/statuses.ts';
import type { Credentials, OrderStep, RefundStep, StepOutcome } from '../../../drivers/driver.ts';
import { Inconclusive } from '../../../errors/outcomes.ts';
import { type Answer, field } from '../../../wire/exchange.ts';
import { expectAllAsShown, expectRecord, type Records, recordsOf } from './records.ts';

/** Whether a status takes another one back. Statuses that the contract does not have are judged elsewhere. */
function takesBack(area: Records['area'], seen: string, now: string): boolean {
  const [before, after] = [progressOf(area, seen) ?? 0, progressOf(area, now) ?? 2];
  return after < before || (before === 2 && now !== seen);
}

/** What an order comes to by steps that follow the restart. */
interface Sequel {
  product: Product;
  /** The status in which it is before them. */
  from: 'INIT' | 'PROCESSING';
  steps: readonly (() => Promise<StepOutcome>)[];
  end: 'SUCCEEDED' | 'FAILED';
  /** What the order is, and what happens to it. */
  what: string;
  requirement: RequirementId;
}

/** The requirements of the ends to which a confirmed payment leads, and of the one to which no payment leads. */
const requirementsOfEnds = {
  orders: {
    SUCCEEDED: 'orders.states.confirmed',
    FAILED: 'orders.states.failed',
    CLOSED: 'orders.states.no-other-moves',
  },
  checkout: { SUCCEEDED: 'checkout.payment-rule', FAILED: 'checkout.payment-rule', CLOSED: 'checkout.payment-rule' },
} as const;

/** Something whose status moves while the target ends. */
interface Moving {
  query(): Promise<Answer>;
  /** Asks for it under its other ids. */
  queriesOtherwise?: readonly (() => Promise<Answer>)[];
  /** The steps that move it on, one after the other. */
  steps: readonly (() => Promise<unknown>)[];
  sequel?: Sequel;
}

const detected: OrderStep = { type: 'transaction_detected' };
/** Courses after which a payment is under way. */
const [paidUnderWay, underpaidUnderWay]: readonly [paid: readonly OrderStep[], underpaid: readonly OrderStep[]] = [
  [detected],
  [{ type: 'transaction_detected', amount: tooLittle }],
];
const courses: readonly (readonly OrderStep[])[] = [
  paidUnderWay,
  underpaidUnderWay,
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

/**
 * By how much time is moved before the orders are made, in seconds: by more than afterwards, so that an order does not expire where that is
 * forgotten and time goes back.
 */
const movedBefore = 3 * 24 * 60 * 60;

/** The ways in which something is found under its other ids before the restart. Whether hosted orders are found by their platform's ids is open. */
async function waysBefore({ queriesOtherwise = [] }: Moving, { id }: Records, shown: Answer) {
  const answers = await Promise.all(queriesOtherwise.map(sendOnce));
  return queriesOtherwise.filter((_, index) => {
    const answer = answers[index];
    return answer && isAccepted(answer) && field(answer, id) === field(shown, id);
  });
}

/** Lets an order go on after the restart. Fails when it comes to another end than the one that its payment leads to. */
async function expectSequel(
  context: CheckContext,
  { query }: Moving,
  { product, from, steps, end, what, requirement }: Sequel,
  shown: Answer,
): Promise<void> {
  if (statusOf(shown) !== from) return;
  const now = await pollAfterRestart(context, query, isAccepted);
  // One that has been closed takes no step. That its payment goes wrong meanwhile is possible.
  const isClosed = from === 'PROCESSING' && statusOf(now) === 'CLOSED';
  if (!isClosed && statusOf(now) !== from) return;
  if (!isClosed) {
    // Not every driver takes every step.
    for (const step of steps) if (!(await step()).done) return;
  }
  const answer = await pollAfterRestart(context, query, isFinal);
  expectThat(statusOf(answer) === end, answer, {
    expected: `${what}: data.status = ${end}`,
    actual: seenAt(answer, 'data.status'),
    requirement: isClosed ? requirementsOfEnds[product].CLOSED : requirement,
  });
}

/**
 * Moves things before the target ends, so that a driver that takes long meets some of every kind, and others while it ends. Fails when one is
 * then in a status behind the one that it was last seen in, or shows something of it otherwise.
 */
async function expectNothingTakenBack(
  context: CheckContext,
  area: Records['area'],
  { before: ended, amid }: Readonly<Record<'before' | 'amid', readonly Moving[]>>,
) {
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
    if (each.steps.length === 0) await look(each);
    return true;
  };
  const ways = new Map<Moving, Awaited<ReturnType<typeof waysBefore>>>();
  for (const each of ended) {
    await move(each);
    const shown = seen.get(each);
    if (shown) ways.set(each, await waysBefore(each, recordsOf[area], shown));
  }
  const [first] = ended;
  if (!first) throw new Inconclusive('there is nothing that moves');
  await amidRestart(context, amid, move, first.query);
  await Promise.all(
    [...seen].map(async ([each, shown]) => {
      const { query, sequel } = each;
      const before = String(statusOf(shown));
      const isKept = (answer: Answer) => isAccepted(answer) && !takesBack(area, before, String(statusOf(answer)));
      const answer = await pollAfterRestart(context, query, isKept);
      expectThat(isKept(answer), answer, {
        expected: `data.status = ${before}, as before the restart, or a status after it`,
        actual: isAccepted(answer) ? `data.status = ${show(statusOf(answer))}` : summary(answer),
      });
      // A state that it has moved on to may show less.
      if (before === statusOf(answer)) expectAllAsShown(answer, recordsOf[area], shown);
      for (const way of ways.get(each) ?? []) {
        const otherwise = await pollAfterRestart(context, way, isAccepted);
        const expected = `after the restart, under another of its ids, when it was ${before} before`;
        const id = field(shown, recordsOf[area].id);
        expectRecord(otherwise, recordsOf[area], id, expected, 'general.restart.acknowledged');
      }
      if (sequel) await expectSequel(context, each, sequel, shown);
    }),
  );
}

/** The steps of a course, for an order. */
const stepsFor = (context: CheckContext, { merchant, orderId }: AnyMadeOrder, course: readonly OrderStep[]) =>
  course.map((step) => () => context.orderEvent(merchant, orderId, step));

function movingOrder(context: CheckContext, order: AnyMadeOrder, course: readonly OrderStep[]): Moving {
  const { product, merchant, orderId, query } = order;
  const moving: Moving = { query, steps: stepsFor(context, order, course) };
  const end = course === paidUnderWay ? 'SUCCEEDED' : 'FAILED';
  const otherwise =
    product === 'orders' ? { queriesOtherwise: [() => ordersClient(context, merchant).query(orderId)] } : {};
  return {
    ...moving,
    ...otherwise,
    ...((course === paidUnderWay || course === underpaidUnderWay) && {
      sequel: {
        product,
        from: 'PROCESSING',
        steps: stepsFor(context, order, [confirmed]),
        end,
        what: `an order whose payment ${end === 'FAILED' ? 'of too little ' : ''}was seen before the restart and is confirmed after it`,
        requirement: requirementsOfEnds[product][end],
      },
    }),
  };
}

/** A rate of USD, the price of an order in USD, and what is more than the price and less than what is due. */
const rated = { usdRate: '1.5', price: '10', paid: '12' } as const;

/**
 * Hosted orders in USD that are paid too little by the rate of their merchant: one whose payment is seen before the restart, and one whose
 * payment is seen after it. Empty: a third one does not become FAILED by that payment before the restart.
 */
async function movingAtRate(context: CheckContext): Promise<Moving[]> {
  const merchant = await context.ownMerchant({ usdRate: rated.usdRate });
  const orderAmount = { value: rated.price, currency: 'USD' } as const;
  const make = () => makeOrder(context, merchant, { orderAmount });
  const seenTooLittle: OrderStep = { type: 'transaction_detected', amount: rated.paid };
  const [example, underWay, unpaid] = await Promise.all([make(), make(), make()]);
  for (const step of stepsFor(context, example, [seenTooLittle, confirmed])) if (!(await step()).done) return [];
  if (statusOf(await awaitEnd(context, example)) !== 'FAILED') return [];
  const what = `${rated.paid} USDT for an order of ${rated.price} USD that was made at a rate of ${rated.usdRate} before the restart`;
  return [
    {
      query: underWay.query,
      steps: stepsFor(context, underWay, [seenTooLittle]),
      sequel: {
        product: 'orders',
        from: 'PROCESSING',
        steps: stepsFor(context, underWay, [confirmed]),
        end: 'FAILED',
        what: `${what}, seen before it and confirmed after it`,
        requirement: requirementsOfEnds.orders.FAILED,
      },
    },
    {
      query: unpaid.query,
      steps: [],
      sequel: {
        product: 'orders',
        from: 'INIT',
        steps: stepsFor(context, unpaid, [seenTooLittle, confirmed]),
        end: 'FAILED',
        what: `${what}, seen and confirmed after it`,
        requirement: 'general.restart.refusals',
      },
    },
  ];
}

const orderStates = (
  area: 'orders' | 'checkout',
  noun: string,
  make: (context: CheckContext, merchant: Credentials) => Promise<AnyMadeOrder>,
): CheckDeclaration => ({
  id: `${area}.restart.states`,
  title: `The status of a ${noun} is not taken back when the target has ended without warning, and its payment leads to the same end`,
  requirements: [
    'general.restart.states',
    'general.restart.acknowledged',
    ...new Set(Object.values(requirementsOfEnds[area])),
    ...(area === 'orders' ? (['general.restart.refusals'] as const) : []),
  ],
  needs: ['own-merchant', 'order-events', 'restart'],
  long: true,
  async run(context) {
    const merchant = await context.ownMerchant();
    const all = area === 'orders' ? hostedCourses : courses;
    const makeMoving = () =>
      Promise.all(all.map(async (course) => movingOrder(context, await make(context, merchant), course)));
    const [before, amid, atRate = []] = await Promise.all([
      makeMoving(),
      makeMoving(),
      area === 'orders' ? ifTaken(movingAtRate(context)) : [],
    ]);
    await expectNothingTakenBack(context, area, { before: [...before, ...atRate], amid });
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
    await context.advanceClock(merchant, movedBefore);
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
      expected:
        'an order that nobody has paid has ended, two days after it was made before the restart, by the time of a merchant that was moved before too',
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
      const makeMoving = async (course: (typeof refundCourses)[number]): Promise<Moving> => {
        const { client, order, request, refundOrderId, query } = await makeRefund(context, merchant);
        const { merchantRefundOrderId } = request;
        return {
          query,
          queriesOtherwise: [
            () => client.query({ merchantRefundOrderId }),
            () => client.query({ acquiringOrderId: order.orderId }),
          ],
          steps: course.map((type) => () => context.refundEvent(merchant, refundOrderId, { type })),
        };
      };
      const [before, amid] = await Promise.all(
        [refundCourses, refundCourses].map((courses) => Promise.all(courses.map(makeMoving))),
      );
      await expectNothingTakenBack(context, 'refunds', { before: before ?? [], amid: amid ?? [] });
    },
  },
  ...(['orders', 'checkout'] as const).map(expiring),
];
