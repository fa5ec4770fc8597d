import { swapCase } from '../../../arrange/authentication/swap-case.ts';
import { type AnyMadeOrder, orderLifetime, takeStep } from '../../../arrange/orders/any-order.ts';
import { makeOrder } from '../../../arrange/orders/orders.ts';
import { confirmed } from '../../../arrange/orders/payments.ts';
import { refundsClient } from '../../../arrange/refunds/client.ts';
import { bringRefundTo, type MadeRefund, makeRefund, refundRequest } from '../../../arrange/refunds/refunds.ts';
import { inABatch, waysToAsk } from '../../../arrange/refunds/ways-to-ask.ts';
import { awaitEnd, ifTaken, letHappen, whereReached } from '../../../arrange/situations/situations.ts';
import { expectWebhook, mentionsStatus } from '../../../arrange/webhooks/waiting.ts';
import type { CheckContext } from '../../../check/context.ts';
import { expectAccepted, expectRefused, needAccepted, statusOf } from '../../../check/expect.ts';
import { errorCode } from '../../../contract/error-codes.ts';
import type { Credentials } from '../../../drivers/driver.ts';
import { PermittedChoice } from '../../../errors/outcomes.ts';
import { type Answer, field } from '../../../wire/exchange.ts';
import type { Mailbox } from '../../../wire/mailbox.ts';
import { repeatOfRefund } from '../repeated-creates.ts';
import { merchantWith, merged, wordsOf } from './features.ts';
import { makeHostedOrder } from './hosted-orders.ts';
import { expectHeard, leaveUnheard, letWeeksPass, tellingOf } from './lives.ts';
import type { RefundFeature, RefundPlan } from './refund-features.ts';

/**
 * Makes an order and pays it, and leads a refund of it with features to its end. Fails when a refund is accepted before the order is paid, or refused
 * then, and when it does not stay what it was. Whatever else the refund shows on its way is judged by the rules over the whole run.
 */
export function leadRefund(context: CheckContext, features: readonly RefundFeature[]): Promise<void> {
  const what = `a refund ${wordsOf(features)}`;
  return tellingOf(what, async () => {
    const plan = merged<RefundPlan>(features);
    const byDefault = plan.isUnaddressed && (await mailboxFor(context, plan));
    const address = byDefault ? { defaultNotifyUrl: byDefault.url } : {};
    const merchant = await merchantWith(context, { ...plan.settings, ...address });
    const order = await orderFor(context, merchant, plan);
    if (plan.unpaidBy) return expectNoneUnpaid(context, order, plan, plan.unpaidBy);
    if (!(await pay(context, order, plan))) return;
    if (plan.age !== undefined) await context.advanceClock(merchant, plan.age);
    const begun = await begin(context, order, { features, byDefault: byDefault || undefined });
    if (begun) await follow(context, begun, plan, what);
  });
}

/** Where the webhooks of the refund come. `undefined`: nobody listens. */
async function mailboxFor(context: CheckContext, { address, isUnheard }: RefundPlan): Promise<Mailbox | undefined> {
  if (!context.has('webhooks') || !context.has('webhook-receiver')) return undefined;
  const mailbox = await (address?.(context) ?? context.mailbox());
  if (isUnheard) leaveUnheard(mailbox);
  return mailbox;
}

/** The order that is refunded. One that a target may refuse is a usual one where it does. */
async function orderFor(context: CheckContext, merchant: Credentials, plan: RefundPlan): Promise<AnyMadeOrder> {
  const { price, ofOrder, makeCheckoutOrder, unpaidFor = 0 } = plan;
  const features = [...(price ? [{ price }] : []), ...(ofOrder ? [ofOrder] : [])];
  const expiresAt = new Date(context.businessTime(merchant) + (unpaidFor + orderLifetime) * 1000).toISOString();
  const make = makeCheckoutOrder ?? (() => makeHostedOrder(context, merchant, features, { expiresAt }));
  const made = await ifTaken(make(context, merchant));
  if (!made) return makeOrder(context, merchant);
  if (unpaidFor > 0 && made.product === 'orders') await context.advanceClock(merchant, unpaidFor);
  return made;
}

/** Expects that an order which ends without being paid is not refunded, neither then nor when weeks have passed. */
async function expectNoneUnpaid(
  context: CheckContext,
  order: AnyMadeOrder,
  { unpaidFor = 0 }: RefundPlan,
  unpaidBy: NonNullable<RefundPlan['unpaidBy']>,
): Promise<void> {
  const { merchant, orderId } = order;
  if (unpaidBy === 'time runs out') await context.advanceClock(merchant, unpaidFor + 2 * orderLifetime);
  const view = await (unpaidBy === 'time runs out' ? awaitEnd(context, order) : letHappen(context, order, unpaidBy));
  const status = statusOf(view);
  // That it ends so is judged by other checks.
  if (status !== 'FAILED' && status !== 'CLOSED') return;
  const client = refundsClient(context, merchant);
  const expectNone = async (words: string) => {
    const answer = await client.create(refundRequest(context, orderId));
    expectRefused(answer, `a refund of an order that is ${status}${words}`, 'refunds.create.completed-payments');
  };
  await expectNone('');
  if (!context.has('clock')) return;
  await letWeeksPass(context, merchant);
  await expectNone(' for weeks');
}

