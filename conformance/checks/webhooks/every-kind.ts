import { limit } from '../../../generated/catalogue.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { confirmed } from '../../arrange/orders/payments.ts';
import { everyKind, type OrderKind } from '../../arrange/refunds/kinds-of-orders.ts';
import { bringRefundTo, makeRefund } from '../../arrange/refunds/refunds.ts';
import { furtherMeans, means } from '../../arrange/situations/means.ts';
import { ifTaken, sideBySide } from '../../arrange/situations/situations.ts';
import { expectWebhook, mentionsStatus } from '../../arrange/webhooks/waiting.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { bringEachTo, expectAnnounced } from '../support/announced.ts';

// Every end is announced, whatever an order is like and however it is paid.

/** The ends of a payment. */
const payments = [
  {
    name: 'paid',
    steps: [confirmed],
    status: 'SUCCEEDED',
    end: 'whose payment is confirmed',
    requirement: 'webhooks.order.paid',
  },
  {
    name: 'failed',
    steps: [{ type: 'payment_failed', reason: 'error' }],
    status: 'FAILED',
    end: 'whose payment has failed',
    requirement: 'webhooks.order.failed',
  },
] as const;

const paymentChecks: readonly CheckDeclaration[] = payments.map(({ name, steps, status, end, requirement }) => ({
  id: `webhooks.order.every-payment.${name}`,
  title: `The end of a payment of a hosted order is announced in both currencies, over every network and from each exchange: ${name}`,
  calls: ['orders'],
  requirements: [requirement],
  needs: ['order-events'],
  async run(context) {
    const merchant = await context.ownMerchant();
    const orders = await sideBySide(
      [...means, ...furtherMeans].map(async ({ words, currency, pay }) => {
        const mailbox = await context.mailbox();
        const changes = { orderAmount: { value: '9.50', currency }, callbackUrl: mailbox.url };
        return { words, mailbox, order: await makeOrder(context, merchant, changes), pay };
      }),
    );
    const ended = await bringEachTo(context, status, orders, ({ pay }) => [pay(context), ...steps]);
    await expectAnnounced(context, { merchant, orders: ended, end, fits: mentionsStatus(status), requirement });
  },
}));

/** The longest text of a merchant's own that the contract has; it sets no bound for extraData, and none for a notifyUrl. */
const longest = limit('checkout.metadata.length', 'max');

/** Refunds whose texts a column or a message of careless width does not hold, with what is announced of each. */
const longRefunds = [
  { words: `extraData of ${longest} characters`, status: 'SUCCEEDED', length: longest, query: '' },
  { words: `extraData of ${5 * longest} characters`, status: 'FAILED', length: 5 * longest, query: '' },
  {
    words: 'a notifyUrl of more than 2400 characters',
    status: 'SUCCEEDED',
    length: 0,
    query: `?page=${'b'.repeat(2400)}`,
  },
] as const;

const refundCheck: CheckDeclaration = {
  id: 'webhooks.refund.long-extra-data',
  title: 'The result of a refund with a long extraData or a long notifyUrl is announced',
  calls: ['refunds'],
  requirements: ['webhooks.refund.notify-url'],
  needs: ['order-events', 'refund-events'],
  async run(context) {
    const merchant = await context.ownMerchant();
    const results = longRefunds.map(async ({ words, status, length, query }) => {
      const mailbox = await context.mailbox(query);
      const extraData = JSON.stringify({ cart: 'c'.repeat(length) });
      // How long either may be is not said.
      const refund = await ifTaken(makeRefund(context, merchant, { notifyUrl: mailbox.url, extraData }));
      if (!refund) return false;
      await bringRefundTo(context, refund, status);
      const what = `a webhook of a refund with ${words} that is ${status}`;
      await expectWebhook(context, { merchant, mailbox }, mentionsStatus(status), what);
      return true;
    });
    const taken = await sideBySide(results);
    if (!taken.includes(true)) throw new PermittedChoice('texts of that length are refused here');
  },
};

/** Refunds an order of a kind that has an address too, and fails unless the result comes to the address of the refund. False where there is no such refund. */
async function expectRefundAnnounced(context: CheckContext, { words, pay }: OrderKind): Promise<boolean> {
  const merchant = await context.ownMerchant();
  const [mailbox, ofOrder] = [await context.mailbox(), await context.mailbox()];
  const made = async () => {
    const order = await pay(context, merchant, { callbackUrl: ofOrder.url });
    return makeRefund(context, merchant, { order, notifyUrl: mailbox.url });
  };
  const refund = await ifTaken(made());
  if (!refund) return false;
  await bringRefundTo(context, refund, 'SUCCEEDED');
  const ids = [refund.request.merchantRefundOrderId];
  const party = { merchant, mailbox, others: [ofOrder], ids, address: 'webhooks.refund.notify-url' } as const;
  const what = `a webhook of the refund of ${words}, which is SUCCEEDED`;
  await expectWebhook(context, party, mentionsStatus('SUCCEEDED'), what);
  return true;
}

const refundOfKindsCheck: CheckDeclaration = {
  id: 'webhooks.refund.every-kind',
  mayCall: ['checkout'],
  title:
    'The result of a refund is announced at the address of the refund, whatever its order is like and however that was paid',
  calls: ['refunds'],
  requirements: ['webhooks.refund.notify-url'],
  needs: ['order-events', 'refund-events'],
  async run(context) {
    const judged = await sideBySide(everyKind(context).map((kind) => expectRefundAnnounced(context, kind)));
    if (!judged.includes(true)) throw new PermittedChoice('only usual orders can be made and refunded here');
  },
};

/** Checks that no end goes unannounced, however an order is paid and whatever is refunded. */
export const webhooksEveryKindChecks: readonly CheckDeclaration[] = [...paymentChecks, refundCheck, refundOfKindsCheck];
