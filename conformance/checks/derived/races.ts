import type { RequirementId } from '../../../generated/catalogue.ts';
import { checkoutMerchant, checkoutRequest, makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import type { CheckoutOrderCreateRequest } from '../../arrange/checkout-orders/client.ts';
import { type AnyMadeOrder, passSoon, soon } from '../../arrange/orders/any-order.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { balanceForOne, balanceForTwo, merchantWithBalance } from '../../arrange/refunds/balances.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import type { PaidOrder } from '../../arrange/refunds/paid-order.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { type MadeRefund, makeRefund, refundRequest } from '../../arrange/refunds/refunds.ts';
import { pollFor } from '../../arrange/requests/bring-to.ts';
import type { SignedClient } from '../../arrange/requests/signed-client.ts';
import {
  atTheSameMoment,
  everyRound,
  racing,
  type Start,
  soonAfter,
  usualRounds,
} from '../../arrange/situations/races.ts';
import { confirmed, isFinal, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat, isAccepted, statusOf, summary } from '../../check/expect.ts';
import { addDecimals, compareDecimals, isDecimalText } from '../../contract/decimals.ts';
import { isSameValue } from '../../contract/same-value.ts';
import { show } from '../../contract/show.ts';
import { isFinalStatus } from '../../contract/statuses.ts';
import type { Credentials, OrderStep, RefundStep } from '../../drivers/driver.ts';
import { Inconclusive, PermittedChoice } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { isFailure } from '../support/failures.ts';

const detected: OrderStep = { type: 'transaction_detected' };
const cancelled: OrderStep = { type: 'cancelled' };
const failing: OrderStep = { type: 'payment_failed' };

/** What forbids the moves of a kind of record. */
interface Moves {
  final: RequirementId;
  /** Absent: the contract has no table of the other moves. */
  table?: RequirementId;
}

/** The requirement that a move breaks; `undefined`: it may be one of the table's, or several of them. */
function illegalMove(from: string, to: string, { final, table }: Moves): RequirementId | undefined {
  if (isFinalStatus('orders', from)) return final;
  return from === 'PROCESSING' && (to === 'INIT' || to === 'CLOSED') ? table : undefined;
}

/** Fails when an answer shows a state to which no moves lead from the one in an answer before. */
function expectPath(answers: readonly Answer[], rules: Moves): void {
  let before: string | undefined;
  for (const answer of answers) {
    const status = statusOf(answer);
    if (typeof status !== 'string' || !isAccepted(answer)) continue;
    const left = before !== undefined && before !== status ? before : undefined;
    const requirement = left !== undefined && illegalMove(left, status, rules);
    expectThat(!requirement, answer, {
      expected: `data.status = ${before}, as an answer before showed, or a state to which moves lead from there`,
      actual: `data.status = ${status}`,
      ...(requirement && { requirement }),
    });
    before = status;
  }
}

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

/** Every other round of steps has them start at once. */
const isAtOnce = (held: number) => held % 2 === 1;

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

const racesOfOrders = ({ area, noun, make, rules }: RacingProduct): readonly CheckDeclaration[] => [
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

/** Fails unless every answer that shows something shows the same at `path`; answers under way may disagree about nothing else. */
function expectOneThing(answers: readonly Answer[], paths: readonly string[]): void {
  const [first, ...others] = answers.filter(isAccepted);
  for (const answer of others) {
    for (const path of paths) {
      const [one, other] = [field(first ?? answer, path), field(answer, path)];
      expectThat(isSameValue(one, other), answer, {
        expected: `${path} = ${show(one)}, as another answer for the same id shows`,
        actual: `${path} = ${show(other)}`,
      });
    }
  }
}

const repeatRaces: readonly CheckDeclaration[] = [
  {
    id: 'checkout.race.repeated',
    title: 'A checkout create that is repeated while it is under way, alike or with another amount, makes one order',
    requirements: ['checkout.create.idempotent', 'checkout.create.repeat-same-order'],
    async run(context) {
      const { client, method } = await checkoutMerchant(context, await context.merchant());
      const race = async (changed: Partial<CheckoutOrderCreateRequest>) => {
        const request = checkoutRequest(context, method);
        const created: Answer[] = [];
        const create = (body: CheckoutOrderCreateRequest) => async () => {
          created.push(await client.post(client.createPath, body, { racing: true }));
        };
        const racers = [create(request), create(request), create({ ...request, ...changed })];
        const seen = await racing(context, racers, () => client.query(request.merchantOrderId));
        expectOneThing([...created, ...seen], ['data.orderId', 'data.orderAmount.value', 'data.depositAddress']);
      };
      const otherAmount = { orderAmount: { value: method.minAmount, currency: method.currency } };
      await everyRound(() => race({}));
      await everyRound(() => race(otherAmount));
    },
  },
  {
    id: 'refunds.race.repeated',
    title: 'A refund request that is repeated while it is under way, alike or for another order, makes one refund',
    requirements: ['refunds.create.idempotent'],
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const client = refundsClient(context, merchant);
      const paidOrders = () => Promise.all([makePaidOrder(context, merchant), makePaidOrder(context, merchant)]);
      const paths = ['data.refundOrderId', 'data.acquiringOrderId'];
      await everyRound(async () => {
        const [one, two] = await paidOrders();
        const request = refundRequest(context, one.orderId);
        const { merchantRefundOrderId } = request;
        const created: Answer[] = [];
        const create = (acquiringOrderId: string) => async () => {
          created.push(await client.post(client.refundsPath, { ...request, acquiringOrderId }, { racing: true }));
        };
        const racers = [create(one.orderId), create(one.orderId), create(two.orderId)];
        const seen = await racing(context, racers, () => client.query({ merchantRefundOrderId }));
        expectOneThing([...created, ...seen], paths);
      });
      await everyRound(async () => {
        const [one, two] = await paidOrders();
        const request = refundRequest(context, one.orderId);
        const create =
          ({ orderId }: PaidOrder) =>
          (start: Start) =>
            client.post(client.refundsPath, { ...request, acquiringOrderId: orderId }, start);
        const created = await atTheSameMoment([one, two, one, two].map(create));
        const { merchantRefundOrderId } = request;
        expectOneThing([...created, await client.query({ merchantRefundOrderId })], paths);
      });
    },
  },
];

/** How often identical creates meet before a system error is taken for the answer to that. */
const meetings = 3;

/**
 * Lets two identical creates meet, again and again, and others with them that differ. The contract lets a service fail, but one that
 * always fails at one of the identical creates, and at none of the others, does not expect them to meet.
 */
async function expectNoFailureOfRepeats(
  client: SignedClient,
  path: string,
  bodies: () => Promise<{ repeated: unknown; others: readonly unknown[] }>,
): Promise<void> {
  const create = (body: unknown) => (start: Start) => client.post(path, body, start);
  for (let meeting = 1; ; meeting += 1) {
    const { repeated, others } = await bodies();
    const answers = await atTheSameMoment([repeated, repeated, ...others].map(create));
    const [same, different] = [answers.slice(0, 2), answers.slice(2)];
    const made = same.find(isAccepted);
    const lost = [...different, ...(made ? [] : same)].find((answer) => !isAccepted(answer));
    if (!made || lost) {
      const how = lost ? `, as it is alone: ${summary(lost)}` : '';
      throw new Inconclusive(`a create that met others was not accepted${how}`);
    }
    const failed = same.find((answer) => isFailure(answer));
    if (failed && meeting < meetings) continue;
    return expectThat(!failed, failed ?? made, {
      expected: 'the record that the other of two identical creates made, or a refusal of the repeat',
      actual: `a system error each of ${meetings} times, and not at other creates at the same moment: ${summary(failed ?? made)}`,
    });
  }
}

const failureRaces: readonly CheckDeclaration[] = [
  {
    id: 'checkout.race.failing-repeat',
    title: 'A checkout create that is repeated while it is under way is not answered with a system error each time',
    requirements: ['checkout.create.repeat-identical'],
    async run(context) {
      const { client, method } = await checkoutMerchant(context, await context.merchant());
      const body = () => checkoutRequest(context, method);
      const bodies = async () => ({ repeated: body(), others: [body(), body()] });
      await expectNoFailureOfRepeats(client, client.createPath, bodies);
    },
  },
  {
    id: 'refunds.race.failing-repeat',
    title: 'A refund request that is repeated while it is under way is not answered with a system error each time',
    requirements: ['refunds.create.repeat-identical'],
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const client = refundsClient(context, merchant);
      const body = async () => refundRequest(context, (await makePaidOrder(context, merchant)).orderId);
      const bodies = async () => {
        const [repeated, ...others] = await Promise.all([body(), body(), body()]);
        return { repeated, others };
      };
      await expectNoFailureOfRepeats(client, client.refundsPath, bodies);
    },
  },
];

