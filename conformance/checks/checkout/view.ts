import { networks, type OrdersState, type RequirementId } from '../../../generated/catalogue.ts';
import {
  checkoutOrderIn,
  makeCheckoutOrder,
  makeCheckoutOrderIn,
  makePreciseCheckoutOrder,
} from '../../arrange/checkout-orders/checkout-orders.ts';
import { orderStateNeeds, orderStates, payOrder } from '../../arrange/orders/any-order.ts';
import { checkoutOrders } from '../../arrange/products.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAmount, expectField, expectSchema, expectThat, needText, statusOf } from '../../check/expect.ts';
import { expectPresentTime, timeFormOf } from '../../check/times.ts';
import { addDecimals, compareDecimals, isDecimalText } from '../../contract/decimals.ts';
import { show } from '../../contract/show.ts';
import { field } from '../../wire/exchange.ts';
import { stableWhenPaid } from '../support/order-checks.ts';

/** A check of the fields that the view of a query has in a state. */
function shapeCheck(state: OrdersState): CheckDeclaration {
  const paid = state === 'SUCCEEDED';
  return {
    id: `checkout.view.${state.toLowerCase()}`,
    title: paid
      ? 'The view of a paid checkout order has all fields, with those of the payment'
      : `The view of a checkout order in ${state} has all fields, and no value in those of a payment`,
    requirements: [
      'checkout.view.fields',
      'checkout.envelope.success',
      'checkout.states.values',
      'checkout.view.times',
      'checkout.view.amounts',
      'checkout.currencies',
      ...((paid
        ? ['checkout.view.paid-fields', 'checkout.view.payment-detail']
        : ['checkout.view.unpaid']) satisfies RequirementId[]),
    ],
    needs: orderStateNeeds(state),
    ...(state === 'CLOSED' && { long: true }),
    async run(context) {
      expectSchema(await (await checkoutOrderIn(context, state)).query(), 'CheckoutOrderQuerySuccess');
    },
  };
}

/** An order that was paid the smallest amount more than is due, with the amount paid and the view after it. */
async function overpaidOrder(context: CheckContext) {
  const order = await makePreciseCheckoutOrder(context, await context.ownMerchant());
  const paid = addDecimals([order.due, order.smallest]);
  await payOrder(context, order, paid);
  await context.orderEvent(order.merchant, order.orderId, { type: 'payment_confirmed' });
  const answer = await context.poll(order.query, (each) => statusOf(each) === 'SUCCEEDED');
  expectField(answer, 'data.status', 'SUCCEEDED', 'checkout.payment-rule');
  return { order, paid, answer };
}

/** A new order with its views in the answers to create and query. */
async function bothViews(context: CheckContext) {
  const order = await makeCheckoutOrder(context, await context.merchant());
  return { order, views: [order.created, await order.query()] as const };
}

