import {
  type OrdersEvent,
  type OrdersState,
  ordersMachine,
  type RefundsState,
  refundsMachine,
} from '../../../../generated/catalogue.ts';
import { makeCheckoutOrder } from '../../../arrange/checkout-orders/checkout-orders.ts';
import { makeOrder, orderLifetime } from '../../../arrange/orders/orders.ts';
import { refundsClient } from '../../../arrange/refunds/client.ts';
import { refundRequest } from '../../../arrange/refunds/refunds.ts';
import type { CheckContext } from '../../../check/context.ts';
import {
  expectAccepted,
  expectAmount,
  expectField,
  expectRefused,
  expectSchema,
  expectThat,
  isAccepted,
  needText,
  show,
  summary,
} from '../../../check/expect.ts';
import { addDecimals, compareDecimals } from '../../../contract/decimals.ts';
import type { Credentials, OrderStep, RefundStep } from '../../../drivers/driver.ts';
import { type Answer, field } from '../../../wire/exchange.ts';
import {
  after,
  isFinalOrder,
  isFinalRefund,
  type Model,
  type ModelOrder,
  type ModelRefund,
  openingBalance,
  reservedIn,
} from './model.ts';

/** What a sequence of steps acts on. */
export interface World {
  context: CheckContext;
  merchant: Credentials;
  /** The steps taken so far, in words. */
  taken: string[];
}

/** One step of a sequence. `pick` chooses among what there is; the step is left out where there is nothing. */
export interface Step {
  /** Whether it can be taken now. */
  possible(model: Model): boolean;
  /** Takes it, notes it in words, and fails when the target does something else than the model. */
  take(model: Model, world: World): Promise<void>;
}

const amounts = ['9.50', '1.1', '2.2', '3.000000000000000001'] as const;
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

const pickOf = <Item>(items: readonly Item[], pick: number): Item => {
  const item = items[pick % items.length];
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
};

/** Makes an order of a product. */
export function createOrder(product: ModelOrder['product'], pick: number): Step {
  return {
    possible: ({ orders }) => orders.length < letters.length,
    async take(model, { context, merchant, taken }) {
      const expiresAt = new Date(context.now() + (model.now + orderLifetime) * 1000).toISOString();
      const name = letters.charAt(model.orders.length);
      const value = pickOf(amounts, pick);
      taken.push(`make ${product === 'orders' ? 'hosted' : 'checkout'} order ${name}`);
      const common = { name, product, state: ordersMachine.initial, expiresAt: model.now + orderLifetime } as const;
      if (product === 'orders') {
        const made = await makeOrder(context, merchant, { expiresAt, orderAmount: { value, currency: 'USDT' } });
        const repeat = () => made.client.create(made.request);
        model.orders.push({ ...common, made, due: { value, currency: 'USDT' }, repeat });
      } else {
        const made = await makeCheckoutOrder(context, merchant, { expiresAt });
        const due = needText(made.created, 'data.cryptoPaymentAmount.value');
        const repeat = () => made.client.create(made.request);
        model.orders.push({ ...common, made, due: { value: due, currency: made.method.currency }, repeat });
      }
    },
  };
}

const ofCheckout = ({ orders }: Model) => orders.filter(({ product }) => product === 'checkout');

/** Sends a checkout order's create again, letter for letter. Of a hosted order it is not said that its id makes one only. */
export function repeatCreate(pick: number): Step {
  return {
    possible: (model) => ofCheckout(model).length > 0,
    async take(model, world) {
      const order = pickOf(ofCheckout(model), pick);
      world.taken.push(`send the create of ${order.name} again`);
      const answer = await order.repeat();
      if (isAccepted(answer)) {
        expectField(answer, 'data.orderId', order.made.orderId, 'checkout.create.repeat-same-order');
      }
      await expectOrder(world, order);
    },
  };
}