/** Pays an order, and asks for a refund of it too early where that is planned. False: the driver could not pay it. */
async function pay(
  context: CheckContext,
  order: AnyMadeOrder,
  { pay: payment, isAskedTooEarly }: RefundPlan,
): Promise<boolean> {
  const { merchant, product, orderId, query } = order;
  const expectTooEarly = async (words: string) => {
    const answer = await refundsClient(context, merchant).create(refundRequest(context, orderId));
    expectRefused(answer, `a refund of an order ${words}`, 'refunds.create.completed-payments');
  };
  if (isAskedTooEarly) await expectTooEarly('that nobody has paid');
  const chosen = product === 'orders' ? payment?.(context) : undefined;
  const detected = { type: 'transaction_detected' } as const;
  // A driver may not know the means.
  if (!chosen || !(await takeStep(context, order, chosen)).done) await takeStep(context, order, detected);
  // A checkout order need not show that its payment is under way.
  if (isAskedTooEarly && statusOf(await query()) === 'PROCESSING') await expectTooEarly('whose payment is under way');
  return statusOf(await letHappen(context, order, [confirmed])) === 'SUCCEEDED';
}

/** A refund, and where its webhooks come. */
interface Begun {
  refund: MadeRefund;
  /** Absent: nobody listens. */
  mailbox: Mailbox | undefined;
}

/** Holds of the create of a refund that it is accepted. Throws `PermittedChoice` where the order is paid for too long: how long it may be is open. */
function expectAcceptedInTime(created: Answer, what: string): void {
  if (field(created, 'code') === errorCode('refunds', 'REFUND_PERIOD_EXPIRED')) {
    throw new PermittedChoice('orders are refunded for a shorter time here (open point refund-period)');
  }
  expectAccepted(created, what);
}

/** Makes the refund, and then what shares its id. `undefined`: whether there can be such a refund is open, and it was refused. */
async function begin(
  context: CheckContext,
  { merchant, orderId, product }: AnyMadeOrder,
  { features, byDefault }: { features: readonly RefundFeature[]; byDefault: Mailbox | undefined },
): Promise<Begun | undefined> {
  const { id, namesake } = merged<RefundPlan>(features);
  const unused = context.newOrderId();
  const merchantRefundOrderId = id?.(unused) ?? unused;
  const makeWith = async (chosen: readonly RefundFeature[]): Promise<Begun> => {
    const plan = merged<RefundPlan>(chosen);
    const { reason, extraData } = plan;
    const mailbox = byDefault ?? (await mailboxFor(context, plan));
    const isOfHosted = product === 'orders' && chosen.every(({ isOpen }) => !isOpen);
    const refund = await makeRefund(
      context,
      merchant,
      {
        order: { merchant, orderId },
        merchantRefundOrderId,
        ...(reason !== undefined && { refundReason: reason }),
        ...(extraData !== undefined && { extraData }),
        ...(mailbox && mailbox !== byDefault && { notifyUrl: mailbox.url }),
      },
      isOfHosted ? expectAcceptedInTime : needAccepted,
    );
    return { refund, mailbox };
  };
  const bound = features.filter(({ isOpen }) => !isOpen);
  const open = bound.length < features.length ? await whereReached(ifTaken(makeWith(features))) : undefined;
  // Whether checkout orders can be refunded is open.
  const begun = open ?? (await (product === 'orders' ? whereReached(makeWith(bound)) : ifTaken(makeWith(bound))));
  if (begun && namesake) await makeNamesake(context, begun.refund, namesake);
  return begun;
}

/** Makes another refund under the id of a refund, or under one like it. Whether two merchants can have refunds under the same id is open. */
async function makeNamesake(
  context: CheckContext,
  { merchant, request }: MadeRefund,
  namesake: NonNullable<RefundPlan['namesake']>,
): Promise<void> {
  const { merchantRefundOrderId } = request;
  const similar = swapCase(merchantRefundOrderId);
  if (namesake === 'of another merchant') {
    await ifTaken(makeRefund(context, await context.ownMerchant(), { merchantRefundOrderId }));
  } else if (similar !== merchantRefundOrderId) {
    await ifTaken(makeRefund(context, merchant, { merchantRefundOrderId: similar }));
  }
}

/** Leads a refund to its end. */
async function follow(
  context: CheckContext,
  { refund, mailbox }: Begun,
  plan: RefundPlan,
  what: string,
): Promise<void> {
  const { end = 'SUCCEEDED', repeatedIn } = plan;
  const { merchant, order } = refund;
  if (repeatedIn === 'PENDING') await repeatOfRefund(context, refund, {}, what);
  const isThere = await whereReached(bringRefundTo(context, refund, end).then(() => true));
  if (!isThere) return;
  // The event may wait for its next attempt meanwhile.
  if (repeatedIn === 'end') await repeatOfRefund(context, refund, {}, what);
  if (plan.isUnheard && mailbox) await expectHeard(context, { area: 'refunds', merchant, mailbox, ending: end });
  if (plan.isUnheard) await refund.query();
  // Whether an order can be refunded again is open.
  const next = plan.isFollowed ? await ifTaken(makeRefund(context, merchant, { order })) : undefined;
  if (next) await bringRefundTo(context, next, 'SUCCEEDED');
  // Whether a refund that was closed is announced is open; where no clock can be moved, an event may be late.
  if (mailbox && end !== 'CLOSED' && context.has('clock')) {
    const requirement = plan.isUnaddressed ? 'webhooks.refund.default-address' : 'webhooks.refund.notify-url';
    const event = `a webhook of ${what}`;
    await expectWebhook(context, { merchant, mailbox }, mentionsStatus(end), event, requirement);
  }
  await letWeeksPass(context, merchant);
  // A batch may show a change later than other queries do, and not when days of business time have passed.
  const ways = waysToAsk(refund).filter(({ words }) => words !== inABatch);
  for (const { ask } of next ? ways : ways.slice(context.choose([0, 1, 2])).slice(0, 1)) await ask();
}