const amounts: readonly CheckDeclaration[] = [
  {
    id: 'checkout.view.payment-amount',
    title: 'cryptoPaymentAmount is in the coin of the order, not below its price, and the same in create and query',
    requirements: ['checkout.view.payment-amount'],
    async run(context) {
      const { order, views } = await bothViews(context);
      const { value: price, currency } = order.request.orderAmount;
      for (const answer of views) {
        const due = field(answer, 'data.cryptoPaymentAmount.value');
        expectThat(isDecimalText(due) && compareDecimals(due, price) >= 0, answer, {
          expected: `data.cryptoPaymentAmount.value = ${price}, or more`,
          actual: `data.cryptoPaymentAmount.value = ${show(due)}`,
        });
        expectField(answer, 'data.cryptoPaymentAmount.currency', currency);
      }
      const [created, queried] = views;
      const due = needText(created, 'data.cryptoPaymentAmount.value');
      expectAmount(queried, 'data.cryptoPaymentAmount.value', due);
    },
  },
  {
    id: 'checkout.view.fees',
    title: 'Whether cryptoPaymentAmount holds fees',
    requirements: ['checkout.view.payment-amount.fees'],
    async run(context) {
      const { created, request } = await makeCheckoutOrder(context, await context.merchant());
      const due = needText(created, 'data.cryptoPaymentAmount.value');
      const { value: price } = request.orderAmount;
      const difference = isDecimalText(due) ? compareDecimals(due, price) : undefined;
      const value = difference === undefined ? undefined : { '0': 'none', '1': 'included' }[String(difference)];
      context.observeIn(created, 'checkout-fees', `${due} for a price of ${price}`, value);
    },
  },
  {
    id: 'checkout.view.payment-detail',
    title: 'cryptoPaymentDetail has the coin and the amount that were paid, and enough confirmations',
    requirements: ['checkout.view.payment-detail'],
    needs: ['order-events'],
    async run(context) {
      const { order, paid, answer } = await overpaidOrder(context);
      expectAmount(answer, 'data.cryptoPaymentDetail.amount', paid);
      expectField(answer, 'data.cryptoPaymentDetail.cryptoCurrency', order.method.currency);
      // The contract does not say that the network is written as a code; where it is one, it must be the right one.
      const network = field(answer, 'data.cryptoPaymentDetail.network');
      if (networks.some(({ code }) => code === network)) {
        expectField(answer, 'data.cryptoPaymentDetail.network', order.method.network);
      }
      const confirmations = Number(field(answer, 'data.cryptoPaymentDetail.confirmations'));
      const required = Number(field(answer, 'data.cryptoPaymentDetail.requiredConfirmations'));
      expectThat(confirmations >= required, answer, {
        expected: 'data.cryptoPaymentDetail.confirmations = requiredConfirmations, or more',
        actual: `confirmations = ${confirmations}, requiredConfirmations = ${required}`,
      });
    },
  },
];

export const checkoutViewChecks: readonly CheckDeclaration[] = [
  ...orderStates.map(shapeCheck),
  ...amounts,
  {
    id: 'checkout.view.deposit-address',
    title: 'Whether two orders of a pair have the same deposit address',
    requirements: ['checkout.view.deposit-address'],
    async run(context) {
      const merchant = await context.merchant();
      const first = await makeCheckoutOrder(context, merchant);
      const { orderAmount, network } = first.request;
      const orders = [first, await makeCheckoutOrder(context, merchant, { orderAmount, network })];
      const addresses = orders.map(({ created }) => needText(created, 'data.depositAddress'));
      const value = new Set(addresses).size === 1 ? 'shared' : 'own';
      context.observeIn(
        orders.map(({ created }) => created),
        'checkout-deposit-address',
        addresses.join(' and '),
        value,
      );
    },
  },
  {
    id: 'checkout.view.null-or-absent',
    title: 'Whether the fields of a payment are null or left out before there is one',
    requirements: ['checkout.view.null-or-absent'],
    async run(context) {
      const order = await makeCheckoutOrder(context, await context.merchant());
      const answer = await order.query();
      const values = ['cryptoPaidAmount', 'cryptoPaymentDetail', 'paidAt'].map((name) => field(answer, `data.${name}`));
      const isAll = (expected: unknown) => values.every((value) => value === expected);
      const value = isAll(null) ? 'null-value' : isAll(undefined) ? 'absent' : null;
      context.observeIn(answer, 'checkout-null-or-absent', values.map(show).join(', '), value);
    },
  },
  {
    id: 'checkout.view.times',
    title: 'createdAt is the present time in UTC',
    requirements: ['checkout.view.times'],
    openPoint: 'time-forms',
    async run(context) {
      const { created } = await makeCheckoutOrder(context, await context.merchant());
      const time = needText(created, 'data.createdAt');
      context.observeIn(created, 'time-forms', `data.createdAt = ${time}`, timeFormOf(time));
      expectPresentTime(created, 'data.createdAt', context.now());
    },
  },
  stableWhenPaid(checkoutOrders, ['order-events'], (context) => makeCheckoutOrderIn(context, 'SUCCEEDED'), [
    'paidAt',
    'cryptoPaidAmount',
    'depositAddress',
    'createdAt',
  ]),
];
