import { type AnyMadeOrder, type Product, passSoon } from '../../arrange/orders/any-order.ts';
import { confirmed } from '../../arrange/orders/payments.ts';
import { waysThatMayFindOrder } from '../../arrange/orders/ways-to-ask.ts';
import { checkoutOrders, hostedOrders, type ProductArrangement } from '../../arrange/products.ts';
import { makeRefund } from '../../arrange/refunds/refunds.ts';
import { requirementsOfWays, waysToAsk, waysToAskBySeveralIds } from '../../arrange/refunds/ways-to-ask.ts';
import { pollFor } from '../../arrange/requests/bring-to.ts';
import type { WayToAsk } from '../../arrange/requests/way-to-ask.ts';
import { sideBySide, unpaidEnds } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat, isTaken } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import { isFinalStatus } from '../../contract/statuses.ts';
import type { OrderStep, RefundStep } from '../../drivers/driver.ts';
import { Inconclusive, PermittedChoice } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';

// What is asked for in one way is shown as it is now, whatever is kept for the other ways, on its way and at its end.

/** A state, and what leads to it from the one before. A target may leave PROCESSING out, or pass it too soon to be seen there. */
interface Step {
  state: 'PROCESSING' | 'SUCCEEDED';
  letHappen(): Promise<unknown>;
}

/**
 * Asks in one way alone until it shows a status that is meant or the wait is over, and fails when it does not although another way does then. The
 * status; `undefined` where neither does.
 */
async function expectShownAsElsewhere(
  context: CheckContext,
  way: WayToAsk,
  other: WayToAsk | undefined,
  isMeant: (status: unknown) => boolean,
): Promise<unknown> {
  const { ask, statusIn, words, requirement } = way;
  const answer = await context.poll(ask, (each) => isMeant(statusIn(each)));
  const seen = statusIn(answer);
  // The other way is asked last: what asking in it has changed is not judged.
  const elsewhere = isMeant(seen) ? seen : other?.statusIn(await other.ask());
  if (!isMeant(elsewhere)) return undefined;
  expectThat(isMeant(seen), answer, {
    expected: `asked for by ${words}: status = ${String(elsewhere)}, as by ${other?.words}`,
    actual: `status = ${show(seen)}`,
    requirement,
  });
  return seen;
}

const is = (state: Step['state']) => (status: unknown) => status === state;

/** Whether something is shown as PROCESSING that came there. Otherwise no way need wait for that. */
async function showsProcessing(context: CheckContext, noun: string, { ask, statusIn }: WayToAsk): Promise<boolean> {
  const isShown = (answer: Answer) => statusIn(answer) === 'PROCESSING';
  return isShown(await pollFor(context, `${noun} is shown as PROCESSING`, ask, isShown));
}

/** The ways that find something. Whether each must is judged elsewhere. */
async function findingWays(ways: readonly WayToAsk[]): Promise<WayToAsk[]> {
  const found: WayToAsk[] = [];
  for (const each of ways) {
    const answer = await each.ask();
    if (isTaken(answer, 'a query in each way') && typeof each.statusIn(answer) === 'string') found.push(each);
  }
  return found;
}

/**
 * Asks in every way, takes the steps, and asks after each in one way alone until it shows the state. `place`: that of the way among all, which
 * is not judged where it finds nothing.
 */
async function expectPresentStates(
  context: CheckContext,
  ways: readonly WayToAsk[],
  place: number,
  steps: readonly Step[],
  isProcessingShown: boolean,
): Promise<void> {
  const known = await findingWays(ways);
  const way = known.find((each) => each === ways[place]);
  const other = known.find((each) => each !== way);
  if (!way || !other) return;
  for (const { state, letHappen } of steps) {
    await letHappen();
    if (state === 'PROCESSING' && !isProcessingShown) continue;
    const shown = await expectShownAsElsewhere(context, way, other, is(state));
    if (shown === undefined && state === 'SUCCEEDED')
      throw new Inconclusive('the status is not SUCCEEDED in any way to ask');
  }
}

/**
 * Asks in every way before each step, and after the last one in one way after the other until it shows the end, beginning with the one at
 * `place`. Fails where one does not show the end although another does. `happen`: the steps, each of which tells whether it was taken. Whether
 * there is an end then, and which one, is judged elsewhere.
 */
async function expectEndInEveryWay(
  context: CheckContext,
  area: Product | 'refunds',
  ways: readonly WayToAsk[],
  place: number,
  happen: readonly (() => Promise<boolean>)[],
): Promise<void> {
  let [known, done]: [WayToAsk[], boolean] = [[], false];
  for (const step of happen) {
    known = await findingWays(ways);
    done = await step();
  }
  if (!done || known.length < 2) return;
  const first = place % known.length;
  const turned = [...known.slice(first), ...known.slice(0, first)];
  let end: unknown;
  for (const [index, way] of turned.entries()) {
    const isEnd = (status: unknown) => (end === undefined ? isFinalStatus(area, status) : status === end);
    const other = end === undefined ? turned[index + 1] : turned[0];
    end = (await expectShownAsElsewhere(context, way, other, isEnd)) ?? end;
  }
}

