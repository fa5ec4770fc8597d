import type { OrdersEvent, OrdersState } from '../../../generated/catalogue.ts';
import type { CheckContext } from '../../check/context.ts';
import { expectField, needAccepted, needText } from '../../check/expect.ts';
import type { Need } from '../../check/needs.ts';
import type { Credentials, StepOutcome } from '../../drivers/driver.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { bringTo } from '../requests/bring-to.ts';
import { type OrderCreateRequest, type OrdersClient, ordersClient } from './client.ts';

/** Why checks of sub-merchants may be skipped. */
export const noSubMerchants = 'this merchant may not send subMerchants (open point sub-merchants-platform-only)';

/** Why checks of letters beyond ASCII may be skipped. */
export const noFurtherLetters = 'letters beyond ASCII are not taken (open point field-forms)';

/** Ids that no order of either product can have: the wrong length, characters that are not allowed. */
export const impossibleOrderIds = [
  'x',
  'a'.repeat(200),
  'order 0000000000000001',
  'órder-0000000000000001',
  "order-00000'; --00001",
];

/** Ids of 64 characters that are easily taken for each other: the second differs in its last character, the third in a case. */
export function similarOrderIds(context: CheckContext): [first: string, ...others: string[]] {
  const id = `${context.newOrderId()}-`.padEnd(63, 'a');
  return [`${id}a`, `${id}b`, `${id}A`];
}

/** How long a check's order waits for its payment, in seconds. */
export const orderLifetime = 1800;

/** A small, ordinary create request with an id of its own; `changes` replaces whole fields. */
export function orderRequest(context: CheckContext, changes: Partial<OrderCreateRequest> = {}): OrderCreateRequest {
  return {
    merchantOrderId: context.newOrderId(),
    orderAmount: { value: '9.50', currency: 'USDT' },
    expiresAt: new Date(context.now() + orderLifetime * 1000).toISOString(),
    returnUrl: 'https://shop.example/return',
    ...changes,
  };
}

/** What every order that a check has made can be asked, whichever product it belongs to. */
export interface AnyMadeOrder {
  merchant: Credentials;
  orderId: string;
  /** The answer to its create. */
  created: Answer;
  /** Its view as it stands now. */
  query(): Promise<Answer>;
}

/** A hosted order that a check has made as a step before its judgement. */
export interface MadeOrder extends AnyMadeOrder {
  client: OrdersClient;
  request: OrderCreateRequest;
}

/** What a check holds of a create that is refused: `needAccepted` or `expectAccepted`. */
export type Acceptance = (created: Answer, what: string) => void;

/** Makes an order. A refusal is `Inconclusive`, unless `acceptance` judges it. */
export async function makeOrder(
  context: CheckContext,
  merchant: Credentials,
  changes: Partial<OrderCreateRequest> = {},
  acceptance: Acceptance = needAccepted,
): Promise<MadeOrder> {
  const client = ordersClient(context, merchant);
  const request = orderRequest(context, changes);
  const created = await client.create(request);
  acceptance(created, 'making an order');
  const orderId = needText(created, 'data.orderId');
  return { merchant, client, request, orderId, created, query: () => client.query(request.merchantOrderId) };
}

/** What is paid of an order when it is paid too little: more than nothing, less than any check's order costs. */
export const tooLittle = '0.01';

const steps = {
  detect: { type: 'transaction_detected' },
  'detect-too-little': { type: 'transaction_detected', amount: tooLittle },
  confirm: { type: 'payment_confirmed' },
  cancel: { type: 'cancelled' },
} as const;

/** The ways into each state, step by step. */
const ways: Readonly<Record<OrdersState, readonly (keyof typeof steps)[]>> = {
  INIT: [],
  PROCESSING: ['detect'],
  SUCCEEDED: ['detect', 'confirm'],
  FAILED: ['detect-too-little', 'confirm'],
  CLOSED: ['cancel'],
};

/**
 * Brings an order of either product from INIT into `state` through the driver. A step may be refused, because another one
 * has taken its place; throws `Inconclusive` when the order does not get there.
 */
export async function bringOrderTo(context: CheckContext, order: AnyMadeOrder, state: OrdersState): Promise<void> {
  await bringTo(context, state, order.query, ways[state], (way) =>
    context.orderEvent(order.merchant, order.orderId, steps[way]),
  );
}

/** Lets a transaction of `amount`, decimal text in the currency that is due, be seen. Throws `Inconclusive` when it is not. */
export async function payOrder(context: CheckContext, order: AnyMadeOrder, amount: string): Promise<void> {
  const step = { type: 'transaction_detected', amount } as const;
  const outcome = await context.orderEvent(order.merchant, order.orderId, step);
  if (!outcome.done) throw new Inconclusive(`the driver did not pay the order: ${outcome.message}`);
}

/** Lets `event` happen to an order: through the driver, or by letting its time run out. */
export async function happenToOrder(
  context: CheckContext,
  order: AnyMadeOrder,
  event: OrdersEvent,
): Promise<StepOutcome> {
  if (event !== 'expired') return context.orderEvent(order.merchant, order.orderId, { type: event });
  await passExpiry(context, order);
  return { done: true };
}

/** What it takes to let `event` happen to an order in a state. */
export function orderEventNeeds(from: OrdersState, event: OrdersEvent): Need[] {
  if (event !== 'expired') return ['order-events'];
  return from === 'INIT' ? ['clock'] : ['order-events', 'clock'];
}

/** Makes an order of a merchant of its own and brings it into `state`. Throws `Inconclusive` when it does not get there. */
export async function makeOrderIn(
  context: CheckContext,
  state: OrdersState,
  changes: Partial<OrderCreateRequest> = {},
): Promise<MadeOrder> {
  const order = await makeOrder(context, await context.ownMerchant(), changes);
  await bringOrderTo(context, order, state);
  return order;
}

/** Lets the time of an order that waits for its payment run out. */
export async function passExpiry(context: CheckContext, order: AnyMadeOrder): Promise<void> {
  await context.advanceClock(order.merchant, orderLifetime + 60);
}

/** Lets an order's time run out, and waits until it shows. Throws `Inconclusive` when it does not come to an end. */
export async function expire(context: CheckContext, order: AnyMadeOrder): Promise<Answer> {
  await passExpiry(context, order);
  const ended = (answer: Answer) => ['FAILED', 'CLOSED'].includes(String(field(answer, 'data.status')));
  const answer = await context.poll(order.query, ended);
  if (ended(answer)) return answer;
  throw new Inconclusive(`the order did not expire, but is ${String(field(answer, 'data.status'))}`);
}

/** Lets an order expire and its payment come afterwards. Fails unless the order stays as it ended. */
export async function expectNoLatePayment(context: CheckContext, order: AnyMadeOrder): Promise<void> {
  const ended = await expire(context, order);
  for (const type of ['transaction_detected', 'payment_confirmed'] as const) {
    await context.orderEvent(order.merchant, order.orderId, { type });
    expectField(await order.query(), 'data.status', field(ended, 'data.status'));
  }
}
