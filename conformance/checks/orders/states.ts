import { ordersMachine } from '../../../generated/catalogue.ts';
import {
  expectNoLatePayment,
  happenToOrder,
  makeOrder,
  makeOrderIn,
  orderEventNeeds,
  payOrder,
} from '../../arrange/orders/orders.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectField } from '../../check/expect.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { stateGridChecks } from '../support/state-grid.ts';

/** What is paid before a move that depends on the amount. */
const amounts = { paidInFull: '9.50', underpaid: '9.49' } as const;

/** The whole grid of states and events of a hosted order. */
const grid = stateGridChecks({
  machine: 'orders',
  noun: 'an order',
  table: ordersMachine,
  idPrefix: 'orders.state',
  needs: orderEventNeeds,
  async make(context, state, when) {
    if (when === undefined) return makeOrderIn(context, state);
    const order = await makeOrderIn(context, 'INIT');
    await payOrder(context, order, amounts[when]);
    return order;
  },
  happen: happenToOrder,
  answer: 'OrderSuccess',
  lasting: ['orderId', 'orderAmount', 'createdAt', 'expiresAt', 'paidAt', 'cryptoPaidAmount'],
});

/** Money of which binary floating point and hundredths would lose the last place. */
const [precise, justBelow] = ['9.500000000000000001', '9.5'];

export const ordersStatesChecks: readonly CheckDeclaration[] = [
  ...grid,
  {
    id: 'orders.state.underpaid-by-last-decimal',
    title: 'An order that is paid less than it costs, by the last decimal place, becomes FAILED',
    requirements: ['orders.states.failed'],
    needs: ['order-events'],
    async run(context) {
      const orderAmount = { value: precise, currency: 'USDT' } as const;
      const order = await makeOrder(context, await context.ownMerchant(), { orderAmount });
      await payOrder(context, order, justBelow);
      await context.orderEvent(order.merchant, order.orderId, { type: 'payment_confirmed' });
      const ended = (answer: Answer) => ['SUCCEEDED', 'FAILED'].includes(String(field(answer, 'data.status')));
      const answer = await context.poll(order.query, ended);
      expectField(answer, 'data.status', 'FAILED');
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