const ofOrders = (
  arrangement: ProductArrangement,
  ...requirements: CheckDeclaration['requirements']
): CheckDeclaration => ({
  id: `${arrangement.product}.query.each-way-alone`,
  long: true,
  title:
    `${arrangement.aNoun} that is PROCESSING, was paid, or has come to another end is shown so by either id that finds it, and in an address with needless escapes, even where it was not asked for in another way`.replace(
      /^a/,
      'A',
    ),
  requirements,
  needs: ['order-events'],
  async run(context) {
    const merchant = await context.ownMerchant();
    const make = async () => {
      const order = await arrangement.make(context, merchant);
      const take = (step: OrderStep) => () => context.orderEvent(merchant, order.orderId, step);
      const steps: readonly [Step, Step] = [
        { state: 'PROCESSING', letHappen: take({ type: 'transaction_detected' }) },
        { state: 'SUCCEEDED', letHappen: take(confirmed) },
      ];
      return { ways: waysThatMayFindOrder(order), steps };
    };
    const scout = await make();
    const found = await findingWays(scout.ways);
    if (found.length < 2) throw new PermittedChoice(`${arrangement.aNoun} is found in one way alone here`);
    await scout.steps[0].letHappen();
    // A way that hides the state is found below; here another one may show it.
    const shown = await sideBySide(found.map((way) => showsProcessing(context, arrangement.noun, way)));
    const judge = async (place: number) => {
      const { ways, steps } = await make();
      await expectPresentStates(context, ways, place, steps, shown.includes(true));
    };
    const judgeEnd = async (place: number, take: (order: AnyMadeOrder) => readonly (() => Promise<boolean>)[]) => {
      const order = await arrangement.make(context, merchant);
      await expectEndInEveryWay(context, arrangement.product, waysThatMayFindOrder(order), place, take(order));
    };
    const judgeUnpaid = Object.values(unpaidEnds).map((steps, place) =>
      judgeEnd(place, ({ orderId }) =>
        steps.map((step) => async () => (await context.orderEvent(merchant, orderId, step)).done),
      ),
    );
    await sideBySide([...scout.ways.map((_way, place) => judge(place)), ...judgeUnpaid]);
    if (!context.has('clock')) return;
    // It comes last, as the clock moves for every order of the merchant.
    await judgeEnd(1, () => [
      async () => {
        await passSoon(context, merchant);
        return true;
      },
    ]);
  },
});

/** The events that lead a refund to another end than its success. */
const otherEndsOfRefunds: readonly (readonly RefundStep['type'][])[] = [
  ['closed'],
  ['failed'],
  ['processing_started', 'failed'],
];

const ofRefunds: CheckDeclaration = {
  id: 'refunds.query.each-way-alone',
  long: true,
  title:
    'A refund that is PROCESSING, or has come to an end, is shown so by each of its ids, by a batch query and, unless it FAILED or is CLOSED, by several of its ids, even where it was not asked for in another way',
  requirements: [...requirementsOfWays, 'refunds.query.priority'],
  needs: ['order-events', 'refund-events'],
  async run(context) {
    const merchant = await context.ownMerchant();
    const make = async () => {
      const refund = await makeRefund(context, merchant);
      const take = (type: 'processing_started' | 'completed') => () =>
        context.refundEvent(merchant, refund.refundOrderId, { type });
      const steps: readonly [Step, Step] = [
        { state: 'PROCESSING', letHappen: take('processing_started') },
        { state: 'SUCCEEDED', letHappen: take('completed') },
      ];
      return { refund, ways: waysToAsk(refund), steps };
    };
    const scout = await make();
    const [toProcessing, toEnd] = scout.steps;
    const severalIds = await findingWays(waysToAskBySeveralIds(scout.refund));
    await toProcessing.letHappen();
    // A way that hides the state is found below; here another one may show it.
    const shown = await sideBySide(scout.ways.map((way) => showsProcessing(context, 'refund', way)));
    const witness = scout.ways[shown.indexOf(true)];
    const judge = async (place: number) => {
      const { ways, steps } = await make();
      await expectPresentStates(context, ways, place, steps, witness !== undefined);
    };
    const judgeSeveralIds = async () => {
      const shownBySeveral = (state: Step['state'], by = witness) =>
        sideBySide(severalIds.map((way) => expectShownAsElsewhere(context, way, by, is(state))));
      if (witness) await shownBySeveral('PROCESSING');
      await toEnd.letHappen();
      await shownBySeveral('SUCCEEDED', witness ?? scout.ways[0]);
    };
    const judgeOtherEnds = otherEndsOfRefunds.map(async (types, index) => {
      const refund = await makeRefund(context, merchant);
      const happen = types.map(
        (type) => async () => (await context.refundEvent(merchant, refund.refundOrderId, { type })).done,
      );
      // By turns, beginning at the last way.
      await expectEndInEveryWay(context, 'refunds', waysToAsk(refund), requirementsOfWays.length - 1 - index, happen);
    });
    await sideBySide([...requirementsOfWays.map((_, place) => judge(place)), judgeSeveralIds(), ...judgeOtherEnds]);
  },
};

export const eachWayChecks: readonly CheckDeclaration[] = [
  ofOrders(hostedOrders, 'orders.query.by-merchant-order-id', 'orders.query.by-order-id'),
  ofOrders(checkoutOrders, 'checkout.query.by-merchant-order-id'),
  ofRefunds,
];
