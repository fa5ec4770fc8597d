import type { CheckContext } from '../../check/context.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive, NeedNotMet } from '../../errors/outcomes.ts';
import { type Answer, type Exchange, field } from '../../wire/exchange.ts';
import { type RefundCreateRequest, type RefundsClient, refundsClient } from './client.ts';
import type { PaidOrder } from './paid-order.ts';

// Configured paid orders are few, and each can be refunded once. So two of them are refunded for all checks of a run that only
// look at refunds or repeat their creates, and one is kept for all creates that must be refused.

/** The refunds that checks share: the first one is made with the required fields only. */
export type SharedRefundName = 'first' | 'second';

/** A configured order that was refunded for all checks. */
interface RefundedOrder {
  orderId: string;
  request: RefundCreateRequest;
  created?: Promise<SharedCreate>;
}

/** The create of a shared refund. */
interface SharedCreate {
  answer: Answer;
  exchange: Exchange | undefined;
  /** When it was sent, by the target's clock, in milliseconds since 1970. */
  asked: number;
}

/** The configured orders that a run has set aside. An absent one: too few orders are configured. */
interface Fixtures {
  refunded: ReadonlyMap<SharedRefundName, RefundedOrder>;
  /** A paid order that no check refunds. */
  untouched?: string | undefined;
}

/** JSON text that does not survive parsing and writing, trimming, or HTML escaping unchanged. */
export const awkwardExtraData = ' {"cart": "c-17 <b>&amp;</b> \\u017c",  "weight": 1.50} ';

/** The orders that each run has set aside, by its history. */
const fixturesOfRuns = new WeakMap<CheckContext['history'], Promise<Fixtures>>();

function fixturesOf(context: CheckContext, merchant: Credentials): Promise<Fixtures> {
  const known = fixturesOfRuns.get(context.history) ?? setAside(context, merchant);
  fixturesOfRuns.set(context.history, known);
  return known;
}

async function setAside(context: CheckContext, merchant: Credentials): Promise<Fixtures> {
  const [first, untouched, second] = [
    await unrefundedOrder(context, merchant),
    await unrefundedOrder(context, merchant),
    await unrefundedOrder(context, merchant),
  ];
  const refunded = new Map<SharedRefundName, RefundedOrder>();
  const request = (acquiringOrderId: string): RefundCreateRequest => ({
    merchantRefundOrderId: context.newOrderId(),
    acquiringOrderId,
    refundReason: 'Goods were returned',
  });
  if (first !== undefined) refunded.set('first', { orderId: first, request: request(first) });
  if (second !== undefined) {
    refunded.set('second', { orderId: second, request: { ...request(second), extraData: awkwardExtraData } });
  }
  return { refunded, untouched };
}

/** The next configured paid order that has no refund from an earlier run. `undefined`: none is left. */
async function unrefundedOrder(context: CheckContext, merchant: Credentials): Promise<string | undefined> {
  const client = refundsClient(context, merchant);
  for (let orderId = context.takePaidOrder(); orderId !== undefined; orderId = context.takePaidOrder()) {
    if (!(await isRefunded(client, orderId))) return orderId;
  }
  return undefined;
}

/** Whether a query shows a refund of an order. */
async function isRefunded(client: RefundsClient, acquiringOrderId: string): Promise<boolean> {
  const refund = await client.query({ acquiringOrderId }).catch((error: unknown) => {
    if (error instanceof Inconclusive) return undefined;
    throw error;
  });
  return refund !== undefined && field(refund, 'data.acquiringOrderId') === acquiringOrderId;
}

/** Why there is no order for a check that is not the first to want one. A driver that pays orders would make one. */
const noneLeft = () =>
  new NeedNotMet(
    'order-events',
    'fixtures.paidOrders has no paid order left that has not been refunded: configure more',
  );

const noneAtAll = () =>
  new NeedNotMet('paid-order', 'every order of fixtures.paidOrders has been refunded before: configure others');