/** Two ends of a refund that is under way. */
const endsOfRefund = ['completed', 'failed'] as const satisfies readonly RefundStep['type'][];

/** Whether the driver tells by its outcomes which end a refund takes: of two, one after the other, it says that the second one is refused. */
async function tellsWhichEnd(context: CheckContext, makeOne: () => Promise<MadeRefund>): Promise<boolean> {
  const [completed, failed] = endsOfRefund;
  for (const [first, second] of [
    [completed, failed],
    [failed, completed],
  ] as const) {
    const { merchant, refundOrderId, query } = await makeOne();
    const step = (type: RefundStep['type']) => context.refundEvent(merchant, refundOrderId, { type });
    await step('processing_started');
    const { done } = await step(first);
    await pollFor(context, `refund ends after ${first}`, query, isFinalRefund);
    if (!done || (await step(second)).done) return false;
  }
  return true;
}

const isFinalRefund = (answer: Answer) => isFinalStatus('refunds', statusOf(answer));

/** Fails where a refund has taken both of two ends, by the word of a driver that refuses the second one where they do not meet. */
async function expectOneEndTaken(
  context: CheckContext,
  makeOne: () => Promise<MadeRefund>,
  taken: readonly RefundStep['type'][],
  end: Answer | undefined,
): Promise<void> {
  if (!end || !isAccepted(end) || !endsOfRefund.every((type) => taken.includes(type))) return;
  if (!(await tellsWhichEnd(context, makeOne))) return;
  expectThat(false, end, {
    expected: `one of ${endsOfRefund.join(' and ')} taken, and the other one refused, as where they do not meet`,
    actual: `the driver says that both were done, and data.status = ${show(statusOf(end))}`,
    requirement: 'refunds.states.final',
  });
}

