import type { RequirementId } from '../../../generated/catalogue.ts';
import { passSoon, tooLittle } from '../../arrange/orders/any-order.ts';
import { confirmed } from '../../arrange/orders/payments.ts';
import { waysToAskForOrder } from '../../arrange/orders/ways-to-ask.ts';
import { checkoutOrders, hostedOrders, type ProductArrangement } from '../../arrange/products.ts';
import { makeRefund } from '../../arrange/refunds/refunds.ts';
import { requirementsOfWays, waysToAsk } from '../../arrange/refunds/ways-to-ask.ts';
import type { WayToAsk } from '../../arrange/requests/way-to-ask.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { countJudged, expectThat } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import type { OrderStep, RefundStep } from '../../drivers/driver.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';

// What was asked for is not answered as it was then. A target may show every change late, and so two records are compared: one that was asked
// for before it changed, and one that changed after that and was not. Where only the second is shown as it is, it is not the change that is late.

/** Something that a single step moves. */
interface Movable {
  ways: readonly WayToAsk[];
  move(): Promise<unknown>;
}

/** How often two records are compared: a target whose parts are late by turns shows one late and the other not by chance. */
const comparisons = 4;

/**
 * Fails where of two records always the one is shown as it was that was asked for before, `at` this place of their ways to ask. False where that
 * way finds nothing, or shows no change.
 */
async function expectNoneKept(make: () => Promise<Movable>, at: number): Promise<boolean> {
  for (let compared = 1; ; compared += 1) {
    const [asked, unasked] = await Promise.all([make(), make()]);
    const [one, other] = [asked.ways[at], unasked.ways[at]];
    if (!one || !other) return false;
    const before = one.statusIn(await one.ask());
    if (typeof before !== 'string') return false;
    await asked.move();
    await unasked.move();
    const present = other.statusIn(await other.ask());
    const answer = await one.ask();
    if (typeof present !== 'string' || present === before) return false;
    const isKept = one.statusIn(answer) === before;
    if (isKept && compared < comparisons) continue;
    expectThat(!isKept, answer, {
      expected: `asked for by ${one.words}, before a change and after it: status = ${show(present)}, as of another that changed later and was asked for only then`,
      actual: `status = ${show(before)}, as before the change, ${comparisons} times of ${comparisons}`,
      requirement: one.requirement,
    });
    return true;
  }
}

/**
 * Asks in every way: `requirements` has one for each. Each of `makes` makes what another step moves. They take turns, so that a busy target
 * answers all of a comparison before it would forget what it keeps.
 */
async function expectNoneKeptInAnyWay(
  context: CheckContext,
  makes: readonly (() => Promise<Movable>)[],
  requirements: readonly RequirementId[],
): Promise<void> {
  const judged: boolean[] = [];
  for (const make of makes) judged.push(...(await sideBySide(requirements.map((_, at) => expectNoneKept(make, at)))));
  if (!judged.includes(true)) throw new PermittedChoice('no query shows a change at once here');
  countJudged(context.transport);
}

const detected: OrderStep = { type: 'transaction_detected' };

/** Steps of which the last moves an order, from INIT and from PROCESSING. */
const movesOfOrders: readonly (readonly [last: OrderStep, ...before: OrderStep[]])[] = [
  [detected],
  [{ type: 'cancelled' }],
  [confirmed, detected],
  [confirmed, { ...detected, amount: tooLittle }],
  [{ type: 'payment_failed' }, detected],
];

/** Events of which the last moves a refund. */
const movesOfRefunds: readonly (readonly [last: RefundStep['type'], ...before: RefundStep['type'][]])[] = [
  ['failed'],
  ['closed'],
  ['processing_started'],
  ['completed', 'processing_started'],
];

const ofOrders = (
  arrangement: ProductArrangement,
  ...requirements: CheckDeclaration['requirements']
): CheckDeclaration => ({
  id: `${arrangement.product}.query.asked-before`,
  long: true,
  title:
    `${arrangement.aNoun} that has moved from one state to another is not shown as it was when it was asked for before`.replace(
      /^a/,
      'A',
    ),
  requirements,
  needs: ['order-events'],
  async run(context) {
    const merchant = await context.ownMerchant();
    const makes = movesOfOrders.map(([last, ...before]) => async (): Promise<Movable> => {
      const order = await arrangement.make(context, merchant);
      const take = (step: OrderStep) => context.orderEvent(merchant, order.orderId, step);
      for (const step of before) await take(step);
      return { ways: waysToAskForOrder(order), move: () => take(last) };
    });
    // The clock moves for every order of a merchant.
    const expiring = async (): Promise<Movable> => {
      const own = await context.ownMerchant();
      return { ways: waysToAskForOrder(await arrangement.make(context, own)), move: () => passSoon(context, own) };
    };
    const all = context.has('clock') && context.has('own-merchant') ? [...makes, expiring] : makes;
    await expectNoneKeptInAnyWay(context, all, requirements);
  },
});

const ofRefunds: CheckDeclaration = {
  id: 'refunds.query.asked-before',
  long: true,
  title:
    'A refund that has changed is not shown as it was when it was asked for before, by any of its ids or in a batch',
  requirements: requirementsOfWays,
  needs: ['order-events', 'refund-events'],
  async run(context) {
    const merchant = await context.ownMerchant();
    const makes = movesOfRefunds.map(([last, ...before]) => async (): Promise<Movable> => {
      const refund = await makeRefund(context, merchant);
      const take = (type: RefundStep['type']) => context.refundEvent(merchant, refund.refundOrderId, { type });
      for (const type of before) await take(type);
      return { ways: waysToAsk(refund), move: () => take(last) };
    });
    await expectNoneKeptInAnyWay(context, makes, requirementsOfWays);
  },
};

export const askedBeforeChecks: readonly CheckDeclaration[] = [
  ofOrders(hostedOrders, 'orders.query.by-merchant-order-id', 'orders.query.by-order-id'),
  ofOrders(checkoutOrders, 'checkout.query.by-merchant-order-id'),
  ofRefunds,
];
