import { checkoutMerchant, checkoutRequest, makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { type CheckoutOrderCreateRequest, checkoutClient } from '../../arrange/checkout-orders/client.ts';
import { preciseAmountFor } from '../../arrange/checkout-orders/payment-methods.ts';
import { type AnyMadeOrder, expire, type Product } from '../../arrange/orders/any-order.ts';
import { type OrderCreateRequest, ordersClient } from '../../arrange/orders/client.ts';
import { makeOrder, orderRequest } from '../../arrange/orders/orders.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { needCovering } from '../../arrange/refunds/fees.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { bringRefundTo, makeRefund, refundRequest } from '../../arrange/refunds/refunds.ts';
import { amidRestart, askUntilBack, pollAfterRestart, sendOnce } from '../../arrange/situations/restarts.ts';
import { confirmed, ifTaken, overpaid, sideBySide, unpaidEnds } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAmount, expectField, expectThat, isAccepted, statusOf, summary } from '../../check/expect.ts';
import { addDecimals, isDecimalText } from '../../contract/decimals.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { show } from '../../contract/show.ts';
import { isFinalStatus, progressOf } from '../../contract/statuses.ts';
import type { Credentials, OrderStep, RefundStep } from '../../drivers/driver.ts';
import { Inconclusive, PermittedChoice } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';

/** How many orders, and how many refunds, a check begins to make at most while the target ends. */
const [manyOrders, manyRefunds] = [30, 6];

/** A price with more digits than a store of floating-point numbers gives back. */
const precisePrice = '12.345678901234567891';

/** The price of the orders whose refunds are counted, and half of it. */
const [price, halfPrice] = ['9.50', '4.75'];

const repeated = <Item>(count: number, item: () => Item): Item[] => Array.from({ length: count }, item);

/** A time of expiry as another zone than UTC writes it, which a target may refuse. */
const inAnotherZone = (context: CheckContext) => ({
  expiresAt: new Date(context.now() + 3 * 3_600_000).toISOString().replace('Z', '+02:00'),
});

const paidOrders = (context: CheckContext, merchant: Credentials, count: number, value = price) =>
  Promise.all(repeated(count, () => makePaidOrder(context, merchant, { orderAmount: { value, currency: 'USDT' } })));

// --- Creates --------------------------------------------------------------------------------------------------------

/** A create that is sent while the target ends. */
interface Creation {
  create(): Promise<Answer>;
  query(): Promise<Answer>;
  /** Asks for the record under another id than its merchant's, if it is found so: the one that the platform gave it, or that of its order. */
  queryOtherwise?(created: Answer): Promise<Answer>;
}

/** The records of one kind, made by creates. */
interface Records {
  area: 'orders' | 'checkout' | 'refunds';
  noun: string;
  needs: CheckDeclaration['needs'];
  /** The field with the platform's id. */
  id: string;
  /** Fields that stay as they were shown: amounts, texts and times. */
  amounts: readonly string[];
  texts: readonly string[];
  times: readonly string[];
  /** The same of a final state. */
  amountsOfEnd: readonly string[];
  textsOfEnd: readonly string[];
  timesOfEnd: readonly string[];
  /** Prepares creates of a merchant of their own, which would be accepted. */
  prepare(context: CheckContext): Promise<Creation[]>;
  /** Makes records that come to an end before the restart, each of whose creates makes no second one afterwards. */
  prepareEnded?(context: CheckContext): Promise<(Creation & { made: Answer })[]>;
}

