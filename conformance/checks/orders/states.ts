import { ordersMachine } from '../../../generated/catalogue.ts';
import { expectNoLatePayment, happenToOrder, orderEventNeeds, payOrder } from '../../arrange/orders/any-order.ts';
import { makeExpiringOrder, makeOrder, makeOrderIn } from '../../arrange/orders/orders.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectField, expectThat, seenAt, statusOf } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import { stateGridChecks } from '../support/state-grid.ts';

/** The amounts paid before a move that depends on the amount. */
const amounts = { paidInFull: '9.50', underpaid: '9.49' } as const;

/** The whole grid of states and events of a hosted order. */
const grid = stateGridChecks({
  machine: 'orders',
  noun: 'an order',
  table: ordersMachine,
  idPrefix: 'orders.state',
  needs: orderEventNeeds,
  async make(context, state, next) {
    if (next?.event === 'expired' && state === 'INIT') return makeExpiringOrder(context, await context.ownMerchant());
    if (next?.when === undefined) return makeOrderIn(context, state);
    const order = await makeOrderIn(context, 'INIT');
    await payOrder(context, order, amounts[next.when]);
    return order;
  },
  happen: happenToOrder,
  answer: 'OrderSuccess',
  lasting: ['orderId', 'orderAmount', 'createdAt', 'expiresAt', 'paidAt', 'cryptoPaidAmount'],
});

/**
 * Payments of too little. The last decimal place of the first price is lost by binary floating point, by rounding to hundredths and by
 * rounding to 20 digits; what lacks of the third is less than a cent, at a rate of one USDT for a dollar.
 */
const shortfalls: readonly { currency: 'USDT' | 'USD'; value: string; amount: string; paymentMethod?: string }[] = [
  { currency: 'USDT', value: '1234.500000000000000001', amount: '1234.5' },
  { currency: 'USDT', value: '9.50', amount: '9.499999', paymentMethod: 'EXCHANGE_ONE' },
  { currency: 'USD', value: '10', amount: '9.999999' },
];

/** The cell of the grid that a transaction of any amount leads out of. */
const initDetected = 'orders.state.init.transaction-detected';

/** What may be seen to be paid for an order of 9.50: a fraction of a cent, less than a half, nearly all, as much as is due, and more. */
const seenAmounts = ['0.001', '0.01', '4.5', amounts.underpaid, amounts.paidInFull, '12'];

/** Fails unless a transaction moves an order to PROCESSING whatever its amount is: whether that is enough is judged once it is confirmed. */
async function expectSeen(context: CheckContext, amount: string): Promise<void> {
  const order = await makeOrder(context, await context.ownMerchant());
  await payOrder(context, order, amount);
  const hasMoved = (answer: Answer) => statusOf(answer) !== ordersMachine.initial;
  const answer = await context.poll(order.query, hasMoved);
  expectThat(statusOf(answer) === 'PROCESSING', answer, {
    expected: `data.status = PROCESSING, once a transaction of ${amount} was seen for an order of 9.50`,
    actual: seenAt(answer, 'data.status'),
  });
}

/** The cell of the grid in which the contract allows more than one state. */
const processingExpired = 'orders.state.processing.expired';

/** How much time passes after the expiry before an order in PROCESSING is said to stay so, in seconds: a year. */
const longest = 365 * 86_400;

/** The part of the whole wait for a change that is waited then. Most targets have no time-out, and would use up all of it. */
const shareOfWait = 0.1;

/** States that an order in PROCESSING may show after time alone has passed. */
const afterTime = ['PROCESSING', 'SUCCEEDED', 'FAILED'];

const seenOfAnyAmount = (check: CheckDeclaration): CheckDeclaration => ({
  ...check,
  title: `${check.title}, whatever its amount is`,
  async run(context) {
    await check.run(context);
    await sideBySide(seenAmounts.map((amount) => expectSeen(context, amount)));
  },
});

export const ordersStatesChecks: readonly CheckDeclaration[] = [
  ...grid
    .filter(({ id }) => id !== processingExpired)
    .map((check) => (check.id === initDetected ? seenOfAnyAmount(check) : check)),
  {
    id: processingExpired,
    title: 'Time alone brings an order in PROCESSING to no state but SUCCEEDED or FAILED',
    requirements: ['orders.states.processing-timeout', 'orders.states.no-other-moves'],
    openPoint: 'processing-timeout',
    needs: orderEventNeeds('PROCESSING', 'expired'),
    async run(context) {
      const order = await makeOrderIn(context, 'PROCESSING');
      await happenToOrder(context, order, 'expired');
      await context.advanceClock(order.merchant, longest);
      const hasMoved = (view: Answer) => statusOf(view) !== 'PROCESSING';
      const answer = await context.poll(order.query, hasMoved, shareOfWait);
      const seen = show(statusOf(answer));
      const cell = { machine: 'orders', from: 'PROCESSING', event: 'expired', expected: 'PROCESSING' } as const;
      context.sawTransition({ ...cell, seen, free: true });
      const values: Record<string, string> = { PROCESSING: 'never', FAILED: 'after-a-while' };
      context.observeIn(answer, 'processing-timeout', `a year after the expiry of the order: ${seen}`, values[seen]);
      expectThat(afterTime.includes(seen), answer, {
        expected: `data.status = ${afterTime.join(', ')}`,
        actual: `data.status = ${seen}`,
      });
    },
  },
  {
    id: 'orders.state.underpaid-by-last-decimal',
    title: 'An order that is paid less than it costs, by the last decimal place, becomes FAILED',
    requirements: ['orders.states.failed'],
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.ownMerchant({ usdRate: '1' });
      // What a dollar costs is known of a merchant of its own only.
      const ways = shortfalls.filter(({ currency }) => currency === 'USDT' || context.has('own-merchant'));
      await sideBySide(
        ways.map(async ({ currency, value, ...payment }) => {
          const order = await makeOrder(context, merchant, { orderAmount: { value, currency } });
          const step = { type: 'transaction_detected', ...payment } as const;
          const { done } = await context.orderEvent(merchant, order.orderId, step);
          // Not every driver pays from an exchange.
          if (!done && payment.paymentMethod) return;
          if (!done) throw new Inconclusive('the driver did not pay the order');
          await context.orderEvent(merchant, order.orderId, { type: 'payment_confirmed' });
          const hasEnded = (answer: Answer) => ['SUCCEEDED', 'FAILED'].includes(String(statusOf(answer)));
          const answer = await context.poll(order.query, hasEnded);
          expectField(answer, 'data.status', 'FAILED');
        }),
      );
    },
  },
  {
    id: 'orders.state.expired-is-final',
    title: 'An order that expired does not move again when its payment comes late',
    requirements: ['orders.states.final'],
    needs: ['order-events', 'clock'],
    async run(context) {
      const order = await makeOrder(context, await context.ownMerchant());
      await expectNoLatePayment(context, order);
    },
  },
];