/** Lets an event happen to an order; a transaction is of exactly, less than or more than what is due. */
export function orderEvent(
  pick: number,
  event: Exclude<OrdersEvent, 'expired'>,
  paying: 'due' | 'less' | 'more',
): Step {
  return {
    possible: ({ orders }) => orders.length > 0,
    async take(model, world) {
      const { context, taken } = world;
      const order = pickOf(model.orders, pick);
      const before = order.state;
      const detected = event === 'transaction_detected';
      taken.push(`${event} of ${order.name}${detected ? `, paying ${paying === 'due' ? 'what is due' : paying}` : ''}`);
      const amount = { due: order.due.value, less: '0.01', more: addDecimals([order.due.value, '0.01']) }[paying];
      const step: OrderStep = detected ? { type: event, amount } : { type: event };
      const outcome = await context.orderEvent(order.made.merchant, order.made.orderId, step);
      // A driver may refuse what the table does not have, and what a skipped state has made superfluous.
      const next = after(order, event);
      const moves = outcome.done && next !== order.state;
      if (moves && detected) order.paid = amount;
      if (moves) order.state = next;
      await expectOrder(world, order, before);
    },
  };
}

/** Lets business time pass: `seconds` of it. */
export function passTime(seconds: number): Step {
  return {
    possible: () => true,
    async take(model, world) {
      world.taken.push(`let ${seconds} s pass`);
      await world.context.advanceClock(world.merchant, seconds);
      model.now += seconds;
      for (const order of model.orders) {
        const before = order.state;
        if (before === 'INIT' && order.expiresAt <= model.now) order.state = after(order, 'expired');
        await expectOrder(world, order, before);
      }
    },
  };
}

/** Asks for the refund of an order. */
export function createRefund(pick: number): Step {
  return {
    possible: ({ orders }) => orders.length > 0,
    async take(model, { context, merchant, taken }) {
      const order = pickOf(model.orders, pick);
      const name = `${order.name}${model.refunds.filter((each) => each.order === order).length + 1}`;
      taken.push(`ask for refund ${name} of ${order.name}`);
      const client = refundsClient(context, merchant);
      const request = refundRequest(context, order.made.orderId);
      const created = await client.create(request);
      const { merchantRefundOrderId } = request;
      if (!isAccepted(created)) {
        expectRefusedRightly(model, order, created);
        const found = await client.query({ merchantRefundOrderId });
        expectRefused(found, 'a query for the refund that was refused', 'refunds.errors.refused');
        return;
      }
      expectThat(order.state === 'SUCCEEDED', created, {
        expected: `refused: order ${order.name} is ${order.state}`,
        actual: summary(created),
        requirement: 'refunds.create.completed-payments',
      });
      expectSchema(created, 'RefundSuccess');
      expectAmount(created, 'data.refundAmount', order.paid ?? order.due.value, 'refunds.record.amount');
      const refundOrderId = needText(created, 'data.refundOrderId');
      const query = () => client.query({ refundOrderId });
      const made = { merchant, client, order: order.made, request, refundOrderId, created, query };
      const deducted = needText(created, 'data.merchantDeductAmount');
      model.refunds.push({ name, made, order, state: 'PENDING', deducted });
      const { least } = reservedIn(model, order.due.currency);
      expectThat(compareDecimals(least, openingBalance) <= 0, created, {
        expected: `refused: the balance of ${openingBalance} does not cover ${least} ${order.due.currency}`,
        actual: summary(created),
        requirement: 'refunds.create.reserves-funds',
      });
    },
  };
}

/** A refusal is right where the contract leaves it open, or where the balance may not be enough. */
function expectRefusedRightly(model: Model, order: ModelOrder, created: Answer): void {
  const isOpen = order.product === 'checkout' || model.refunds.some((each) => each.order === order);
  if (order.state !== 'SUCCEEDED' || isOpen) return;
  const { most } = reservedIn(model, order.due.currency);
  // How much more than what was paid is deducted is not said: twice as much is taken to be more than enough.
  const needed = addDecimals([most, order.paid ?? '0', order.paid ?? '0']);
  expectThat(compareDecimals(needed, openingBalance) > 0, created, {
    expected: `accepted: order ${order.name} is paid, and at most ${most} of ${openingBalance} ${order.due.currency} is reserved`,
    actual: summary(created),
    requirement: 'refunds.create.accepted',
  });
}

/** Sends a refund's create again, letter for letter. */
export function repeatRefund(pick: number): Step {
  return {
    possible: ({ refunds }) => refunds.length > 0,
    async take(model, world) {
      const refund = pickOf(model.refunds, pick);
      const { client, request, refundOrderId } = refund.made;
      world.taken.push(`send the create of refund ${refund.name} again`);
      const answer = await client.create(request);
      if (isAccepted(answer)) {
        expectField(answer, 'data.refundOrderId', refundOrderId, 'refunds.create.idempotent');
      }
      await followRefund(world, refund);
    },
  };
}

