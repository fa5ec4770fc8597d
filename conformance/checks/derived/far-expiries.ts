import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import { type AnyMadeOrder, tooLittle, unpaidStatuses } from '../../arrange/orders/any-order.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { confirmed } from '../../arrange/orders/payments.ts';
import { checkoutOrders, hostedOrders, type ProductArrangement } from '../../arrange/products.ts';
import { pollFor } from '../../arrange/requests/bring-to.ts';
import { awaitEnd, ifTaken, isFinal, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectThat, seenAt, statusOf } from '../../check/expect.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';

const day = 86_400;

/**
 * How many days orders wait here. 32 bits count the milliseconds of 24.8 days with a sign and of 49.7 without one: what is longer looks negative to a
 * timer, or as short as the rest. Careless housekeeping removes after a week, a month or a quarter of a year what nobody has paid.
 */
const lifetimes = [26, 40, 51, 76, 399] as const;

/** How many days after the creation the orders are asked for first, while all of them wait. */
const firstLook = 8;

/**
 * How long nobody looks at orders whose time is over soon, in one step of the clock: longer than a job may look back that ends what is due, and
 * beyond the last moment of clocks that count seconds in 32 bits, in 2038; in seconds.
 */
const longTimes = [
  { words: '400 days', seconds: 400 * day },
  { words: '13 years', seconds: 13 * 366 * day },
] as const;

/** A product with orders, the statuses in which one may end that nobody has paid, and what says how one ends. */
interface Expiring {
  arrangement: ProductArrangement;
  ends: readonly string[];
  expired: RequirementId;
  paid: RequirementId;
  underpaid: RequirementId;
  /** To which ends time alone may bring a payment that is under way, and what says so. */
  timedOut: readonly string[];
  processing: RequirementId;
}

const ofHosted: Expiring = {
  arrangement: hostedOrders,
  ends: ['CLOSED'],
  expired: 'orders.states.expired',
  paid: 'orders.states.confirmed',
  underpaid: 'orders.states.failed',
  timedOut: ['FAILED'],
  processing: 'orders.states.processing-timeout',
};

const ofCheckout: Expiring = {
  arrangement: checkoutOrders,
  ends: unpaidStatuses,
  expired: 'checkout.states.expired',
  paid: 'checkout.payment-rule',
  underpaid: 'checkout.payment-rule',
  // Which moves a checkout order makes is left open (open point checkout-transitions).
  timedOut: unpaidStatuses,
  processing: 'checkout.payment-rule',
};

/** An order whose payment is under way, and where it may end when that is confirmed at last. A platform may let it time out before. */
interface UnderWay {
  words: string;
  order: AnyMadeOrder;
  ends: readonly string[];
  /** What says where the payment leads, and where time alone does. */
  requirement: RequirementId;
  processing: RequirementId;
}

const isUnderWay = (answer: Answer) => statusOf(answer) === 'PROCESSING';

/** Begins to pay an order in full and one in part. Left out: what is not seen to be under way. */
async function beginPayments(
  context: CheckContext,
  merchant: Credentials,
  { arrangement, paid, underpaid, timedOut, processing }: Expiring,
): Promise<UnderWay[]> {
  const payments = [
    { words: 'paid in full', ends: ['SUCCEEDED', ...timedOut], requirement: paid },
    { words: 'paid in part', amount: tooLittle, ends: timedOut, requirement: underpaid },
  ];
  const begun = await sideBySide(
    payments.map(async ({ amount, ...rest }) => {
      const order = await arrangement.make(context, merchant);
      const payment = { type: 'transaction_detected', ...(amount !== undefined && { amount }) } as const;
      const { done } = await context.orderEvent(merchant, order.orderId, payment);
      if (!done) return [];
      const event = `${arrangement.product} are PROCESSING by a payment`;
      const seen = await pollFor(context, event, order.query, isUnderWay);
      return isUnderWay(seen) ? [{ ...rest, order, processing }] : [];
    }),
  );
  return begun.flat();
}

