import type { RequirementId } from '../../../generated/catalogue.ts';
import { makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { checkoutClient } from '../../arrange/checkout-orders/client.ts';
import {
  amountFor,
  inEachCurrencyAndNetwork,
  paymentMethodsOf,
} from '../../arrange/checkout-orders/payment-methods.ts';
import { type AnyMadeOrder, orderLifetime, passSoon } from '../../arrange/orders/any-order.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { confirmed, paymentOver } from '../../arrange/orders/payments.ts';
import { pollFor } from '../../arrange/requests/bring-to.ts';
import { furtherMeans, type Means, means } from '../../arrange/situations/means.ts';
import { isFinal, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat, needText, seenAt, statusOf } from '../../check/expect.ts';
import { addDecimals, subtractDecimals } from '../../contract/decimals.ts';
import type { Credentials, OrderStep } from '../../drivers/driver.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';

// A payment that was seen in time ends as any other, although the time to pay is over by then.

/** What happens to a payment once the time to pay is over, and the status to which that leads. */
interface Late {
  /** The end of a sentence about an order. */
  words: string;
  event: OrderStep;
  /** So much is paid, of what is due; absent: all of it. */
  part?: (due: string) => string;
  status: 'SUCCEEDED' | 'FAILED';
  requirement: RequirementId;
}

/** Less than the price of a hosted order, and more than that. */
const [half, more] = ['4.75', '97.65'];
const confirmedLate = {
  words: 'whose payment is confirmed after its expiry',
  event: confirmed,
  status: 'SUCCEEDED',
} as const;
const tooLittleLate = {
  words: 'of which too little is paid and confirmed after its expiry',
  event: confirmed,
  status: 'FAILED',
} as const;

const tooMuchLate = {
  words: 'for which more than is due is paid, which is confirmed after its expiry',
  event: confirmed,
  status: 'SUCCEEDED',
} as const;

const ofHosted = {
  enough: { ...confirmedLate, requirement: 'orders.states.confirmed' },
  tooLittle: { ...tooLittleLate, part: () => half, requirement: 'orders.states.failed' },
} as const satisfies Record<string, Late>;
const othersOfHosted: readonly Late[] = [
  { ...tooMuchLate, part: () => more, requirement: 'orders.states.confirmed' },
  ...(['timeout', 'error'] as const).map((reason) => ({
    words: `whose payment fails after its expiry (${reason})`,
    event: { type: 'payment_failed', reason } as const,
    status: 'FAILED' as const,
    requirement: 'orders.states.failed' as const,
  })),
];

const ofCheckout: readonly Late[] = [
  { ...confirmedLate, requirement: 'checkout.payment-rule' },
  { ...tooLittleLate, part: (due) => subtractDecimals(due, '0.01'), requirement: 'checkout.payment-rule' },
  { ...tooMuchLate, part: (due) => addDecimals([due, '0.25']), requirement: 'checkout.payment-rule' },
];

/** An order whose payment is under way, and what happens to it later. */
interface UnderWay {
  /** How it is paid, in words that follow an order. */
  paid: string;
  order: AnyMadeOrder;
  late: Late;
  /** Sends its create again, where that makes no second order. The rules over the whole run see whether an end is shown that has not come. */
  repeat?: () => Promise<unknown>;
}

/** The share of the whole wait in which a target that lets payments time out with the expiry shows so. */
const shareOfTimeout = 0.1;

const isUnderWay = (answer: Answer) => statusOf(answer) === 'PROCESSING';

/** Lets an order be paid; `[]` where the driver does not pay in this way, or the payment has come to its end already. */
async function begin(
  context: CheckContext,
  { order, paid, late }: Omit<UnderWay, 'repeat'>,
  payment: OrderStep,
): Promise<UnderWay[]> {
  const { product, merchant, orderId, query } = order;
  const { done } = await context.orderEvent(merchant, orderId, payment);
  if (!done) return [];
  const seen = await pollFor(context, `${product} leave INIT by a payment`, query, (view) => statusOf(view) !== 'INIT');
  return isUnderWay(seen) ? [{ order, paid, late }] : [];
}

/** Lets the time of orders run out whose payment is under way, and then the rest happen. Fails unless each comes to its end. */
async function expectEnds(context: CheckContext, merchant: Credentials, all: readonly UnderWay[]): Promise<void> {
  const [first] = all;
  if (!first) throw new PermittedChoice('no payment is under way for long enough here');
  await passSoon(context, merchant);
  // A target may notice that a payment has timed out when it is asked for the order, and show it later.
  await sideBySide(all.map(({ order, repeat }) => Promise.all([order.query(), repeat?.()])));
  const timesOut = isFinal(await context.poll(first.order.query, isFinal, shareOfTimeout));
  const judged = await sideBySide(all.map((each) => hasComeToItsEnd(context, each, timesOut)));
  if (judged.includes(true)) return;
  throw new PermittedChoice('payments fail by time alone soon after the expiry (open point processing-timeout)');
}

/**
 * False: time alone has ended it before, or the driver could do nothing more. `timesOut`: time alone has ended another one, so that the end of
 * this one may be shown a moment later than that.
 */
async function hasComeToItsEnd(
  context: CheckContext,
  { order, paid, late }: UnderWay,
  timesOut: boolean,
): Promise<boolean> {
  const { product, merchant, orderId, query } = order;
  const { words, event, status, requirement } = late;
  const before = timesOut ? await context.poll(query, isFinal, shareOfTimeout) : await query();
  // A checkout order may close on its way.
  if (product === 'orders') {
    expectThat(statusOf(before) !== 'CLOSED', before, {
      expected: 'an order that is PROCESSING when its time is over: data.status = PROCESSING, SUCCEEDED or FAILED',
      actual: 'data.status = CLOSED',
      requirement: 'orders.states.no-other-moves',
    });
  }
  if (!isUnderWay(before)) return false;
  const { done } = await context.orderEvent(merchant, orderId, event);
  if (!done) return false;
  const answer = await pollFor(context, `${product} end after ${event.type}`, query, isFinal);
  expectThat(statusOf(answer) === status, answer, {
    expected: `an order ${paid}, ${words}, and which was PROCESSING until then: data.status = ${status}`,
    actual: seenAt(answer, 'data.status'),
    requirement,
  });
  return true;
}

async function hostedUnderWay(
  context: CheckContext,
  merchant: Credentials,
  { words: paid, currency, pay }: Means,
  late: Late,
): Promise<UnderWay[]> {
  const value = '9.50';
  const order = await makeOrder(context, merchant, { orderAmount: { value, currency } });
  return begin(context, { order, paid, late }, pay(context, late.part?.(value)));
}

/**
 * A little before the expiry, and for how long more the clock is moved then, in seconds. A payment over the network needs 19 confirmations,
 * so it is confirmed after the expiry.
 */
const [littleLeft, confirmedBy] = [8, 60];
const slowNetwork = 'tron';

export const underWayAtExpiryChecks: readonly CheckDeclaration[] = [
  {
    id: 'orders.payments.under-way-at-expiry',
    title: 'A payment of a hosted order that is under way when its time runs out is confirmed or fails as any other',
    requirements: ['orders.states.confirmed', 'orders.states.failed', 'orders.states.no-other-moves'],
    needs: ['order-events', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant({ usdRate: '1' });
      const { enough, tooLittle } = ofHosted;
      const begun = await sideBySide([
        ...means.flatMap((each, index) => {
          const other = othersOfHosted[index % othersOfHosted.length];
          const all = [enough, tooLittle, ...(other ? [other] : [])];
          return all.map((late) => hostedUnderWay(context, merchant, each, late));
        }),
        // Whether hosted orders can be paid over these too is not said.
        ...furtherMeans.map((each) =>
          hostedUnderWay(context, merchant, each, each.currency === 'USDT' ? tooLittle : enough),
        ),
      ]);
      await expectEnds(context, merchant, begun.flat());
    },
  },
  {
    id: 'checkout.payments.under-way-at-expiry',
    title:
      'A payment of a checkout order that is under way when its time runs out succeeds where it is large enough and fails where it is not, over every network',
    requirements: ['checkout.payment-rule'],
    needs: ['order-events', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const methods = inEachCurrencyAndNetwork(await paymentMethodsOf(checkoutClient(context, merchant)));
      if (methods.length === 0) throw new PermittedChoice('the merchant has no payment method');
      const begun = await sideBySide(
        methods.flatMap((method) =>
          ofCheckout.map(async (late) => {
            const { currency, network } = method;
            const orderAmount = { value: amountFor(method), currency };
            const order = await makeCheckoutOrder(context, merchant, { orderAmount, network });
            const due = needText(order.created, 'data.cryptoPaymentAmount.value');
            const paid = `in ${currency} that is paid over ${network}`;
            const begun = await begin(context, { order, paid, late }, paymentOver(context, network, late.part?.(due)));
            return begun.map((each) => ({ ...each, repeat: () => order.client.create(order.request) }));
          }),
        ),
      );
      await expectEnds(context, merchant, begun.flat());
    },
  },
  {
    id: 'orders.payments.confirmed-alone-after-expiry',
    title: 'The end of its time closes no hosted order whose payment is confirmed by itself shortly afterwards',
    requirements: ['orders.states.no-other-moves'],
    needs: ['order-events', 'own-merchant', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant({ automatic: true });
      const order = await makeOrder(context, merchant);
      await context.advanceClock(merchant, orderLifetime - littleLeft);
      const paid = `that is paid over ${slowNetwork}`;
      const begun = await begin(context, { order, paid, late: ofHosted.enough }, paymentOver(context, slowNetwork));
      if (begun.length === 0) throw new PermittedChoice('no payment is under way for long enough here');
      await context.advanceClock(merchant, littleLeft + 1);
      const atExpiry = await order.query();
      await context.advanceClock(merchant, confirmedBy);
      const view = await context.poll(order.query, isFinal, shareOfTimeout);
      for (const answer of [atExpiry, view]) {
        // A platform may let a payment time out, and it may confirm it late.
        expectThat(['PROCESSING', 'SUCCEEDED', 'FAILED'].includes(String(statusOf(answer))), answer, {
          expected: 'an order that was PROCESSING when its time ran out: data.status = PROCESSING, SUCCEEDED or FAILED',
          actual: seenAt(answer, 'data.status'),
        });
      }
    },
  },
];
