import type { OrdersState, RequirementId } from '../../../generated/catalogue-ids.ts';
import { orderStateNeeds, orderStates } from '../../arrange/orders/any-order.ts';
import { ordersClient } from '../../arrange/orders/client.ts';
import { makeOrder, makeOrderIn, orderIn } from '../../arrange/orders/orders.ts';
import { hostedOrders } from '../../arrange/products.ts';
import { shownFixture } from '../../arrange/refunds/fixtures.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAmount,
  expectField,
  expectSchema,
  expectThat,
  needAccepted,
  needText,
  statusOf,
} from '../../check/expect.ts';
import { timeFormOf } from '../../check/times.ts';
import { percentDecoded } from '../../contract/percent-encoding.ts';
import { show } from '../../contract/show.ts';
import { NeedNotMet, NotApplicable } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { stableWhenPaid } from '../support/order-checks.ts';

/** An order that was paid: through the driver, or before the run, where the target shows it under its platform id. */
async function makePaid(context: CheckContext): Promise<{ query(): Promise<Answer> }> {
  if (context.has('order-events')) return makeOrderIn(context, 'SUCCEEDED');
  const merchant = await context.merchant();
  const { orderId } = await shownFixture(context, merchant);
  const query = () => ordersClient(context, merchant).query(orderId);
  if (statusOf(await query()) === 'SUCCEEDED') return { query };
  throw new NeedNotMet('order-events', `${orderId} is not shown as a paid order under its platform id`);
}

/** A check of the fields that the view has in a state. */
function shapeCheck(state: OrdersState): CheckDeclaration {
  const paid = state === 'SUCCEEDED';
  return {
    id: `orders.view.${state.toLowerCase()}`,
    title: paid
      ? 'The view of a paid order has all fields, with those of the payment'
      : `The view of an order in ${state} has all fields, with null for those of a payment`,
    requirements: [
      'orders.view.fields',
      'orders.states.values',
      'orders.view.times',
      'orders.view.amounts',
      'orders.view.standard-response',
      ...((paid
        ? ['orders.view.paid-fields', 'orders.view.payment-detail']
        : ['orders.view.unpaid-nulls']) satisfies RequirementId[]),
    ],
    needs: paid ? ['paid-order'] : orderStateNeeds(state),
    ...(state === 'CLOSED' && { long: true }),
    async run(context) {
      const answer = await (paid ? await makePaid(context) : await orderIn(context, state)).query();
      expectSchema(answer, 'OrderSuccess');
      expectField(answer, 'data.standardResponseCode', field(answer, 'code'), 'orders.view.standard-response');
    },
  };
}

export const ordersViewChecks: readonly CheckDeclaration[] = [
  ...orderStates.map(shapeCheck),
  {
    id: 'orders.view.time-forms',
    title: 'How precise times are, and how they say that they are UTC',
    requirements: ['orders.view.time-precision'],
    async run(context) {
      const { created } = await makeOrder(context, await context.merchant());
      const time = needText(created, 'data.createdAt');
      context.observeIn(created, 'time-forms', `data.createdAt = ${time}`, timeFormOf(time));
    },
  },
  {
    id: 'orders.view.checkout-url',
    title: 'checkoutUrl is the checkout page followed by the order id',
    requirements: ['orders.view.checkout-url'],
    async run(context) {
      const order = await makeOrder(context, await context.merchant());
      const seen = needText(order.created, 'data.checkoutUrl');
      expectThat(
        [seen, percentDecoded(seen)].some((each) => each?.endsWith(`/${order.orderId}`)),
        order.created,
        {
          expected: `data.checkoutUrl ends with /${order.orderId}`,
          actual: `data.checkoutUrl = ${seen}`,
        },
      );
    },
  },
  {
    id: 'orders.view.crypto-paid-amount',
    title: 'An order that was paid more than it costs is paid, and cryptoPaidAmount is what was paid',
    requirements: ['orders.view.crypto-paid-amount'],
    needs: ['order-events'],
    async run(context) {
      const paid = '9.500001';
      const order = await makeOrder(context, await context.ownMerchant(), {
        orderAmount: { value: '9.5', currency: 'USDT' },
      });
      await context.orderEvent(order.merchant, order.orderId, { type: 'transaction_detected', amount: paid });
      await context.orderEvent(order.merchant, order.orderId, { type: 'payment_confirmed' });
      const answer = await context.poll(order.query, (each) => statusOf(each) === 'SUCCEEDED');
      expectField(answer, 'data.status', 'SUCCEEDED', 'orders.states.confirmed');
      expectAmount(answer, 'data.cryptoPaidAmount.value', paid);
    },
  },
  {
    id: 'orders.view.exchange-payment-detail',
    title: 'What cryptoPaymentDetail holds for a payment from an exchange',
    requirements: ['orders.view.exchange-payment-detail'],
    needs: ['order-events'],
    async run(context) {
      const order = await makeOrder(context, await context.ownMerchant());
      const step = { type: 'transaction_detected', paymentMethod: 'EXCHANGE_ONE' } as const;
      const paid = await context.orderEvent(order.merchant, order.orderId, step);
      if (!paid.done) throw new NotApplicable(`the driver pays no order from an exchange: ${paid.message}`);
      await context.orderEvent(order.merchant, order.orderId, { type: 'payment_confirmed' });
      const answer = await context.poll(order.query, (each) => statusOf(each) === 'SUCCEEDED');
      needAccepted(answer, 'a query for the paid order');
      const [confirmations, block] = ['confirmations', 'blockNumber'].map((name) =>
        field(answer, `data.cryptoPaymentDetail.${name}`),
      );
      const isReference = confirmations === 0 && block === 0;
      const seen = `data.cryptoPaymentDetail = ${show(field(answer, 'data.cryptoPaymentDetail'))}`;
      context.observeIn(answer, 'exchange-payment-detail', seen, isReference ? 'exchange-reference' : 'as-on-chain');
    },
  },
  stableWhenPaid(hostedOrders, ['paid-order'], makePaid, ['paidAt', 'cryptoPaidAmount', 'createdAt']),
];
