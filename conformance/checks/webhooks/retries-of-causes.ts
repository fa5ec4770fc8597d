import { type Lifetime, type Product, passSoon } from '../../arrange/orders/any-order.ts';
import { bringAnyOrderTo } from '../../arrange/products.ts';
import { bringRefundTo, makeRefund } from '../../arrange/refunds/refunds.ts';
import { sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import { type Cause, causes } from '../../arrange/webhooks/causes.ts';
import { kinds, retryPrefix } from '../../arrange/webhooks/kinds.ts';
import { expectRepeated, type Unacknowledged } from '../../arrange/webhooks/repeated.ts';
import { mentionsStatus, needWebhook, shareOfPrompt } from '../../arrange/webhooks/waiting.ts';
import { makeNotifiedOrder } from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import type { Reply } from '../../wire/mailbox.ts';

const reply: Reply = { status: 500 };

/** The causes beside those by which the kinds of webhooks come to their ends, which the checks of retries have. */
const mustBeTold = causes.filter(({ name }) => ['expired', 'timed-out', 'error'].includes(name));

/** The statuses of each product whose events a target may leave out. */
const mayBeTold = { orders: ['PROCESSING'], checkout: ['PROCESSING', 'CLOSED'] } as const;

/** An order of a merchant of its own at whose address no event that may tell of one of these statuses is acknowledged. */
async function makeUnheard(context: CheckContext, product: Product, lifetime: Lifetime, statuses: readonly string[]) {
  const mailbox = await context.mailbox();
  mailbox.reply(reply, (webhook) => statuses.some((status) => mentionsStatus(status)(webhook)));
  return makeNotifiedOrder(context, product, mailbox, { lifetime });
}

/** Such an order that a cause has ended, and whose time to be paid is over: no reason to be silent about its end. `undefined`: the target leaves the state out. */
async function refuseEnd(
  context: CheckContext,
  product: Product,
  noun: string,
  { bringAbout, requirement }: Cause,
): Promise<Unacknowledged | undefined> {
  const order = await makeUnheard(context, product, 'short', ['SUCCEEDED', 'FAILED', 'CLOSED']);
  const ending = await whereReached(bringAbout(context, order, product));
  if (ending === undefined) return undefined;
  // In the words of the other checks of retries, so that a target that sends none is waited for only so often.
  await needWebhook(context, order, mentionsStatus(ending), `a webhook of ${noun} that is ${ending}`, requirement);
  await passSoon(context, order.merchant);
  return { reply, subject: { ...order, ending } };
}

/** Such an order that has come to a status. `undefined`: the target sends no event of that, or leaves the state out. */
async function refuseStatus(
  context: CheckContext,
  product: Product,
  ending: 'PROCESSING' | 'CLOSED',
): Promise<Unacknowledged | undefined> {
  const order = await makeUnheard(context, product, 'ordinary', [ending]);
  if (!(await whereReached(bringAnyOrderTo(context, order, ending).then(() => true)))) return undefined;
  const webhook = await order.mailbox.first(mentionsStatus(ending), context.webhookWait * shareOfPrompt);
  return webhook && { reply, subject: { ...order, ending } };
}

/** A refund of a merchant of its own that was CLOSED, whose event was sent and not acknowledged. `undefined`: the target sends none. */
async function refuseClosed(context: CheckContext): Promise<Unacknowledged | undefined> {
  const mailbox = await context.mailbox();
  mailbox.reply(reply, mentionsStatus('CLOSED'));
  const merchant = await context.ownMerchant();
  const refund = await makeRefund(context, merchant, { notifyUrl: mailbox.url });
  await bringRefundTo(context, refund, 'CLOSED');
  const webhook = await mailbox.first(mentionsStatus('CLOSED'), context.webhookWait * shareOfPrompt);
  return webhook && { reply, subject: { merchant, mailbox, ending: 'CLOSED' } };
}

/** A refund that names no notifyUrl, of a merchant at whose own address the event of its end was sent and not acknowledged. `undefined`: none came there. */
async function refuseUnaddressed(context: CheckContext): Promise<Unacknowledged | undefined> {
  const mailbox = await context.mailbox();
  mailbox.reply(reply, mentionsStatus('FAILED'));
  const merchant = await context.ownMerchant({ defaultNotifyUrl: mailbox.url });
  await bringRefundTo(context, await makeRefund(context, merchant), 'FAILED');
  const webhook = await mailbox.first(mentionsStatus('FAILED'), context.webhookWait * shareOfPrompt);
  return webhook && { reply, subject: { merchant, mailbox, ending: 'FAILED' } };
}

/** An event is sent again whatever it tells. What brings each kind to its ends by the fewest steps stands in the checks of retries. */
export const retriesOfCausesChecks: readonly CheckDeclaration[] = kinds.map((kind) => {
  const { area, retry, needs, noun } = kind;
  const asList = async (made: Promise<Unacknowledged | undefined>) => [(await made) ?? []].flat();
  const refused = (context: CheckContext): readonly Promise<Unacknowledged[]>[] =>
    area === 'orders' || area === 'checkout'
      ? [
          ...mustBeTold.map((cause) => asList(refuseEnd(context, area, noun, cause))),
          ...mayBeTold[area].map((status) => asList(refuseStatus(context, area, status))),
        ]
      : [asList(refuseClosed(context)), asList(refuseUnaddressed(context))];
  return {
    id: `${retryPrefix(kind)}.other-causes`,
    title: `An event of ${noun} is sent again whatever has caused it${area === 'refunds' ? ', and whichever address it goes to' : ''}`,
    calls: [area],
    requirements: [retry],
    needs: [...needs, 'clock'],
    long: true,
    async run(context) {
      const repeated = await sideBySide(
        refused(context).map(async (made) => {
          const unacknowledged = await made;
          await expectRepeated(context, unacknowledged, retry);
          return unacknowledged.length > 0;
        }),
      );
      if (!repeated.includes(true)) throw new PermittedChoice('the target sends no event that it may leave out');
    },
  };
});
