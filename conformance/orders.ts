import type { OrdersState } from '../generated/catalogue.ts';
import { Inconclusive } from './check.ts';
import { type OrderCreateRequest, type OrdersClient, ordersClient } from './client.ts';
import type { CheckContext } from './context.ts';
import type { Credentials } from './drivers/driver.ts';
import { type Answer, field } from './exchange.ts';
import { needAccepted, needText } from './expect.ts';

/** Why checks of sub-merchants may be skipped. */
export const noSubMerchants = 'this merchant may not send subMerchants (open point sub-merchants-platform-only)';

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

/** An order that a check has made as a step before its judgement. */
export interface MadeOrder {
  merchant: Credentials;
  client: OrdersClient;
  request: OrderCreateRequest;
  orderId: string;
  created: Answer;
  /** Its view as it stands now. */
  query(): Promise<Answer>;
}

/** Makes an order. Throws `Inconclusive` when that does not work. */
export async function makeOrder(
  context: CheckContext,
  merchant: Credentials,
  changes: Partial<OrderCreateRequest> = {},
): Promise<MadeOrder> {
  const client = ordersClient(context, merchant);
  const request = orderRequest(context, changes);
  const created = await client.create(request);
  needAccepted(created, 'making an order');
  const orderId = needText(created, 'data.orderId');
  return { merchant, client, request, orderId, created, query: () => client.query(request.merchantOrderId) };
}

/** What is paid of an order when it is paid too little: more than nothing, less than any check's order costs. */
const tooLittle = '0.5';

/** The ways into each state, step by step; `expire` lets the order's time run out. */
const ways: Readonly<Record<OrdersState, readonly ('detect' | 'detect-too-little' | 'confirm' | 'cancel')[]>> = {
  INIT: [],
  PROCESSING: ['detect'],
  SUCCEEDED: ['detect', 'confirm'],
  FAILED: ['detect-too-little', 'confirm'],
  CLOSED: ['cancel'],
};

const steps = {
  detect: { type: 'transaction_detected' },
  'detect-too-little': { type: 'transaction_detected', amount: tooLittle },
  confirm: { type: 'payment_confirmed' },
  cancel: { type: 'cancelled' },
} as const;

/**
 * Makes an order of a merchant of its own and brings it into `state` through the driver. Throws `Inconclusive` when it
 * does not get there.
 */
export async function makeOrderIn(
  context: CheckContext,
  state: OrdersState,
  changes: Partial<OrderCreateRequest> = {},
): Promise<MadeOrder> {
  const order = await makeOrder(context, await context.ownMerchant(), changes);
  for (const way of ways[state]) {
    const outcome = await context.orderEvent(order.merchant, order.orderId, steps[way]);
    if (!outcome.done) throw new Inconclusive(`the driver did not bring the order to ${state}: ${outcome.message}`);
  }
  if (ways[state].length > 0) {
    const reached = await context.poll(order.query, (answer) => field(answer, 'data.status') === state);
    const seen = field(reached, 'data.status');
    if (seen !== state) throw new Inconclusive(`the order did not come to ${state}; it is ${String(seen)}`);
  }
  return order;
}

/** Lets the time of an order that waits for its payment run out. */
export async function passExpiry(context: CheckContext, order: MadeOrder): Promise<void> {
  await context.advanceClock(order.merchant, orderLifetime + 60);
}
