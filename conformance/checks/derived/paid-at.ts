import { makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { checkoutClient } from '../../arrange/checkout-orders/client.ts';
import { amountFor, firstOfEachCurrency, paymentMethodsOf } from '../../arrange/checkout-orders/payment-methods.ts';
import type { AnyMadeOrder } from '../../arrange/orders/any-order.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { confirmed } from '../../arrange/orders/payments.ts';
import { checkoutOrders, hostedOrders, type ProductArrangement } from '../../arrange/products.ts';
import { means } from '../../arrange/situations/means.ts';
import { letHappen, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { countJudged, expectThat, statusOf } from '../../check/expect.ts';
import { counted } from '../../contract/counted.ts';
import { instantOf, readMoment } from '../../contract/moments.ts';
import { show } from '../../contract/show.ts';
import type { Credentials, OrderStep } from '../../drivers/driver.ts';
import { Inconclusive, PermittedChoice } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';

// What tells when an order was paid is the end of its payment, and not its beginning.

/** How long payments are under way, in minutes of business time: a few, and longer than an order may be paid for. */
const lapses = [10, 120];

/** An order and the payment that is to be detected for it. */
interface Paying {
  order: AnyMadeOrder;
  payment: OrderStep;
}

/** Makes an order for each way to pay it. */
type MakeForEach = (context: CheckContext, merchant: Credentials) => Promise<Paying[]>;

const hostedOfEachMeans: MakeForEach = (context, merchant) =>
  sideBySide(
    means.map(async ({ currency, pay }) => ({
      order: await makeOrder(context, merchant, { orderAmount: { value: '9.50', currency } }),
      payment: pay(context),
    })),
  );

const checkoutOfEachCurrency: MakeForEach = async (context, merchant) => {
  const methods = firstOfEachCurrency(await paymentMethodsOf(checkoutClient(context, merchant)));
  return sideBySide(
    methods.map(async (method): Promise<Paying> => {
      const { currency, network } = method;
      const orderAmount = { value: amountFor(method), currency };
      return {
        order: await makeCheckoutOrder(context, merchant, { orderAmount, network }),
        payment: { type: 'transaction_detected' },
      };
    }),
  );
};

/** paidAt of a paid order, in milliseconds since 1970. Throws `Inconclusive` where it is no time, which other checks judge. */
function neededPaidAt(paid: Answer): number {
  const shown = field(paid, 'data.paidAt');
  const paidAt = instantOf(shown);
  if (Number.isNaN(paidAt)) throw new Inconclusive(`data.paidAt of a paid order is ${show(shown)}, and no time`);
  return paidAt;
}

/**
 * Fails where paidAt of an order is nearer to the moment at which its payment was detected than to the one at which it was confirmed, so many
 * minutes later. Tells how many orders were judged: those that were in PROCESSING meanwhile and paid in the end.
 */
async function countPaidWhenConfirmed(
  context: CheckContext,
  { aNoun }: ProductArrangement,
  makeForEach: MakeForEach,
  minutes: number,
): Promise<number> {
  const merchant = await context.ownMerchant();
  const paying = await makeForEach(context, merchant);
  await sideBySide(paying.map(({ order, payment }) => context.orderEvent(merchant, order.orderId, payment)));
  const detectedAt = context.businessTime(merchant);
  await context.advanceClock(merchant, minutes * 60);
  const judged = await sideBySide(
    paying.map(async ({ order }) => {
      if (statusOf(await order.query()) !== 'PROCESSING') return [];
      const confirmedAt = context.businessTime(merchant);
      const paid = await letHappen(context, order, [confirmed]);
      if (statusOf(paid) !== 'SUCCEEDED') return [];
      const paidAt = neededPaidAt(paid);
      expectThat(paidAt - detectedAt > confirmedAt - paidAt, paid, {
        expected: `data.paidAt of ${aNoun}: when its payment was confirmed, about ${new Date(confirmedAt).toISOString()}`,
        actual: `data.paidAt = ${String(field(paid, 'data.paidAt'))}; the payment was detected ${counted(minutes, 'minute')} before it was confirmed`,
      });
      countJudged(context.transport);
      return [order];
    }),
  );
  return judged.flat().length;
}

/** How often an order is looked at whose payment the platform confirms by itself, and how much business time passes before each time, in seconds. */
const [looks, step] = [15, 4];

/**
 * Fails where paidAt of an order whose payment the platform confirms by itself is nearer to the moment of its detection than to the last one at
 * which the payment was seen to be under way. Tells how many orders were judged.
 */
async function countPaidAlone(context: CheckContext, { product, aNoun }: ProductArrangement): Promise<number> {
  const merchant = await context.ownMerchant({ automatic: true });
  const { orderId, query } = await (product === 'orders' ? makeOrder : makeCheckoutOrder)(context, merchant);
  await context.orderEvent(merchant, orderId, { type: 'transaction_detected' });
  const detectedAt = context.businessTime(merchant);
  let underWayAt = detectedAt;
  for (let look = 0; look < looks; look += 1) {
    await context.advanceClock(merchant, step);
    const askedAt = context.businessTime(merchant);
    const answer = await query();
    if (statusOf(answer) === 'PROCESSING') {
      underWayAt = askedAt;
      continue;
    }
    if (statusOf(answer) !== 'SUCCEEDED' || underWayAt === detectedAt) return 0;
    const paidAt = neededPaidAt(answer);
    const { precision = 0 } = readMoment(String(field(answer, 'data.paidAt'))) ?? {};
    // What is shown to the minute cannot tell seconds apart.
    if (precision > step * 1000) return 0;
    expectThat(paidAt - detectedAt > underWayAt - paidAt, answer, {
      expected: `data.paidAt of ${aNoun} that the platform confirms by itself: when its payment was confirmed, after ${new Date(underWayAt).toISOString()}, when it was under way`,
      actual: `data.paidAt = ${String(field(answer, 'data.paidAt'))}; the payment was detected about ${new Date(detectedAt).toISOString()}`,
    });
    countJudged(context.transport);
    return 1;
  }
  return 0;
}

const paidAtCheck = (arrangement: ProductArrangement, makeForEach: MakeForEach): CheckDeclaration => ({
  id: `${arrangement.product}.query.paid-at`,
  title: `paidAt of ${arrangement.aNoun} is the moment at which its payment was confirmed, not detected, however it is paid`,
  requirements: [`${arrangement.product}.view.paid-at`],
  needs: ['order-events', 'own-merchant', 'clock'],
  async run(context) {
    const judged = lapses.map((minutes) => countPaidWhenConfirmed(context, arrangement, makeForEach, minutes));
    judged.push(countPaidAlone(context, arrangement));
    if ((await sideBySide(judged)).every((count) => count === 0)) {
      throw new PermittedChoice('no payment that stays under way for minutes is confirmed here');
    }
  },
});

export const paidAtChecks: readonly CheckDeclaration[] = [
  paidAtCheck(hostedOrders, hostedOfEachMeans),
  paidAtCheck(checkoutOrders, checkoutOfEachCurrency),
];