const hostedOrders: Records = {
  area: 'orders',
  noun: 'hosted order',
  needs: [],
  id: 'data.orderId',
  amounts: ['data.orderAmount.value'],
  texts: ['data.merchantOrderId', 'data.checkoutUrl', 'data.orderAmount.currency'],
  times: ['data.createdAt', 'data.expiresAt'],
  amountsOfEnd: ['data.cryptoPaidAmount.value'],
  textsOfEnd: ['data.cryptoPaidAmount.currency', 'data.cryptoPaymentDetail.txHash'],
  timesOfEnd: ['data.paidAt'],
  async prepare(context) {
    const [client, other] = await Promise.all(
      repeated(2, async () => ordersClient(context, await context.ownMerchant())),
    );
    if (!client || !other) return [];
    const creation = (changes: Partial<OrderCreateRequest> = {}, by = client): Creation => {
      const orderAmount = { value: precisePrice, currency: 'USDT' } as const;
      const request = orderRequest(context, { orderAmount, ...changes });
      return {
        create: () => by.create(request),
        query: () => by.query(request.merchantOrderId),
        queryOtherwise: (created) => by.query(String(field(created, 'data.orderId'))),
      };
    };
    const shared = { merchantOrderId: context.newOrderId() };
    // Two merchants may have one id.
    const first = [creation(), creation(shared), creation(shared, other), creation(inAnotherZone(context))];
    return [...first, ...repeated(manyOrders - first.length, () => creation())];
  },
};

const checkoutOrders: Records = {
  area: 'checkout',
  noun: 'checkout order',
  needs: [],
  id: 'data.orderId',
  amounts: ['data.orderAmount.value', 'data.cryptoPaymentAmount.value'],
  texts: [
    'data.merchantOrderId',
    'data.depositAddress',
    'data.network',
    'data.orderAmount.currency',
    // It need not come back.
    'data.metadata',
  ],
  times: ['data.createdAt', 'data.expiresAt'],
  amountsOfEnd: ['data.cryptoPaidAmount.value'],
  textsOfEnd: ['data.cryptoPaidAmount.currency', 'data.cryptoPaymentDetail.transactionHash'],
  timesOfEnd: ['data.paidAt'],
  async prepare(context) {
    const { client, method } = await checkoutMerchant(context, await context.ownMerchant());
    const precise = { orderAmount: { value: preciseAmountFor(method), currency: method.currency } };
    // How many decimal places an amount may have is not said.
    const isTaken = isAccepted(await client.create(checkoutRequest(context, method, precise)));
    const other = checkoutClient(context, await context.ownMerchant());
    const creation = (changes: Partial<CheckoutOrderCreateRequest> = {}, by = client): Creation => {
      const metadata = '{"cart":"c-17"}';
      const request = checkoutRequest(context, method, { ...(isTaken && precise), metadata, ...changes });
      return { create: () => by.create(request), query: () => by.query(request.merchantOrderId) };
    };
    const shared = { merchantOrderId: context.newOrderId() };
    const first = [creation(), creation(shared), creation(shared, other), creation(inAnotherZone(context))];
    return [...first, ...repeated(manyOrders - first.length, () => creation())];
  },
};

const refunds: Records = {
  area: 'refunds',
  noun: 'refund',
  needs: ['order-events'],
  id: 'data.refundOrderId',
  amounts: ['data.refundAmount'],
  texts: ['data.merchantRefundOrderId', 'data.acquiringOrderId', 'data.refundCurrency', 'data.extraData'],
  times: ['data.createdTime'],
  amountsOfEnd: ['data.merchantDeductAmount'],
  textsOfEnd: ['data.errorCode'],
  timesOfEnd: ['data.completedTime', 'data.failedTime', 'data.closedTime'],
  async prepare(context) {
    const merchant = await context.ownMerchant();
    const [plain, precise = []] = await Promise.all([
      paidOrders(context, merchant, manyRefunds / 2),
      // A driver may pay no such amount.
      ifTaken(paidOrders(context, merchant, manyRefunds / 2, precisePrice)),
    ]);
    return [...plain, ...precise].map(({ orderId }) => refundCreation(context, merchant, orderId));
  },
  async prepareEnded(context) {
    if (!context.has('refund-events')) return [];
    const merchant = await context.ownMerchant();
    const ended = (['SUCCEEDED', 'FAILED', 'CLOSED'] as const).map(async (state) => {
      const refund = await makeRefund(context, merchant);
      await bringRefundTo(context, refund, state);
      const { client, request, created, query } = refund;
      const queryOtherwise = () => client.query({ acquiringOrderId: request.acquiringOrderId });
      return { made: created, create: () => client.create(request), query, queryOtherwise };
    });
    // Which states a refund comes to is open in part.
    return (await Promise.all(ended.map(ifTaken))).flatMap((each) => each ?? []);
  },
};

