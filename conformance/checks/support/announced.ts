import type { RequirementId } from '../../../generated/catalogue.ts';
import { type AnyMadeOrder, bringOrderTo } from '../../arrange/orders/any-order.ts';
import { isFinal, letHappen, sideBySide } from '../../arrange/situations/situations.ts';
import { awaitNews, mentionsStatus, missed, shareBefore, upToAnHour } from '../../arrange/webhooks/waiting.ts';
import { makeNotifiedOrder } from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import { countJudged, seenAt, statusOf } from '../../check/expect.ts';
import type { Credentials, OrderStep } from '../../drivers/driver.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import type { Mailbox, Webhook } from '../../wire/mailbox.ts';

/** An order, and in what it differs from a usual one: the end of a sentence. */
export interface Announced {
  words: string;
  order: AnyMadeOrder;
  /** Where its webhooks come. */
  mailbox: Mailbox;
}

/** Orders of one merchant that have ended, and what announces their end. */
export interface Ended {
  merchant: Credentials;
  orders: readonly Announced[];
  /** The end in words that follow an order. */
  end: string;
  fits(webhook: Webhook): boolean;
  requirement: RequirementId;
}

/**
 * Waits for the webhooks of all these orders together. Fails when one does not come although one about a later order has come, and days have
 * passed: a target may send one webhook after the other, and be held up by receivers that do not answer.
 */
export async function expectAnnounced(context: CheckContext, { merchant, orders, end, fits, requirement }: Ended) {
  const mailboxes = orders.map(({ mailbox }) => mailbox);
  const silent = () => orders.find(({ mailbox }) => !mailbox.webhooks.some(fits));
  const allCame = () => silent() === undefined || undefined;
  const come = (share: number) => awaitNews(context, merchant, mailboxes, allCame, share, []);
  const comeLater = (share: number) =>
    awaitNews(context, merchant, mailboxes, allCame, share * shareBefore, upToAnHour);
  const areHere = (all: true | undefined) => all === true;
  if (
    !(await context.events.await('webhooks of orders of every kind', come, areHere)) &&
    !(await context.events.await('webhooks of orders of every kind, an hour later', comeLater, areHere))
  ) {
    const [some] = orders;
    if (some) await needLaterWebhook(context, some.order);
    await awaitNews(context, merchant, mailboxes, allCame);
  }
  const first = silent();
  if (!first) return countJudged(context.transport);
  const present = await first.order.query();
  // Why it has not ended is the question of other checks.
  if (!isFinal(present))
    throw new Inconclusive(`an order ${first.words} has not ended: ${seenAt(present, 'data.status')}`);
  const what = `a webhook of an order ${first.words}, ${end}`;
  throw missed(context, { merchant, mailbox: first.mailbox }, fits, what, requirement);
}

/** How many times as long as usual a webhook is waited for that may stand behind many others. */
const longestQueue = 4;

/**
 * Waits for a webhook that fits, and longer as long as others come at any address of the run: it may stand behind them. `share`: the part of
 * the wait that is enough here.
 */
async function firstBehindOthers(
  context: CheckContext,
  mailbox: Mailbox,
  fits: (webhook: Webhook) => boolean,
  share: number,
): Promise<Webhook | undefined> {
  const come = () => context.history.records.filter(({ kind }) => kind === 'webhook').length;
  for (let waits = 1; ; waits += 1) {
    const before = come();
    const webhook = await mailbox.first(fits, context.webhookWait * share);
    if (webhook || waits === longestQueue || come() === before) return webhook;
  }
}

/**
 * Waits for a webhook of an order that is made and paid now, by the same merchant or, where none of that one's comes any more, by another, or of an
 * order of the other product: checkout orders of a check may all be priced in the currency in which none is announced. Throws `Inconclusive`
 * when none comes.
 */
async function needLaterWebhook(context: CheckContext, { product, merchant }: AnyMadeOrder): Promise<void> {
  const isAnnounced = async (payee: Credentials, paid = product) => {
    const later = await makeNotifiedOrder(context, paid, await context.mailbox(), { merchant: payee });
    await bringOrderTo(context, later, 'SUCCEEDED');
    return context.events.await(
      'a webhook of a later order',
      async (share) =>
        (await firstBehindOthers(context, later.mailbox, mentionsStatus('SUCCEEDED'), share)) !== undefined,
      (has) => has,
    );
  };
  if (await isAnnounced(merchant)) return;
  if (context.has('own-merchant') && (await isAnnounced(await context.ownMerchant()))) return;
  if (product === 'checkout' && context.has('orders') && (await isAnnounced(merchant, 'orders'))) return;
  throw new Inconclusive('webhooks do not come, or only later than this check waits for them', {
    requirement: 'webhooks.order.paid',
  });
}

/**
 * Lets one thing after the other happen to each of these orders. Those that have come to `status` then; why others have not is the question of
 * other checks.
 */
export async function bringEachTo<Order extends Announced>(
  context: CheckContext,
  status: string,
  orders: readonly Order[],
  stepsOf: (order: Order) => readonly OrderStep[],
): Promise<readonly Order[]> {
  const came = orders.map(async (each) => {
    const view = await letHappen(context, each.order, stepsOf(each));
    return statusOf(view) === status ? [each] : [];
  });
  return (await sideBySide(came)).flat();
}