/** A configured paid order, only to be looked at: it may have been refunded. Throws `NeedNotMet` when there is none. */
export async function shownFixture(context: CheckContext, merchant: Credentials): Promise<PaidOrder> {
  const { refunded } = await fixturesOf(context, merchant);
  const order = refunded.get('first');
  if (!order) throw noneAtAll();
  return { merchant, orderId: order.orderId };
}

/** The configured paid order that all creates name that must be refused. Throws `NeedNotMet` when there is none. */
export async function untouchedFixture(context: CheckContext, merchant: Credentials): Promise<PaidOrder> {
  const { untouched } = await fixturesOf(context, merchant);
  if (untouched === undefined) throw noneLeft();
  return { merchant, orderId: untouched };
}

/**
 * A configured paid order that this check may refund. Throws `NeedNotMet` when none is left; a check to which this happens
 * after all others (`alone`) gets the untouched one.
 */
export async function refundableFixture(
  context: CheckContext,
  merchant: Credentials,
  { last = false }: { last?: boolean } = {},
): Promise<PaidOrder> {
  const fixtures = await fixturesOf(context, merchant);
  let orderId = await unrefundedOrder(context, merchant);
  if (orderId === undefined && last) {
    const { untouched } = fixtures;
    fixtures.untouched = undefined;
    // A wrong target may have refunded it for a request that had to be refused.
    if (untouched !== undefined && !(await isRefunded(refundsClient(context, merchant), untouched)))
      orderId = untouched;
  }
  if (orderId === undefined) throw noneLeft();
  return { merchant, orderId: orderId };
}

/** How many configured orders are kept for what all checks share, and for the checks that refund one. */
const keptForOthers = 8;

/** How many orders each run has given to checks that refund several, by its history. */
const spareTaken = new WeakMap<CheckContext['history'], number>();

/** Configured paid orders for a check that refunds several. Throws `NeedNotMet` where those that refund one might then find none. */
export async function spareFixtures(context: CheckContext, merchant: Credentials, count: number): Promise<PaidOrder[]> {
  await fixturesOf(context, merchant);
  const taken = (spareTaken.get(context.history) ?? 0) + count;
  if (taken > context.configuredPaidOrders - keptForOthers) {
    throw new NeedNotMet(
      'order-events',
      `fixtures.paidOrders has too few paid orders for a check that refunds ${count} of them: configure more`,
    );
  }
  spareTaken.set(context.history, taken);
  const orders: PaidOrder[] = [];
  while (orders.length < count) orders.push(await refundableFixture(context, merchant));
  return orders;
}

/** A shared refund as its create was answered; the answer is among the exchanges of the check that asks. */
export async function sharedCreate(
  context: CheckContext,
  merchant: Credentials,
  name: SharedRefundName,
): Promise<{ order: PaidOrder; request: RefundCreateRequest; created: Answer; asked: number }> {
  const { refunded } = await fixturesOf(context, merchant);
  const shared = refunded.get(name);
  if (!shared) throw refunded.size === 0 ? noneAtAll() : noneLeft();
  const sent = shared.created ?? send(context, merchant, shared.request);
  shared.created = sent;
  const { answer, exchange, asked } = await sent.catch((error: unknown) => {
    // The next check sends the same request again: it makes no second refund.
    if (shared.created === sent) delete shared.created;
    throw error;
  });
  const isOwn = exchange === undefined || context.transport.exchanges.includes(exchange);
  const created = isOwn ? answer : { ...answer, ...context.transport.record(exchange) };
  return { order: { merchant, orderId: shared.orderId }, request: shared.request, created, asked };
}

async function send(context: CheckContext, merchant: Credentials, request: RefundCreateRequest): Promise<SharedCreate> {
  const asked = context.now();
  const answer = await refundsClient(context, merchant).create(request);
  return { answer, exchange: context.transport.exchanges[answer.exchange - 1], asked };
}
