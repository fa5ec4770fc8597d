import { checkoutMachine, type OrdersState } from '../../../generated/catalogue.ts';
import {
  type MadeCheckoutOrder,
  makeCheckoutOrder,
  makeCheckoutOrderIn,
  makeExpiringCheckoutOrder,
  makePreciseCheckoutOrder,
  type PreciseCheckoutOrder,
} from '../../arrange/checkout-orders/checkout-orders.ts';
import {
  expectNoLatePayment,
  happenToOrder,
  orderEventNeeds,
  passSoon,
  payOrder,
  tooLittle,
} from '../../arrange/orders/any-order.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat, needAccepted, needText, statusOf } from '../../check/expect.ts';
import { addDecimals, subtractDecimals } from '../../contract/decimals.ts';
import { show } from '../../contract/show.ts';
import type { Answer } from '../../wire/exchange.ts';
import { stateGridChecks } from '../support/state-grid.ts';

/** An order that was paid and waits for its confirmation; a target that needs none may have ended it already. */
async function paidOrder(context: CheckContext, when: 'paidInFull' | 'underpaid'): Promise<MadeCheckoutOrder> {
  const order = await makeCheckoutOrder(context, await context.ownMerchant());
  const due = needText(order.created, 'data.cryptoPaymentAmount.value');
  await payOrder(context, order, when === 'underpaid' ? tooLittle : due);
  return order;
}

/** The whole grid of states and events of a checkout order; most of it is free. */
const grid = stateGridChecks({
  machine: 'checkout',
  noun: 'a checkout order',
  table: checkoutMachine,
  idPrefix: 'checkout.state',
  needs: orderEventNeeds,
  async make(context, state, next) {
    if (next?.event === 'expired' && state === 'INIT')
      return makeExpiringCheckoutOrder(context, await context.ownMerchant());
    return next?.when ? paidOrder(context, next.when) : makeCheckoutOrderIn(context, state);
  },
  happen: happenToOrder,
  answer: 'CheckoutOrderQuerySuccess',
  lasting: [
    'orderId',
    'orderAmount',
    'cryptoPaymentAmount',
    'depositAddress',
    'createdAt',
    'expiresAt',
    'paidAt',
    'cryptoPaidAmount',
  ],
  choiceOf: ({ from, event, seen }) => {
    if (from !== 'INIT' || event !== 'expired') return undefined;
    return seen === 'CLOSED' ? 'as-hosted' : seen === 'FAILED' ? 'expiry-fails' : undefined;
  },
});

/** A check of the state that an order comes to when it was paid exactly, or more or less by the last decimal place. */
function paymentCheck(
  name: string,
  words: string,
  state: Extract<OrdersState, 'SUCCEEDED' | 'FAILED'>,
  amount: (order: PreciseCheckoutOrder) => string,
): CheckDeclaration {
  return {
    id: `checkout.state.payment.${name}`,
    title: `A checkout order that is paid ${words} becomes ${state}`,
    requirements: ['checkout.payment-rule'],
    needs: ['order-events'],
    async run(context) {
      const order = await makePreciseCheckoutOrder(context, await context.ownMerchant());
      const paid = amount(order);
      const { merchant, orderId } = order;
      const sent = await context.orderEvent(merchant, orderId, { type: 'transaction_detected', amount: paid });
      await context.orderEvent(merchant, orderId, { type: 'payment_confirmed' });
      const final = (status: unknown) => status === 'SUCCEEDED' || status === 'FAILED' || status === 'CLOSED';
      const settled = (each: Answer) => !sent.done || final(statusOf(each));
      const answer = await context.poll(order.query, settled);
      const seen = show(statusOf(answer));
      expectThat(seen === state, answer, {
        expected: `${paid} paid where ${order.due} is due: data.status = ${state}`,
        actual: `data.status = ${seen}${sent.done ? '' : ` (the driver refused the payment: ${sent.message})`}`,
      });
    },
  };
}

const payments: readonly CheckDeclaration[] = [
  paymentCheck('exact', 'exactly what is due', 'SUCCEEDED', ({ due }) => due),
  paymentCheck('more-by-last-decimal', 'more than is due, by the last decimal place,', 'SUCCEEDED', (order) =>
    addDecimals([order.due, order.smallest]),
  ),
  paymentCheck('less-by-last-decimal', 'less than is due, by the last decimal place,', 'FAILED', (order) =>
    subtractDecimals(order.due, order.smallest),
  ),
];

const expiry: readonly CheckDeclaration[] = [
  {
    id: 'checkout.state.expired',
    title: 'A checkout order that expired unpaid is neither INIT nor SUCCEEDED',
    requirements: ['checkout.states.expired'],
    long: true,
    async run(context) {
      const order = await makeExpiringCheckoutOrder(context, await context.ownMerchant());
      await passSoon(context, order.merchant);
      const answer = await context.poll(order.query, (each) => statusOf(each) !== 'INIT');
      needAccepted(answer, 'a query for the order that expired');
      const status = show(statusOf(answer));
      expectThat(status !== 'INIT' && status !== 'SUCCEEDED', answer, {
        expected: 'data.status is neither INIT nor SUCCEEDED',
        actual: `data.status = ${status}`,
      });
    },
  },
  {
    id: 'checkout.state.expired-is-final',
    title: 'A checkout order that expired does not move again when its payment comes late',
    requirements: ['checkout.states.final'],
    needs: ['order-events', 'clock'],
    async run(context) {
      const order = await makeCheckoutOrder(context, await context.ownMerchant());
      await expectNoLatePayment(context, order);
    },
  },
];

export const checkoutStatesChecks: readonly CheckDeclaration[] = [...grid, ...payments, ...expiry];