function refundCreation(context: CheckContext, merchant: Credentials, orderId: string): Creation {
  const client = refundsClient(context, merchant);
  const request = refundRequest(context, orderId, { extraData: '{"parcel":"7"}' });
  const { merchantRefundOrderId } = request;
  return {
    create: () => client.create(request),
    query: () => client.query({ merchantRefundOrderId }),
    queryOtherwise: () => client.query({ acquiringOrderId: orderId }),
  };
}

/**
 * Sends creates while the target ends. The first of them shows before that creates are accepted; `go` does something with what it has made,
 * before the target ends.
 */
async function createAmidRestart(
  context: CheckContext,
  creations: readonly Creation[],
  go: (created: Answer) => Promise<unknown> = () => Promise.resolve(),
) {
  const [first, ...others] = creations;
  if (!first) throw new Inconclusive('there is nothing to create');
  const result = await first.create();
  if (!isAccepted(result)) throw new Inconclusive(`a create was not accepted: ${summary(result)}`);
  await go(result);
  const outcomes = await amidRestart(context, others, ({ create }) => sendOnce(create), first.query);
  return [{ task: first, result }, ...outcomes];
}

/** Fails unless the answer shows the record with this platform id; `expected` says which. */
function expectRecord(answer: Answer, { id, noun }: Records, platformId: unknown, expected: string): void {
  const shown = isAccepted(answer) ? `${id} = ${show(field(answer, id))}` : summary(answer);
  expectThat(isAccepted(answer) && field(answer, id) === platformId, answer, {
    expected: `${expected}: the ${noun} with ${id} = ${show(platformId)}`,
    actual: shown,
  });
}

/** The step of the last digit that a time shows, in milliseconds: a store may keep fewer digits than were shown before. */
const stepOf = (time: string) => Math.max(1, 1000 / 10 ** (/\.(\d+)/.exec(time)?.[1]?.length ?? 0));

/**
 * Fails unless the answer shows the same times as another one of the same record has shown, at each path where both show one. That a time is
 * missing, or is none, breaks another sentence.
 */
function expectSameTimes(answer: Answer, paths: readonly string[], before: Answer): void {
  for (const path of paths) {
    const [then, now] = [String(field(before, path)), String(field(answer, path))];
    const apart = Math.abs(Date.parse(then) - Date.parse(now));
    if (Number.isNaN(apart)) continue;
    expectThat(apart <= Math.max(stepOf(then), stepOf(now)), answer, {
      expected: `${path} = ${then}, as before the restart`,
      actual: `${path} = ${now}`,
      requirement: 'general.restart.acknowledged',
    });
  }
}

/** Fails unless the answer shows the same amounts, texts and times as another one has shown of the same record, at these paths. */
function expectAsShown(
  answer: Answer,
  { amounts, texts, times }: Pick<Records, 'amounts' | 'texts' | 'times'>,
  before: Answer,
): void {
  const requirement = 'general.restart.acknowledged';
  for (const path of amounts) {
    const amount = field(before, path);
    // What is no decimal text breaks another sentence, which a restart has no part in.
    if (isDecimalText(amount)) expectAmount(answer, path, amount, requirement);
    else expectField(answer, path, amount, requirement);
  }
  for (const path of texts) expectField(answer, path, field(before, path), requirement);
  expectSameTimes(answer, times, before);
}

