import { bringCheckoutOrderTo } from '../../arrange/checkout-orders/checkout-orders.ts';
import { bringOrderTo, type Product, passSoon } from '../../arrange/orders/any-order.ts';
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

/** A cause whose event a target may leave out. */
type SilentCause = Pick<Cause, 'name' | 'bringAbout'>;

/** The causes beside those by which the kinds of webhooks come to their ends, which the checks of retries have. */
const mustBeTold = causes.filter(({ name }) => ['expired', 'timed-out', 'error'].includes(name));

const silent: Readonly<Record<Product, readonly SilentCause[]>> = {
  orders: [
    {
      name: 'processing',
      bringAbout: async (context, order) => {
        await bringOrderTo(context, order, 'PROCESSING');
        return 'PROCESSING';
      },
    },
  ],
  checkout: (['PROCESSING', 'CLOSED'] as const).map((status) => ({
    name: status.toLowerCase(),
    bringAbout: async (context, order) => {
      await bringCheckoutOrderTo(context, order, status);
      return status;
    },
  })),
};

/** An order of a merchant of its own whose event was sent and not acknowledged. `undefined`: the target sends none, or leaves the state out. */
async function refuseEvent(
  context: CheckContext,
  product: Product,
  cause: SilentCause | Cause,
): Promise<Unacknowledged | undefined> {
  const mailbox = await context.mailbox();
  mailbox.reply(reply);
  const mustCome = 'requirement' in cause;
  const order = await makeNotifiedOrder(context, product, mailbox, mustCome ? { lifetime: 'short' } : {});
  const ending = await whereReached(cause.bringAbout(context, order, product));
  if (ending === undefined) return undefined;
  // In the words of the other checks of retries, so that a target that sends none is waited for only so often.
  const what = `a webhook of ${product === 'orders' ? 'a hosted order' : 'a checkout order'} that is ${ending}`;
  const fits = mentionsStatus(ending);
  const webhook = mustCome
    ? await needWebhook(context, order, fits, what, cause.requirement)
    : await mailbox.first(fits, context.webhookWait * shareOfPrompt);
  // That the time to pay an order is over is no reason to be silent about it.
  if (mustCome) await passSoon(context, order.merchant);
  return webhook && { reply, subject: { ...order, ending } };
}

/** A refund of a merchant of its own that was CLOSED, whose event was sent and not acknowledged. `undefined`: the target sends none. */
async function refuseClosed(context: CheckContext): Promise<Unacknowledged | undefined> {
  const mailbox = await context.mailbox();
  mailbox.reply(reply);
  const merchant = await context.ownMerchant();
  const refund = await makeRefund(context, merchant, { notifyUrl: mailbox.url });
  await bringRefundTo(context, refund, 'CLOSED');
  const webhook = await mailbox.first(mentionsStatus('CLOSED'), context.webhookWait * shareOfPrompt);
  return webhook && { reply, subject: { merchant, mailbox, ending: 'CLOSED' } };
}

/** An event is sent again whatever it tells. What brings each kind to its ends by the fewest steps stands in the checks of retries. */
export const retriesOfCausesChecks: readonly CheckDeclaration[] = kinds.map((kind) => {
  const { area, retry, needs, noun } = kind;
  const refused = (context: CheckContext): readonly Promise<Unacknowledged | undefined>[] =>
    area === 'orders' || area === 'checkout'
      ? [...mustBeTold, ...silent[area]].map((cause) => refuseEvent(context, area, cause))
      : [refuseClosed(context)];
  return {
    id: `${retryPrefix(kind)}.other-causes`,
    title: `An event of ${noun} is sent again whatever has caused it`,
    calls: [area],
    requirements: [retry],
    needs: [...needs, 'clock'],
    long: true,
    async run(context) {
      const repeated = await sideBySide(
        refused(context).map(async (made) => {
          const unacknowledged = await made;
          if (unacknowledged) await expectRepeated(context, [unacknowledged], retry);
          return unacknowledged !== undefined;
        }),
      );
      if (!repeated.includes(true)) throw new PermittedChoice('the target sends no event that it may leave out');
    },
  };
});
