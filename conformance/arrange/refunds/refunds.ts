import { type RefundsState, type RequirementId, refundsMachine } from '../../../generated/catalogue.ts';
import type { CheckContext } from '../../check/context.ts';
import {
  expectField,
  expectRefused,
  expectStatus,
  expectThat,
  needAccepted,
  needText,
  statusOf,
} from '../../check/expect.ts';
import { keysOf } from '../../check/keys-of.ts';
import type { Need } from '../../check/needs.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { show } from '../../contract/show.ts';
import type { Credentials, RefundStep } from '../../drivers/driver.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import type { Acceptance } from '../orders/orders.ts';
import { bringTo, pollFor } from '../requests/bring-to.ts';
import { featuresOf } from '../requests/features.ts';
import { createWith, furtherRefundFields } from '../requests/further-fields.ts';
import { rememberMade } from '../requests/made-records.ts';
import { type RefundCreateRequest, type RefundsClient, refundsClient } from './client.ts';
import { awkwardExtraData, type SharedRefundName, sharedCreate, untouchedFixture } from './fixtures.ts';
import type { PaidOrder } from './paid-order.ts';
import { makePaidOrder } from './paid-orders.ts';
import { waysToAsk } from './ways-to-ask.ts';

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

/** A refund that was made before the judgement. */
export interface MadeRefund {
  merchant: Credentials;
  client: RefundsClient;
  order: PaidOrder;
  request: RefundCreateRequest;
  refundOrderId: string;
  /** The answer to its create. */
  created: Answer;
  /** When its create was sent, by the target's clock, in milliseconds since 1970. */
  asked: number;
  /** Queries the refund as it is now. */
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
  const asked = context.now();
  const { request, created } = await createWith(context, {
    area: 'refunds',
    further: furtherRefundFields(context),
    requestWith: (further) => refundRequest(context, paid.orderId, { ...further, ...changes }),
    create: client.create,
  });
  acceptance(created, 'making a refund');
  const made = madeRefund({ merchant, client, order: paid, request, created, asked });
  const { refundOrderId } = made;
  rememberMade(context, {
    area: 'refunds',
    merchant,
    id: refundOrderId,
    ownId: request.merchantRefundOrderId,
    ofOrder: paid.orderId,
    kind: paid.paid?.currency ?? '',
    features: featuresOf(request, paid.paid?.value),
    waysToAsk: (by, as = merchant) =>
      waysToAsk({ client: refundsClient(by, as), request, refundOrderId, order: { orderId: paid.orderId } }),
  });
  return made;
}

function madeRefund(made: Omit<MadeRefund, 'refundOrderId' | 'query'>): MadeRefund {
  const refundOrderId = needText(made.created, 'data.refundOrderId');
  return { ...made, refundOrderId, query: () => made.client.query({ refundOrderId }) };
}

/**
 * A refund of the shared merchant that no check moves: a new one where its orders can be paid, else one that all checks share.
 * The second one has extraData. A refusal of its create is `Inconclusive`, unless `acceptance` judges it.
 */
export async function standingRefund(
  context: CheckContext,
  name: SharedRefundName = 'first',
  acceptance: Acceptance = needAccepted,
): Promise<MadeRefund> {
  const merchant = await context.merchant();
  if (context.has('order-events')) {
    return makeRefund(context, merchant, name === 'second' ? { extraData: awkwardExtraData } : {}, acceptance);
  }
  const shared = await sharedCreate(context, merchant, name);
  acceptance(shared.created, 'making a refund');
  return madeRefund({ merchant, client: refundsClient(context, merchant), ...shared });
}

/** Two refunds of the shared merchant that no check moves. */
export async function twoRefunds(context: CheckContext): Promise<[MadeRefund, MadeRefund]> {
  const merchant = await context.merchant();
  return context.has('order-events')
    ? Promise.all([makeRefund(context, merchant), makeRefund(context, merchant)])
    : Promise.all([standingRefund(context, 'first'), standingRefund(context, 'second')]);
}

/** A paid order of the shared merchant for creates that must be refused. It has no refund as long as they are. */
export async function unrefundedOrder(context: CheckContext): Promise<PaidOrder> {
  const merchant = await context.merchant();
  return context.has('order-events') ? makePaidOrder(context, merchant) : untouchedFixture(context, merchant);
}

/** States of a refund that a driver can bring about. No move leads to INIT. */
export type ReachableRefundState = Exclude<RefundsState, 'INIT'>;

/** The steps that lead from PENDING into each state. */
const stepsTo: Readonly<Record<ReachableRefundState, readonly RefundStep['type'][]>> = {
  PENDING: [],
  PROCESSING: ['processing_started'],
  SUCCEEDED: ['processing_started', 'completed'],
  FAILED: ['processing_started', 'failed'],
  CLOSED: ['closed'],
};

/** The reachable states, in the order in which a refund may come to them. */
export const refundStates: readonly ReachableRefundState[] = keysOf(stepsTo);

/** States into which the specification leads no refund, each with the step that may lead there. */
const freeSteps: Readonly<Partial<Record<ReachableRefundState, RefundStep['type']>>> = {
  PROCESSING: 'processing_started',
  CLOSED: 'closed',
};