/** Fails where a payment that was under way has not stayed so until it is confirmed, or has come to an end to which it does not lead. */
async function expectPaymentEnds(
  context: CheckContext,
  when: string,
  { words, order, ends, requirement, processing }: UnderWay,
): Promise<void> {
  const expect = (answer: Answer, statuses: readonly string[], what: string, broken: RequirementId) =>
    expectThat(statuses.includes(String(statusOf(answer))), answer, {
      expected: `an order that was ${words} in time and PROCESSING then, ${what}: data.status = ${statuses.join(' or ')}`,
      actual: seenAt(answer, 'data.status'),
      requirement: broken,
    });
  const view = await order.query();
  expect(view, ['PROCESSING', ...ends], when, statusOf(view) === 'SUCCEEDED' ? requirement : processing);
  if (!isUnderWay(view)) return;
  const { done } = await context.orderEvent(order.merchant, order.orderId, confirmed);
  if (done) expect(await context.poll(order.query, isFinal), ends, `confirmed ${when}`, requirement);
}

const longExpired = (expiring: Expiring): CheckDeclaration => {
  const { arrangement, ends, expired, paid, underpaid, processing } = expiring;
  const { product, noun, aNoun, make } = arrangement;
  return {
    id: `${product}.states.long-expired`,
    title: `${aNoun.replace('a', 'A')} has ended that is asked for months or years after its time ran out, and a payment under way then ends as any other`,
    requirements: [...new Set([expired, paid, underpaid, processing])],
    needs: ['clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      let underWay = context.has('order-events') ? await beginPayments(context, merchant, expiring) : [];
      const hasEnded = (answer: Answer) => ends.includes(String(statusOf(answer)));
      for (const { words, seconds } of longTimes) {
        // Made anew each time, so that its time runs out and all the rest passes in one step.
        const order = await make(context, merchant);
        await context.advanceClock(merchant, seconds);
        const when = `${words} later`;
        const judgeUnpaid = async () => {
          const answer = await context.poll(order.query, hasEnded);
          expectThat(hasEnded(answer), answer, {
            expected: `an unpaid ${noun} whose time ran out half an hour after its creation, asked for first ${when}: data.status = ${ends.join(' or ')}`,
            actual: seenAt(answer, 'data.status'),
            requirement: expired,
          });
        };
        await sideBySide([judgeUnpaid(), ...underWay.map((each) => expectPaymentEnds(context, when, each))]);
        underWay = [];
      }
    },
  };
};

/** Orders that may be paid for long wait for so long, and end then; those of which the time was over long ago have ended. */
export const farExpiryChecks: readonly CheckDeclaration[] = [
  {
    id: 'orders.states.far-ahead',
    title: 'An order that may be paid for weeks or months waits until they are over, and ends then',
    requirements: ['orders.states.expired', 'orders.query.by-merchant-order-id'],
    needs: ['clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const begun = context.now();
      const made = await sideBySide(
        lifetimes.map(async (days) => {
          const expiresAt = new Date(begun + days * day * 1000).toISOString();
          const order = await ifTaken(makeOrder(context, merchant, { expiresAt }));
          return order ? [{ days, order }] : [];
        }),
      );
      const orders = made.flat();
      if (orders.length === 0)
        throw new PermittedChoice('orders may not live for weeks here (open point orders-expiry-past)');
      await sideBySide(orders.map(({ order }) => order.query()));
      const looks = [firstLook, ...orders.map(({ days }) => days + 1)];
      for (const [index, look] of looks.entries()) {
        await context.advanceClock(merchant, (look - (looks[index - 1] ?? 0)) * day);
        await sideBySide(
          orders.map(async ({ days, order }) => {
            const isOver = days < look;
            // A create that is sent again gives no further time to pay; it may be another order.
            if (look === firstLook) await order.client.create(order.request);
            const answer = isOver ? await awaitEnd(context, order) : await order.query();
            const when = `${look} days after its creation`;
            expectAccepted(answer, `a query for an order, ${when}`, 'orders.query.by-merchant-order-id');
            const expected = isOver ? 'CLOSED' : 'INIT';
            expectThat(statusOf(answer) === expected, answer, {
              expected: `an unpaid order that expires ${days} days after its creation, ${when}: data.status = ${expected}`,
              actual: seenAt(answer, 'data.status'),
            });
          }),
        );
      }
    },
  },
  longExpired(ofHosted),
  longExpired(ofCheckout),
];