/** Sends creates together, each in its own time or all at the same moment. */
type SendTogether = (creates: readonly ((start: Partial<Start>) => Promise<Answer>)[]) => Promise<Answer[]>;

/** How many refunds compete at the same moment for a balance that covers one: two may both come to one part of a target, which takes them in turn. */
const competitors = 3;

/** How often they do. Of a server that spends a balance twice it is seen in one round of five. */
const roundsOfCompetitors = 12;

/** Fails where more refunds were accepted than a balance in USDT covers, as decimal text. */
function expectCovered(answers: readonly Answer[], balance: string): void {
  const accepted = answers.filter(isAccepted);
  const amounts = accepted.map((answer) => field(answer, 'data.merchantDeductAmount'));
  if (!amounts.every(isDecimalText))
    throw new PermittedChoice('merchantDeductAmount is not shown yet (open point refund-record-fields)');
  const last = accepted.at(-1);
  if (!last) return;
  const taken = addDecimals(amounts);
  expectThat(compareDecimals(taken, balance) <= 0, last, {
    expected: `no more accepted than ${balance} covers`,
    actual: `${accepted.length} accepted, which take ${taken}`,
  });
}

const refundRaces: readonly CheckDeclaration[] = [
  {
    id: 'refunds.race.balance',
    title: 'Of refunds under different ids at nearly the same moment, no more are accepted than the balance covers',
    requirements: ['refunds.create.reserves-funds'],
    needs: ['order-events', 'own-merchant'],
    async run(context) {
      const prepared = async (orders: number) => {
        const merchant = await merchantWithBalance(context, balanceForOne);
        const paid = await sideBySide(Array.from({ length: orders }, () => makePaidOrder(context, merchant)));
        const client = refundsClient(context, merchant);
        return paid.map(
          ({ orderId }) =>
            (start: Partial<Start>) =>
              client.post(client.refundsPath, refundRequest(context, orderId), start),
        );
      };
      /** Holds races of so many refunds each, one after the other. What they need is made side by side before. */
      const everyRace = async (races: number, refunds: number, send: SendTogether) => {
        const creates = await sideBySide(Array.from({ length: races }, () => prepared(refunds)));
        for (const each of creates) expectCovered(await send(each), balanceForOne);
      };
      await everyRace(usualRounds, 2, (creates) =>
        Promise.all(creates.map((create) => soonAfter(context, () => create({ racing: true })))),
      );
      // Where the balance is read just before it is written, only requests that end at the same moment meet in between.
      await everyRace(roundsOfCompetitors, competitors, atTheSameMoment);
    },
  },
  {
    id: 'refunds.race.given-back',
    title: 'What a refund reserves stays reserved where another one fails at nearly the same moment',
    requirements: ['refunds.create.reserves-funds'],
    needs: ['order-events', 'refund-events', 'own-merchant'],
    async run(context) {
      await everyRound(async () => {
        const merchant = await merchantWithBalance(context, balanceForTwo);
        const client = refundsClient(context, merchant);
        const [failed, order, ...more] = await Promise.all([
          makeRefund(context, merchant),
          ...[1, 2, 3].map(() => makePaidOrder(context, merchant)),
        ]);
        if (!order) return;
        const created: Answer[] = [];
        const create = async () => {
          created.push(await client.post(client.refundsPath, refundRequest(context, order.orderId), { racing: true }));
        };
        const fail = () => context.refundEvent(merchant, failed.refundOrderId, { type: 'failed' });
        await racing(context, [create, fail], failed.query);
        if (!created.every(isAccepted)) return;
        for (const { orderId } of more) created.push(await client.create(refundRequest(context, orderId)));
        const accepted = created.filter(isAccepted);
        expectThat(accepted.length < created.length, created.at(-1) ?? failed.created, {
          expected: `one of ${created.length} refunds refused, because ${balanceForTwo} covers two of them`,
          actual: `${accepted.length} accepted, one of them while another refund failed`,
        });
      });
    },
  },
  {
    id: 'refunds.race.ended-in-two-ways',
    title:
      'A refund that is completed, fails and is closed at nearly the same moment comes to one of these ends, and stays there',
    requirements: ['refunds.states.final'],
    needs: ['order-events', 'refund-events'],
    async run(context) {
      const [merchant, { url: notifyUrl }] = [await context.ownMerchant(), await context.mailbox()];
      await everyRound(async (held) => {
        const refund = await makeRefund(context, merchant, { notifyUrl });
        const { query } = refund;
        const taken: RefundStep['type'][] = [];
        const step = (type: RefundStep['type']) => async () => {
          const { done } = await context.refundEvent(merchant, refund.refundOrderId, { type });
          if (done) taken.push(type);
        };
        const begun = await racing(context, [step('processing_started'), step('closed')], query, isAtOnce(held));
        const ended = await racing(context, endsOfRefund.map(step), query, isAtOnce(held));
        expectPath([...begun, ...ended], { final: 'refunds.states.final' });
        await expectOneEndTaken(context, () => makeRefund(context, merchant), taken, ended.at(-1));
      });
    },
  },
];