/** Lets an event happen to a refund. */
export function refundEvent(pick: number, type: RefundStep['type']): Step {
  return {
    possible: ({ refunds }) => refunds.length > 0,
    async take(model, world) {
      const refund = pickOf(model.refunds, pick);
      world.taken.push(`${type} of refund ${refund.name}`);
      const outcome = await world.context.refundEvent(world.merchant, refund.made.refundOrderId, { type });
      await followRefund(world, refund, outcome.done);
    },
  };
}

/** Asks for everything once more: nothing may have changed by itself. */
export async function expectAll({ orders, refunds }: Model, world: World): Promise<void> {
  for (const order of orders) await expectOrder(world, order);
  for (const refund of refunds) await followRefund(world, refund);
}

/**
 * Fails unless an order's view is what the model says; a checkout order's free moves are followed. Where the model has moved
 * on from `before`, the view may take a while.
 */
async function expectOrder({ context }: World, order: ModelOrder, before = order.state): Promise<Answer> {
  const { product, made, state, name } = order;
  const isThere = (answer: Answer) => {
    const seen = field(answer, 'data.status');
    return product === 'orders' ? seen === state : seen !== before;
  };
  const view = state === before ? await made.query() : await context.poll(made.query, isThere);
  expectAccepted(view, `a query for order ${name}`);
  if (product === 'orders') {
    const requirement = isFinalOrder(before) ? 'orders.states.final' : 'orders.states.no-other-moves';
    expectField(view, 'data.status', state, requirement);
    expectSchema(view, 'OrderSuccess');
  } else {
    followCheckoutOrder(order, before, view);
    expectSchema(view, 'CheckoutOrderQuerySuccess');
  }
  if (order.state === 'SUCCEEDED' && order.paid !== undefined) {
    const requirement = product === 'orders' ? 'orders.view.crypto-paid-amount' : 'checkout.view.paid-amount';
    expectAmount(view, 'data.cryptoPaidAmount.value', order.paid, requirement);
  }
  return view;
}

/** Takes over what a checkout order did on its way, as long as it ends as the contract says. */
function followCheckoutOrder(order: ModelOrder, before: OrdersState, view: Answer): void {
  const seen = field(view, 'data.status');
  if (seen === order.state) return;
  const known = statesOf(ordersMachine.states).find((each) => each === seen);
  const { state, paid, due } = order;
  const outcome = paid !== undefined && compareDecimals(paid, due.value) >= 0 ? 'FAILED' : 'SUCCEEDED';
  expectThat(known !== undefined && !isFinalOrder(before), view, {
    expected: `data.status = ${state}`,
    actual: `data.status = ${show(seen)}`,
    requirement: 'checkout.states.final',
  });
  expectThat(known !== outcome, view, {
    expected: `data.status is not ${outcome}: ${paid ?? 'nothing'} of ${due.value} was paid`,
    actual: `data.status = ${show(seen)}`,
    requirement: 'checkout.payment-rule',
  });
  if (known) order.state = known;
}

/** Takes over what a refund did, as long as final states stay. One that was `moved` may take a while to show it. */
async function followRefund({ context }: World, refund: ModelRefund, moved = false): Promise<void> {
  const { made, name, state } = refund;
  const view = moved
    ? await context.poll(made.query, (answer) => field(answer, 'data.status') !== state)
    : await made.query();
  expectAccepted(view, `a query for refund ${name}`);
  expectSchema(view, 'RefundSuccess');
  const seen = field(view, 'data.status');
  const known: RefundsState | undefined = statesOf(refundsMachine.states).find((each) => each === seen);
  expectThat(known === state || !isFinalRefund(state), view, {
    expected: `data.status = ${state}, which is final`,
    actual: `data.status = ${show(seen)}`,
    requirement: 'refunds.states.final',
  });
  expectField(view, 'data.refundOrderId', made.refundOrderId, 'refunds.query.by-refund-order-id');
  expectAmount(view, 'data.refundAmount', refund.order.paid ?? refund.order.due.value, 'refunds.record.amount');
  if (known) refund.state = known;
}

function statesOf<State extends string>(states: Readonly<Record<State, unknown>>): State[] {
  return Object.keys(states).filter((each): each is State => Object.hasOwn(states, each));
}