const acknowledged = (records: Records): CheckDeclaration => ({
  id: `${records.area}.restart.acknowledged`,
  title: `A ${records.noun} that was acknowledged is still there when the target has ended without warning`,
  requirements: ['general.restart.acknowledged'],
  needs: ['own-merchant', 'restart', ...(records.needs ?? [])],
  ownRestart: true,
  async run(context) {
    const [further, ...creations] = await records.prepare(context);
    const outcomes = await createAmidRestart(context, creations);
    // One that is made now is another one, and takes the place of none from before.
    const made = further && (await askUntilBack(context, further.create));
    const idsBefore = outcomes.flatMap(({ result }) =>
      result && isAccepted(result) ? [field(result, records.id)] : [],
    );
    if (made && isAccepted(made)) {
      const id = field(made, records.id);
      expectThat(!idsBefore.includes(id), made, {
        expected: `a ${records.noun} that is made after the restart: another ${records.id} than those made before`,
        actual: `${records.id} = ${show(id)}, which another one has`,
        requirement: 'general.restart.acknowledged',
      });
    }
    await Promise.all(
      outcomes.map(async ({ task, result }) => {
        if (!result || !isAccepted(result)) return;
        const answer = await pollAfterRestart(context, task.query, isAccepted);
        const id = field(result, records.id);
        expectRecord(answer, records, id, 'after the restart, as it was acknowledged');
        expectAsShown(answer, records, result);
        const { queryOtherwise } = task;
        if (!queryOtherwise) return;
        const otherwise = await pollAfterRestart(context, () => queryOtherwise(result), isAccepted);
        expectRecord(otherwise, records, id, 'after the restart, under another of its ids');
      }),
    );
  },
});

const sentAgain = (records: Records): CheckDeclaration => ({
  id: `${records.area}.restart.repeat`,
  title: `A create of a ${records.noun} makes one, also when it is sent again because the target has ended`,
  requirements: ['general.restart.repeat'],
  needs: ['own-merchant', 'restart', ...(records.needs ?? [])],
  async run(context) {
    const ended = (await records.prepareEnded?.(context)) ?? [];
    const outcomes = await createAmidRestart(context, await records.prepare(context));
    await Promise.all([
      ...ended.map(async ({ made, create, query }) => {
        const answers = [await askUntilBack(context, create), await pollAfterRestart(context, query, isAccepted)];
        // A repeat may be refused when the refund has ended.
        for (const answer of answers.filter(isAccepted)) {
          expectRecord(answer, records, field(made, records.id), 'after its create was sent again');
        }
      }),
      ...outcomes.map(async ({ task, result }) => {
        if (result && !isAccepted(result)) return;
        // What the create has made before it was cut off, if anything.
        const made = result ?? (await askUntilBack(context, task.query));
        const again = await askUntilBack(context, task.create);
        const found = await pollAfterRestart(context, task.query, isAccepted);
        const first = [made, again, found].find(isAccepted);
        const platformId = first && field(first, records.id);
        if (isAccepted(again)) expectRecord(again, records, platformId, 'the answer to the create sent again');
        expectRecord(found, records, platformId, 'after the create was sent again');
        const third = await askUntilBack(context, task.create);
        if (isAccepted(third)) expectRecord(third, records, platformId, 'the answer to the create sent a third time');
      }),
    ]);
  },
});

// --- Money ----------------------------------------------------------------------------------------------------------

/** A merchant whose balance covers so many refunds, a fee or a discount of some per cent included, with paid orders. */
async function merchantWith(context: CheckContext, { covers, orders }: { covers: number; orders: number }) {
  const balance = addDecimals([...repeated(covers, () => price), halfPrice]);
  const merchant = await context.ownMerchant({ balances: { USDT: balance } });
  const paid = await paidOrders(context, merchant, orders);
  return { merchant, balance, creations: paid.map(({ orderId }) => refundCreation(context, merchant, orderId)), paid };
}

