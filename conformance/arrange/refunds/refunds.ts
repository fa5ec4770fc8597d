import { type RefundsState, type RequirementId, refundsMachine } from '../../../generated/catalogue.ts';
import type { CheckContext } from '../../check/context.ts';
import { expectRefused, expectThat, needAccepted, needText } from '../../check/expect.ts';
import type { Credentials, RefundStep } from '../../drivers/driver.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { type OrderCreateRequest, ordersClient } from '../orders/client.ts';
import { type Acceptance, bringOrderTo, makeOrder, payOrder } from '../orders/orders.ts';
import { bringTo } from '../requests/bring-to.ts';
import { type RefundCreateRequest, type RefundsClient, refundsClient } from './client.ts';

/** A paid order that has not been refunded yet. */
export interface PaidOrder {
  merchant: Credentials;
  /** Its platform id, which refunds call acquiringOrderId. */
  orderId: string;
  /** Its view when it was paid; absent for a configured order that the target does not show under its platform id. */
  view?: Answer;
}

/**
 * A paid hosted order of `merchant`: made and paid through the driver, or else one of those that the configuration names.
 * Throws `Inconclusive` when paying does not work, and `NotApplicable` when the configured ones are used up.
 */
export async function makePaidOrder(
  context: CheckContext,
  merchant: Credentials,
  changes: Partial<OrderCreateRequest> = {},
): Promise<PaidOrder> {
  if (!context.has('order-events')) return takePaidOrder(context, merchant);
  const order = await makeOrder(context, merchant, changes);
  await bringOrderTo(context, order, 'SUCCEEDED');
  return { merchant, orderId: order.orderId, view: await order.query() };
}

/** A hosted order of `merchant` that was paid `amount`, decimal text in the currency that is due: more than its price. */
export async function makeOverpaidOrder(
  context: CheckContext,
  merchant: Credentials,
  changes: Partial<OrderCreateRequest>,
  amount: string,
): Promise<PaidOrder> {
  const order = await makeOrder(context, merchant, changes);
  await payOrder(context, order, amount);
  await bringTo(context, 'SUCCEEDED', order.query, ['payment_confirmed'] as const, (type) =>
    context.orderEvent(merchant, order.orderId, { type }),
  );
  return { merchant, orderId: order.orderId, view: await order.query() };
}

async function takePaidOrder(context: CheckContext, merchant: Credentials): Promise<PaidOrder> {
  const orderId = context.takePaidOrder();
  if (orderId === undefined) throw new NotApplicable('fixtures.paidOrders has no paid order left');
  const view = await ordersClient(context, merchant).query(orderId);
  return { merchant, orderId, ...(field(view, 'data.status') === 'SUCCEEDED' && { view }) };
}

/** An ordinary refund request with an id of its own; `changes` replaces whole fields. */
export function refundRequest(
  context: CheckContext,
  acquiringOrderId: string,
  changes: Partial<RefundCreateRequest> = {},
): RefundCreateRequest {
  return {
    merchantRefundOrderId: context.newOrderId(),
    acquiringOrderId,
    refundReason: 'Goods were returned',
    ...changes,
  };
}

/** A refund that a check has made as a step before its judgement. */
export interface MadeRefund {
  merchant: Credentials;
  client: RefundsClient;
  order: PaidOrder;
  request: RefundCreateRequest;
  refundOrderId: string;
  /** The answer to its create. */
  created: Answer;
  /** The answer to a query for it as it stands now. */
  query(): Promise<Answer>;
}

/** Makes a refund of a paid order; without `order`, of a new one. A refusal is `Inconclusive`, unless `acceptance` judges it. */
export async function makeRefund(
  context: CheckContext,
  merchant: Credentials,
  { order, ...changes }: Partial<RefundCreateRequest> & { order?: PaidOrder } = {},
  acceptance: Acceptance = needAccepted,
): Promise<MadeRefund> {
  const paid = order ?? (await makePaidOrder(context, merchant));
  const client = refundsClient(context, merchant);
  const request = refundRequest(context, paid.orderId, changes);
  const created = await client.create(request);
  acceptance(created, 'making a refund');
  const refundOrderId = needText(created, 'data.refundOrderId');
  const query = () => client.query({ refundOrderId });
  return { merchant, client, order: paid, request, refundOrderId, created, query };
}

/** States of a refund that a driver can bring about. INIT is none: no move leads there. */
export type ReachableRefundState = Exclude<RefundsState, 'INIT'>;

/** The ways into each state, step by step. */
const ways: Readonly<Record<ReachableRefundState, readonly RefundStep['type'][]>> = {
  PENDING: [],
  PROCESSING: ['processing_started'],
  SUCCEEDED: ['processing_started', 'completed'],
  FAILED: ['processing_started', 'failed'],
  CLOSED: ['closed'],
};

/** States that no sentence of the specification leads a refund to: what may bring it there. */
const free: Readonly<Partial<Record<ReachableRefundState, RefundStep['type']>>> = {
  PROCESSING: 'processing_started',
  CLOSED: 'closed',
};

/**
 * Brings a refund from PENDING into `state` through the driver. Throws `Inconclusive` when it does not get there, and
 * `NotApplicable` when it need not (open point `refund-transitions`).
 */
export async function bringRefundTo(
  context: CheckContext,
  refund: MadeRefund,
  state: ReachableRefundState,
): Promise<void> {
  const { merchant, refundOrderId, query } = refund;
  const take = (type: RefundStep['type']) => context.refundEvent(merchant, refundOrderId, { type });
  const type = free[state];
  if (!type) return bringTo(context, state, query, ways[state], take);
  const outcome = await take(type);
  const statusOf = (answer: Answer) => field(answer, 'data.status');
  const moved = (answer: Answer) => !outcome.done || statusOf(answer) !== refundsMachine.initial;
  if (statusOf(await context.poll(query, moved)) === state) return;
  throw new NotApplicable(`${type} does not bring a refund to ${state} here (open point refund-transitions)`);
}

/** A merchant that nobody else uses, where its orders can be paid; else the one whose paid orders are configured. */
function refundingMerchant(context: CheckContext): Promise<Credentials> {
  return context.has('order-events') ? context.ownMerchant() : context.merchant();
}

/** Makes a refund of a merchant of its own and brings it into `state`. Throws `Inconclusive` when it does not get there. */
export async function makeRefundIn(
  context: CheckContext,
  state: ReachableRefundState,
  changes: Parameters<typeof makeRefund>[2] = {},
): Promise<MadeRefund> {
  const refund = await makeRefund(context, await refundingMerchant(context), changes);
  await bringRefundTo(context, refund, state);
  return refund;
}

/** Fails unless an answer has this HTTP status. */
export function expectStatus(answer: Answer, status: number, what: string, requirement?: RequirementId): void {
  expectThat(answer.status === status, answer, {
    expected: `${what}: HTTP ${status}`,
    actual: `HTTP ${answer.status}`,
    ...(requirement && { requirement }),
  });
}

/** Fails when a create that was refused has made a refund all the same. */
export async function expectNoRefund(
  client: RefundsClient,
  { merchantRefundOrderId }: Pick<RefundCreateRequest, 'merchantRefundOrderId'>,
  what: string,
): Promise<void> {
  const answer = await client.query({ merchantRefundOrderId });
  expectRefused(answer, `a query for the refund, after ${what}`, 'refunds.errors.refused');
}