/** Something that is made, comes to its end in two steps, and whose create is sent again meanwhile. */
interface Repeated {
  noun: string;
  query(): Promise<Answer>;
  repeat(): Promise<unknown>;
  begin(): Promise<unknown>;
  succeed(): Promise<unknown>;
}

/** How long a target may take to write back what it has read, in milliseconds. */
const writingBack = 60;

/** Brings something to its end, and its create again to the target while the first step is under way where `isRepeated`. Whether it has SUCCEEDED, by the answer. */
async function endOf(context: CheckContext, each: Repeated, isRepeated: boolean): Promise<Answer> {
  const { noun, query, repeat, begin, succeed } = each;
  await racing(context, isRepeated ? [repeat, begin] : [begin], query);
  await context.pause(writingBack);
  await succeed();
  const succeeded = (answer: Answer) => statusOf(answer) === 'SUCCEEDED';
  const ended = await pollFor(context, `${noun} is SUCCEEDED after one step and another`, query, succeeded);
  await context.pause(writingBack);
  return succeeded(ended) ? query() : ended;
}

/** Fails where something does not succeed, as another one does, because its create was sent again meanwhile. */
async function expectUndisturbed(
  context: CheckContext,
  make: () => Promise<Repeated>,
  requirement: RequirementId,
): Promise<void> {
  const usual = await endOf(context, await make(), false);
  if (statusOf(usual) !== 'SUCCEEDED') throw new Inconclusive(`the status is ${show(statusOf(usual))}, not SUCCEEDED`);
  await everyRound(async () => {
    const each = await make();
    const answer = await endOf(context, each, true);
    expectThat(statusOf(answer) === 'SUCCEEDED', answer, {
      expected: `data.status = SUCCEEDED of ${each.noun} whose create was sent again while it came to its end, as of one whose create was not`,
      actual: `data.status = ${show(statusOf(answer))}`,
      requirement,
    });
  });
}