const isShort = (answer: Answer) => field(answer, 'code') === errorCode('refunds', 'INSUFFICIENT_BALANCE');

/** Lets the refund that a create has made come to its end in success. */
async function succeed(context: CheckContext, merchant: Credentials, created: Answer): Promise<void> {
  const refundOrderId = String(field(created, 'data.refundOrderId'));
  for (const type of ['processing_started', 'completed'] as const) {
    await context.refundEvent(merchant, refundOrderId, { type });
  }
}

const money: readonly CheckDeclaration[] = [
  {
    id: 'refunds.restart.reserved-once',
    title: 'A refund reserves its money once, also when the target ends without warning in the middle of it',
    requirements: ['general.restart.funds'],
    needs: ['own-merchant', 'order-events', 'restart'],
    async run(context) {
      // One refund is left for after the restart, where all others were made before it: it is not covered if they have reserved twice.
      const count = manyRefunds + 1;
      const { merchant, balance, creations } = await merchantWith(context, { covers: count, orders: count + 1 });
      const covered = creations.slice(0, count);
      const [further] = creations.slice(count);
      const [first] = await createAmidRestart(context, covered.slice(0, manyRefunds), async (created) => {
        // What it has taken stays taken, which a server may forget that counts what is under way.
        if (context.has('refund-events')) await succeed(context, merchant, created);
      });
      if (!first?.result || !further) throw new Inconclusive('there is no refund');
      needCovering(balance, count, first.result);
      const answers = covered.map(({ create }) => pollAfterRestart(context, create, (each) => !isShort(each)));
      for (const answer of await Promise.all(answers)) {
        expectThat(!isShort(answer), answer, {
          expected: `a refund that the balance covers, which is enough for ${count}: not refused for the balance`,
          actual: summary(answer),
        });
      }
      const beyond = await askUntilBack(context, further.create);
      expectThat(!isAccepted(beyond), beyond, {
        expected: `a refund beyond the balance, which ${count} refunds have used up: refused`,
        actual: summary(beyond),
      });
    },
  },
  {
    id: 'refunds.restart.returned-once',
    title:
      'A refund that fails gives its money back once, also when the target ends without warning in the middle of it',
    requirements: ['general.restart.funds'],
    needs: ['own-merchant', 'order-events', 'refund-events', 'restart'],
    async run(context) {
      const count = 4;
      const made = await merchantWith(context, { covers: count, orders: 2 * count + 1 });
      const { merchant, balance, paid, creations } = made;
      const [payment, ...payments] = paid.slice(0, count);
      if (!payment) throw new Inconclusive('there is no paid order');
      const first = await makeRefund(context, merchant, { order: payment });
      needCovering(balance, count, first.created);
      const others = await Promise.all(payments.map((order) => makeRefund(context, merchant, { order })));
      // The first one fails before, so that a server that gives back again after its start has something to give.
      await bringRefundTo(context, first, 'FAILED');
      const fail = ({ refundOrderId }: { refundOrderId: string }) =>
        context.refundEvent(merchant, refundOrderId, { type: 'failed' });
      await amidRestart(context, others, fail, first.query);
      await sideBySide(others.map((refund) => bringRefundTo(context, refund, 'FAILED')));
      let accepted = 0;
      for (const { create } of creations.slice(count)) {
        const answer = await askUntilBack(context, create);
        if (isAccepted(answer)) accepted += 1;
        expectThat(accepted <= count, answer, {
          expected: `${count} further refunds accepted, whose money ${count} failed ones have given back`,
          actual: `${accepted} accepted`,
        });
      }
      if (accepted === 0)
        throw new PermittedChoice('a refund that fails gives nothing back here (open point refund-transitions)');
    },
  },
];

// --- States ---------------------------------------------------------------------------------------------------------

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
const refundCourses: readonly (readonly RefundStep['type'][])[] = [
  ['processing_started'],
  ['processing_started', 'completed'],
  ['processing_started', 'failed'],
  ['closed'],
];

