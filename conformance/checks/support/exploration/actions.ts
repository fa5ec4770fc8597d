import { ordersMachine, refundsMachine } from '../../../../generated/catalogue.ts';
import type { OrdersEvent, OrdersState, RefundsState, RequirementId } from '../../../../generated/catalogue-ids.ts';
import { orderLifetime, type Product } from '../../../arrange/orders/any-order.ts';
import { checkoutOrders, hostedOrders } from '../../../arrange/products.ts';
import { refundsClient } from '../../../arrange/refunds/client.ts';
import { refundRequest } from '../../../arrange/refunds/refunds.ts';
import { waysToAsk } from '../../../arrange/refunds/ways-to-ask.ts';
import { sideBySide } from '../../../arrange/situations/situations.ts';
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
  statusOf,
  summary,
} from '../../../check/expect.ts';
import { keysOf } from '../../../check/keys-of.ts';
import { counted } from '../../../contract/counted.ts';
import { addDecimals, compareDecimals, isDecimalText } from '../../../contract/decimals.ts';
import { errorCode } from '../../../contract/error-codes.ts';
import { valueAt } from '../../../contract/json.ts';
import { show } from '../../../contract/show.ts';
import type { Credentials, OrderStep, RefundStep } from '../../../drivers/driver.ts';
import { type Answer, field } from '../../../wire/exchange.ts';
import { expectEach } from '../batch-answers.ts';
import {
  after,
  isFinalOrder,
  isFinalRefund,
  isGivenBack,
  type Model,
  type ModelOrder,
  type ModelRefund,
  openingBalance,
  reservedBy,
  reservedIn,
} from './model.ts';
import { makeVariedCheckoutOrder, makeVariedOrder, pickOf } from './variety.ts';

/** The target of a sequence of actions. */
export interface World {
  context: CheckContext;
  merchant: Credentials;
  /** The actions taken so far, in words. */
  taken: string[];
  /** The part of the whole wait for a change that is waited here. */
  share: number;
}