const undisturbedRaces: readonly CheckDeclaration[] = [
  {
    id: 'checkout.race.repeated-while-paid',
    title: 'A checkout create that is repeated while its order is being paid does not undo the payment',
    requirements: ['checkout.create.idempotent'],
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const make = async (): Promise<Repeated> => {
        const { client, request, orderId, query } = await makeCheckoutOrder(context, merchant);
        return {
          noun: 'a checkout order',
          query,
          repeat: () => client.post(client.createPath, request, { racing: true }),
          begin: () => context.orderEvent(merchant, orderId, detected),
          succeed: () => context.orderEvent(merchant, orderId, confirmed),
        };
      };
      await expectUndisturbed(context, make, 'checkout.create.idempotent');
    },
  },
  {
    id: 'refunds.race.repeated-while-ended',
    title: 'A refund request that is repeated while its refund comes to its end does not undo that',
    requirements: ['refunds.create.idempotent'],
    needs: ['order-events', 'refund-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const make = async (): Promise<Repeated> => {
        const { client, request, refundOrderId, query } = await makeRefund(context, merchant);
        const step = (type: RefundStep['type']) => () => context.refundEvent(merchant, refundOrderId, { type });
        return {
          noun: 'a refund',
          query,
          repeat: () => client.post(client.refundsPath, request, { racing: true }),
          begin: step('processing_started'),
          succeed: step('completed'),
        };
      };
      await expectUndisturbed(context, make, 'refunds.create.idempotent');
    },
  },
];

/** What shows only where two requests meet. Requests that overlap order nothing, so each check looks at what every order of them excludes. */
export const raceChecks: readonly CheckDeclaration[] = [
  ...products.flatMap(racesOfOrders),
  ...repeatRaces,
  ...failureRaces,
  ...refundRaces,
  ...undisturbedRaces,
].map((check) => ({ ...check, long: true }));