const recordsOf = { orders: hostedOrders, checkout: checkoutOrders, refunds };

/** More time than an order has to be paid, in seconds. */
const longAfterExpiry = 2 * 24 * 60 * 60;

/** Moves things while the target ends. Fails when one is then in a status behind the one that it was last seen in, or has ended at another time. */
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
      if (!isFinalStatus(area, before)) return;
      const { amountsOfEnd, textsOfEnd, timesOfEnd: times } = recordsOf[area];
      // What was not shown yet may have come since.
      const hasShown = (path: string) => field(shown, path) !== undefined;
      expectAsShown(
        answer,
        { amounts: amountsOfEnd.filter(hasShown), texts: textsOfEnd.filter(hasShown), times },
        shown,
      );
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
  async run(context) {
    const merchant = await context.ownMerchant();
    const moving = [...courses, ...courses].map(async (course) =>
      movingOrder(context, await make(context, merchant), course),
    );
    await expectNothingTakenBack(context, area, await Promise.all(moving));
  },
});

const states: readonly CheckDeclaration[] = [
  orderStates('orders', 'hosted order', makeOrder),
  orderStates('checkout', 'checkout order', makeCheckoutOrder),
  {
    id: 'refunds.restart.states',
    title: 'The status of a refund is not taken back when the target has ended without warning',
    requirements: ['general.restart.states', 'general.restart.acknowledged'],
    needs: ['own-merchant', 'order-events', 'refund-events', 'restart'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const moving = [...refundCourses, ...refundCourses].map(async (course): Promise<Moving> => {
        const { refundOrderId, query } = await makeRefund(context, merchant);
        return { query, steps: course.map((type) => () => context.refundEvent(merchant, refundOrderId, { type })) };
      });
      await expectNothingTakenBack(context, 'refunds', await Promise.all(moving));
    },
  },
];

// --- Expiry ---------------------------------------------------------------------------------------------------------

const makeUnpaid = (context: CheckContext, area: Product, merchant: Credentials): Promise<AnyMadeOrder> =>
  area === 'orders' ? makeOrder(context, merchant) : makeCheckoutOrder(context, merchant);

/** Lets another order expire before the restart. Throws `Inconclusive` when it does not: then the restart is not to blame for those that do not either. */
async function expireBefore(context: CheckContext, area: Product): Promise<void> {
  await expire(context, await makeUnpaid(context, area, await context.ownMerchant()));
}

const expiring = (area: Product): CheckDeclaration => ({
  id: `${area}.restart.expires`,
  title: `A ${recordsOf[area].noun} that nobody pays expires also when the target has ended without warning before`,
  requirements: ['general.restart.expiry'],
  needs: ['own-merchant', 'clock', 'restart'],
  async run(context) {
    const merchant = await context.ownMerchant();
    const [order] = await Promise.all([makeUnpaid(context, area, merchant), expireBefore(context, area)]);
    await amidRestart(context, [order], ({ query }) => sendOnce(query), order.query);
    await context.advanceClock(merchant, longAfterExpiry);
    const hasEnded = (answer: Answer) => !isAccepted(answer) || isFinalStatus(area, statusOf(answer));
    const answer = await pollAfterRestart(context, order.query, hasEnded);
    expectThat(isAccepted(answer) && hasEnded(answer), answer, {
      expected: 'an order that nobody has paid has ended, two days after it was made before the restart',
      actual: isAccepted(answer) ? `data.status = ${show(statusOf(answer))}` : summary(answer),
    });
  },
});

/** The checks that end the target without warning. They run after all others. */
export const restartChecks: readonly CheckDeclaration[] = [
  ...[hostedOrders, checkoutOrders, refunds].map(acknowledged),
  ...[checkoutOrders, refunds].map(sentAgain),
  ...money,
  ...states,
  ...(['orders', 'checkout'] as const).map(expiring),
];