/**
 * Brings a refund from PENDING into `state` through the driver; with `from`, one that it has brought to that state on the same way. Throws `Inconclusive` when it does not get there, and
 * `PermittedChoice` when the contract lets the target leave the state out (open point `refund-transitions`).
 */
export async function bringRefundTo(
  context: CheckContext,
  refund: MadeRefund,
  state: ReachableRefundState,
  from: ReachableRefundState = 'PENDING',
): Promise<void> {
  const { merchant, refundOrderId, query } = refund;
  const take = (type: RefundStep['type']) => context.refundEvent(merchant, refundOrderId, { type });
  const type = freeSteps[state];
  if (!type) return bringTo(context, 'refund', state, query, stepsTo[state].slice(stepsTo[from].length), take);
  const outcome = await take(type);
  const moved = (answer: Answer) => !outcome.done || statusOf(answer) !== refundsMachine.initial;
  if (statusOf(await pollFor(context, `refund moves after ${type}`, query, moved)) === state) return;
  throw new PermittedChoice(`${type} does not bring a refund to ${state} here (open point refund-transitions)`);
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

/** A refund in `state`. One that is PENDING needs no driver for refunds, and therefore no merchant of its own; without one it may have moved on by itself. */
export async function refundIn(context: CheckContext, state: ReachableRefundState): Promise<MadeRefund> {
  return state === 'PENDING' ? standingRefund(context) : makeRefundIn(context, state);
}

/** The needs of a check that looks at a refund in a state. */
export function refundStateNeeds(state: ReachableRefundState): readonly Need[] {
  return state === 'PENDING' ? ['paid-order'] : ['paid-order', 'refund-events'];
}

/** How a refund must be refused. */
export interface RefundRefusal {
  /** The HTTP status, or each of those that fit. */
  status: number | readonly number[];
  code?: string;
  /** The requirement of the status, where it is not the first of the check. */
  requirement?: RequirementId;
}

/** The refusal of a refund that breaks a rule of business, in the contract's words: HTTP 400. */
export const businessError: RefundRefusal = { status: 400, requirement: 'refunds.errors.business' };

/** True for an answer that refuses a refund because the balance does not cover it. */
export const isInsufficient = (answer: Answer): boolean =>
  field(answer, 'code') === errorCode('refunds', 'INSUFFICIENT_BALANCE');

/** Sends a create that must be refused; the first refusal. Fails unless it is refused in the way given, also when it is sent again, and no refund was made. */
export async function expectRefundRefused(
  client: RefundsClient,
  request: RefundCreateRequest,
  what: string,
  { status, code, requirement }: RefundRefusal,
): Promise<Answer> {
  const answer = await client.create(request);
  expectRefused(answer, what);
  if (code !== undefined) expectField(answer, 'code', code);
  const statuses = [status].flat();
  expectStatus(answer, statuses.find((each) => each === answer.status) ?? statuses[0] ?? 0, what, requirement);
  expectRefused(await client.create(request), `${what}, sent again`);
  await expectNoRefund(client, request, what);
  return answer;
}

/** Ids of orders that a query can name whatever else is wrong with them. */
const ordinaryOrderId = /^[\w.~-]{1,64}$/;

/**
 * Fails when a create that was refused has made a refund nevertheless, which a query shows by its own id or by that of its order, or a batch
 * query. The order may have a refund of another create.
 */
export async function expectNoRefund(
  client: RefundsClient,
  { merchantRefundOrderId, acquiringOrderId }: Partial<RefundCreateRequest>,
  what: string,
): Promise<void> {
  if (merchantRefundOrderId === undefined) return;
  const answer = await client.query({ merchantRefundOrderId });
  expectRefused(answer, `a query for the refund, after ${what}`, 'refunds.errors.refused');
  const ofOrder =
    acquiringOrderId !== undefined && ordinaryOrderId.test(acquiringOrderId)
      ? [await client.query({ acquiringOrderId })]
      : [];
  for (const shown of [await client.batchQuery([merchantRefundOrderId]), ...ofOrder]) {
    const records = [field(shown, 'data')].flat();
    // An entry for an id that says that there is no refund is no refund.
    const isShown = records.some(
      (record) =>
        field({ json: record }, 'merchantRefundOrderId') === merchantRefundOrderId &&
        typeof field({ json: record }, 'refundOrderId') === 'string',
    );
    expectThat(!isShown, shown, {
      expected: `no refund under merchantRefundOrderId ${show(merchantRefundOrderId)}, after ${what}`,
      actual: ofOrder.includes(shown) ? 'a query for the refund of the order shows it' : 'a batch query shows it',
      requirement: 'refunds.errors.refused',
    });
  }
}

/** Sends a refund request with `changes` for a new paid order of the shared merchant. Its answer is judged by the check. */
export async function createForPaidOrder(context: CheckContext, changes: Partial<RefundCreateRequest> = {}) {
  const merchant = await context.merchant();
  const order = await makePaidOrder(context, merchant);
  const client = refundsClient(context, merchant);
  const request = refundRequest(context, order.orderId, changes);
  return { client, order, request, answer: await client.create(request) };
}