/** One action of a sequence, on one of the orders or refunds there are, which the number `pick` chooses. */
export interface Action {
  /** Whether the action can be taken now. */
  possible(model: Model): boolean;
  /** Takes the action and notes it in words. Fails when the target does something else than the model. */
  take(model: Model, world: World): Promise<void>;
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** One of the items to which something can happen; now and then, or where there is none, any of them. */
function mostlyFrom<Item>(items: readonly Item[], isFit: (item: Item) => boolean, pick: number): Item {
  const fit = items.filter(isFit);
  return pickOf(fit.length === 0 || pick % 4 === 3 ? items : fit, pick);
}

/** Makes an order of a product. */
export function newOrder(product: Product, pick: number): Action {
  return {
    possible: ({ orders }) => orders.length < letters.length,
    async take(model, { context, merchant, taken }) {
      const expiresAt = new Date(context.now() + (model.now + orderLifetime) * 1000).toISOString();
      const name = letters.charAt(model.orders.length);
      taken.push(`make ${product === 'orders' ? 'hosted' : 'checkout'} order ${name}`);
      const make = product === 'orders' ? makeVariedOrder : makeVariedCheckoutOrder;
      const made = await make(context, merchant, pick, expiresAt);
      model.orders.push({
        ...made,
        name,
        product,
        state: ordersMachine.initial,
        expiresAt: model.now + orderLifetime,
      });
    },
  };
}

const ofCheckout = ({ orders }: Model) => orders.filter(({ product }) => product === 'checkout');

/** Sends the same create of a checkout order again. The contract does not make the create of a hosted order idempotent. */
export function repeatCreate(pick: number): Action {
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

type Paying = 'due' | 'less' | 'more';

/** Lets an event happen to one of the orders. A transaction pays the amount that is due, or less, or more. */
export function orderEvent(pick: number, event: Exclude<OrdersEvent, 'expired'>, paying: Paying): Action {
  return {
    possible: ({ orders }) => orders.length > 0,
    take: (model, world) =>
      happen(
        model,
        world,
        mostlyFrom(model.orders, (each) => !isFinalOrder(each.state), pick),
        event,
        paying,
      ),
  };
}

/** Lets an event happen to an order, and follows it. */
async function happen(
  model: Model,
  world: World,
  order: ModelOrder,
  event: Exclude<OrdersEvent, 'expired'>,
  paying: Paying,
): Promise<void> {
  const { context, taken } = world;
  const before = order.state;
  const detected = event === 'transaction_detected';
  taken.push(`${event} of ${order.name}${detected ? `, paying ${paying === 'due' ? 'what is due' : paying}` : ''}`);
  const amount = { due: order.due.value, less: '0.01', more: addDecimals([order.due.value, '0.01']) }[paying];
  const step: OrderStep = detected ? { type: event, amount } : { type: event };
  const outcome = await context.orderEvent(order.made.merchant, order.made.orderId, step);
  // The driver may refuse an event without a move, and one that a skipped state has made superfluous.
  const next = after(order, event);
  const moves = outcome.done && next !== order.state;
  if (moves && detected) order.paid = amount;
  if (outcome.done && event === 'payment_failed') order.paymentFailed = true;
  if (outcome.done && event === 'payment_confirmed') order.confirmedAt ??= model.now;
  if (moves) order.state = next;
  await expectOrder(world, order, before, event);
}

/** Makes an order of a product and pays it: what is due, or more. */
export function newPaidOrder(product: Product, pick: number, paying: 'due' | 'more'): Action {
  const make = newOrder(product, pick);
  return {
    possible: make.possible,
    async take(model, world) {
      await make.take(model, world);
      const order = model.orders.at(-1);
      if (!order) return;
      await happen(model, world, order, 'transaction_detected', paying);
      await happen(model, world, order, 'payment_confirmed', 'due');
    },
  };
}

/** Lets business time pass: `seconds` of it. */
export function passTime(seconds: number): Action {
  return {
    possible: () => true,
    async take(model, world) {
      world.taken.push(`let ${seconds} s pass`);
      await world.context.advanceClock(world.merchant, seconds);
      model.now += seconds;
      await sideBySide(
        model.orders.map(async (order) => {
          const before = order.state;
          if (before === 'INIT' && order.expiresAt <= model.now) {
            order.state = after(order, 'expired');
            // The expiry of a checkout order is awaited only once: the model goes on with one that does not expire.
            order.expiresAt = Number.POSITIVE_INFINITY;
          }
          const isUnconfirmed = order.paid !== undefined && order.confirmedAt === undefined;
          if (before === 'PROCESSING' || (isUnconfirmed && !isFinalOrder(before))) order.mayHaveEnded = true;
          await expectOrder(world, order, before, 'expired');
        }),
      );
    },
  };
}

/** Whether an order is paid and has no refund that holds its money. */
const isRefundable = ({ refunds }: Model, order: ModelOrder): boolean =>
  order.state === 'SUCCEEDED' && !refunds.some((each) => each.order === order && !isGivenBack(each.state));

/** Asks for the refund of an order. */
export function newRefund(pick: number): Action {
  return {
    possible: ({ orders }) => orders.length > 0,
    async take(model, { context, merchant, taken }) {
      const order = mostlyFrom(model.orders, (each) => isRefundable(model, each), pick);
      const name = `${order.name}${model.refunds.filter((each) => each.order === order).length + 1}`;
      taken.push(`ask for refund ${name} of ${order.name}`);
      const client = refundsClient(context, merchant);
      const request = refundRequest(context, order.made.orderId);
      const asked = context.now();
      const created = await client.create(request);
      const { merchantRefundOrderId } = request;
      if (!isAccepted(created)) {
        if (!isTooLate(model, order, created)) expectRefusedRightly(model, order, created);
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
      expectRefundAmount(created, order);
      const refundOrderId = needText(created, 'data.refundOrderId');
      const query = () => client.query({ refundOrderId });
      const made = { merchant, client, order: order.made, request, refundOrderId, created, asked, query };
      const isShown = field(created, 'data.merchantDeductAmount') !== undefined;
      const deducted = isShown ? needText(created, 'data.merchantDeductAmount') : undefined;
      const reserved = reservedBy(order.paid ?? order.due.value, deducted);
      model.refunds.push({ name, made, order, state: 'PENDING', reserved });
      const { least } = reservedIn(model, order.due.currency);
      expectThat(compareDecimals(least, openingBalance) <= 0, created, {
        expected: `refused: the balance of ${openingBalance} does not cover ${least} ${order.due.currency}`,
        actual: summary(created),
        requirement: 'refunds.create.reserves-funds',
      });
    },
  };
}

/**
 * Fails unless a refund is of the amount that was paid of its order, of that which was due, or of the order's in the same currency, beside
 * which a fee may be due (open point refund-overpaid).
 */
function expectRefundAmount(answer: Answer, { paid, due, made }: ModelOrder): void {
  const amount = field(answer, 'data.refundAmount');
  const price = field(made.created, 'data.orderAmount');
  const ordered = valueAt(price, ['currency']) === due.currency ? [valueAt(price, ['value'])] : [];
  const isRight = (right: unknown) =>
    isDecimalText(amount) && isDecimalText(right) && compareDecimals(amount, right) === 0;
  if ([due.value, ...ordered].some(isRight)) return;
  expectAmount(answer, 'data.refundAmount', paid ?? due.value, 'refunds.record.amount');
}

/** Whether a refund is refused because time has passed since the payment: how long the period is stays open (open point refund-period). */
const isTooLate = ({ now }: Model, { confirmedAt = now }: ModelOrder, created: Answer): boolean =>
  now > confirmedAt && field(created, 'code') === errorCode('refunds', 'REFUND_PERIOD_EXPIRED');

/** Fails when the contract demands that this refund be accepted: its order is paid, has no refund, and the balance suffices. */
function expectRefusedRightly(model: Model, order: ModelOrder, created: Answer): void {
  const isOpen = order.product === 'checkout' || model.refunds.some((each) => each.order === order);
  if (order.state !== 'SUCCEEDED' || isOpen) return;
  const { most } = reservedIn(model, order.due.currency);
  const needed = addDecimals([most, reservedBy(order.paid ?? '0', undefined).most]);
  expectThat(compareDecimals(needed, openingBalance) > 0, created, {
    expected: `accepted: order ${order.name} is paid, and at most ${most} of ${openingBalance} ${order.due.currency} is reserved`,
    actual: summary(created),
    requirement: 'refunds.create.accepted',
  });
}

/** Sends the same create of a refund again. */
export function repeatRefund(pick: number): Action {
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
export function refundEvent(pick: number, type: RefundStep['type']): Action {
  return {
    possible: ({ refunds }) => refunds.length > 0,
    async take(model, world) {
      const refund = mostlyFrom(model.refunds, (each) => !isFinalRefund(each.state), pick);
      world.taken.push(`${type} of refund ${refund.name}`);
      const outcome = await world.context.refundEvent(world.merchant, refund.made.refundOrderId, { type });
      await followRefund(world, refund, outcome.done);
    },
  };
}

/**
 * Asks for an order in each way, also where only orders of the other product are found, for its refunds, and for all refunds at once. The rules over
 * the whole run judge what is shown.
 */
export function askInEveryWay(pick: number): Action {
  return {
    possible: ({ orders }) => orders.length > 0,
    async take({ orders, refunds }, { context, merchant, taken }) {
      const order = pickOf(orders, pick);
      taken.push(`ask for ${order.name} in every way`);
      const ids = [order.made.orderId, needText(order.made.created, 'data.merchantOrderId')];
      const clients = [hostedOrders, checkoutOrders].flatMap(({ product, client }) =>
        context.has(product) ? client(context, merchant) : [],
      );
      for (const { query } of clients) for (const id of ids) await query(id);
      const own = refunds.filter((refund) => refund.order === order);
      for (const { ask } of own.flatMap(({ made }) => waysToAsk(made))) await ask();
      if (refunds.length === 0) return;
      const all = refunds.map(({ made }) => made.request.merchantRefundOrderId);
      const answer = await refundsClient(context, merchant).batchQuery(all);
      expectEach(answer, all, all, `a batch query for ${counted(all.length, 'refund')}`, 'refunds.batch-query.known');
    },
  };
}

/** Fails when an order or a refund has changed without an event. */
export async function expectAll({ orders, refunds }: Model, world: World): Promise<void> {
  await Promise.all([
    ...orders.map((order) => expectOrder(world, order)),
    ...refunds.map((refund) => followRefund(world, refund)),
  ]);
}

/**
 * Fails unless the view of an order agrees with the model. The model follows the free moves of a checkout order. Where the
 * order has just left the state `before` by `event`, the view may take a while to show it.
 */
async function expectOrder(
  { context, share }: World,
  order: ModelOrder,
  before = order.state,
  event?: OrdersEvent,
): Promise<Answer> {
  const { product, made, state, name, mayHaveEnded } = order;
  const ends: readonly unknown[] = mayHaveEnded ? ['FAILED', after(order, 'payment_confirmed')] : [];
  const hasEnded = (answer: Answer) => ends.includes(statusOf(answer));
  const isThere = (answer: Answer) => {
    const seen = statusOf(answer);
    return product === 'orders' ? seen === state || hasEnded(answer) : seen !== before;
  };
  const moves = `${product} move from ${before} to ${state}`;
  // Where a checkout order moves is free, and so nothing is judged by that wait.
  const follow = () =>
    product === 'orders'
      ? context.poll(made.query, isThere, share)
      : context.events.await(moves, (part) => context.poll(made.query, isThere, share * part), isThere);
  const view = state === before ? await made.query() : await follow();
  expectAccepted(view, `a query for order ${name}`);
  if (hasEnded(view)) order.state = statusOf(view) === 'FAILED' ? 'FAILED' : after(order, 'payment_confirmed');
  if (isFinalOrder(order.state) && statusOf(view) === order.state) order.mayHaveEnded = false;
  if (product === 'orders') {
    expectField(view, 'data.status', order.state, sentenceOf(before, event, order.state, view));
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

/** The sentence that a hosted order breaks which is not in the state that it must have: it stayed where the event has a move, or is somewhere else. */
function sentenceOf(
  before: OrdersState,
  event: OrdersEvent | undefined,
  state: OrdersState,
  view: Answer,
): RequirementId {
  if (isFinalOrder(before)) return 'orders.states.final';
  const moves = statusOf(view) === before ? ordersMachine.transitions.filter((each) => each.from === before) : [];
  const move = moves.find((each) => each.event === event && each.to === state);
  return move?.requirement ?? 'orders.states.no-other-moves';
}

/** Lets the model follow a free move of a checkout order. Fails when the contract does not allow the new state. */
function followCheckoutOrder(order: ModelOrder, before: OrdersState, view: Answer): void {
  const seen = statusOf(view);
  if (seen === order.state) return;
  const known = keysOf(ordersMachine.states).find((each) => each === seen);
  const { state, paid, due, paymentFailed } = order;
  const isPaid = paid !== undefined && compareDecimals(paid, due.value) >= 0;
  // Where a payment failed that was large enough, the driver has the say.
  const whenPaid = paymentFailed ? undefined : 'FAILED';
  const wrongEnd = isPaid ? whenPaid : 'SUCCEEDED';
  expectThat(known !== undefined && !isFinalOrder(before), view, {
    expected: `data.status = ${state}`,
    actual: `data.status = ${show(seen)}`,
    requirement: 'checkout.states.final',
  });
  expectThat(known !== wrongEnd, view, {
    expected: `data.status is not ${wrongEnd}: ${paid ?? 'nothing'} of ${due.value} was paid`,
    actual: `data.status = ${show(seen)}`,
    requirement: 'checkout.payment-rule',
  });
  if (known) order.state = known;
}

/** Lets the model follow a refund. Fails when it has left a final state. After an event (`moved`) the view may take a while. */
async function followRefund({ context, share }: World, refund: ModelRefund, moved = false): Promise<void> {
  const { made, name, state } = refund;
  const hasMoved = (answer: Answer) => statusOf(answer) !== state;
  // Where a refund moves is free, and so nothing is judged by this wait.
  const follow = () =>
    context.events.await(
      `refunds move from ${state}`,
      (part) => context.poll(made.query, hasMoved, share * part),
      hasMoved,
    );
  const view = moved ? await follow() : await made.query();
  expectAccepted(view, `a query for refund ${name}`);
  expectSchema(view, 'RefundSuccess');
  const seen = statusOf(view);
  const known: RefundsState | undefined = keysOf(refundsMachine.states).find((each) => each === seen);
  expectThat(known === state || !isFinalRefund(state), view, {
    expected: `data.status = ${state}, which is final`,
    actual: `data.status = ${show(seen)}`,
    requirement: 'refunds.states.final',
  });
  expectField(view, 'data.refundOrderId', made.refundOrderId, 'refunds.query.by-refund-order-id');
  expectRefundAmount(view, refund.order);
  if (known) refund.state = known;
}
