import { bringRefundTo, type MadeRefund, makeRefund, makeRefundIn } from '../../arrange/refunds/refunds.ts';
import { expectWebhook, mentionsStatus } from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import { field } from '../../wire/exchange.ts';
import type { Mailbox, Webhook } from '../../wire/mailbox.ts';

const needs = ['paid-order', 'refund-events'] as const;

/** The webhook that announces the final status of a refund. */
function expectResult(
  context: CheckContext,
  { merchant }: MadeRefund,
  mailbox: Mailbox,
  status: 'SUCCEEDED' | 'FAILED' = 'SUCCEEDED',
): Promise<Webhook> {
  return expectWebhook(
    context,
    { mailbox, merchant },
    mentionsStatus(status),
    `a webhook of the refund that is ${status}`,
  );
}

export const webhooksRefundsChecks: readonly CheckDeclaration[] = [
  {
    id: 'webhooks.refund.notify-url',
    title: "A refund's result is posted to the notifyUrl of its request",
    calls: ['refunds'],
    requirements: ['webhooks.refund.notify-url'],
    needs,
    async run(context) {
      const mailbox = await context.mailbox('?shop=7&path=%2Fhooks%3f');
      const refund = await makeRefundIn(context, 'SUCCEEDED', { notifyUrl: mailbox.url });
      const webhook = await expectResult(context, refund, mailbox);
      expectThat(webhook.method === 'POST', webhook, {
        expected: 'method = POST',
        actual: `method = ${webhook.method}`,
      });
    },
  },
  {
    id: 'webhooks.refund.failed',
    title: 'That a refund has failed is posted to the notifyUrl of its request',
    calls: ['refunds'],
    requirements: ['webhooks.refund.notify-url'],
    needs,
    async run(context) {
      const mailbox = await context.mailbox();
      const refund = await makeRefundIn(context, 'FAILED', { notifyUrl: mailbox.url });
      await expectResult(context, refund, mailbox, 'FAILED');
    },
  },
  {
    id: 'webhooks.refund.default-address',
    title: 'The result of a refund without a notifyUrl is posted to the address configured for the merchant',
    calls: ['refunds'],
    requirements: ['webhooks.refund.default-address'],
    needs: [...needs, 'own-merchant'],
    async run(context) {
      const mailbox = await context.mailbox();
      const merchant = await context.ownMerchant({ defaultNotifyUrl: mailbox.url });
      const refund = await makeRefund(context, merchant);
      await bringRefundTo(context, refund, 'SUCCEEDED');
      await expectResult(context, refund, mailbox);
    },
  },
  {
    id: 'webhooks.refund.notify-url-instead',
    title: 'The result of a refund with a notifyUrl goes there, not to the address configured for the merchant',
    calls: ['refunds'],
    requirements: ['webhooks.refund.default-address', 'webhooks.refund.notify-url'],
    needs: [...needs, 'own-merchant'],
    async run(context) {
      const [mailbox, defaultMailbox] = [await context.mailbox(), await context.mailbox()];
      const merchant = await context.ownMerchant({ defaultNotifyUrl: defaultMailbox.url });
      const refund = await makeRefund(context, merchant, { notifyUrl: mailbox.url });
      // An invariant sees from this query whether a webhook had told of a result before.
      await refund.query();
      await bringRefundTo(context, refund, 'SUCCEEDED');
      const webhook = await expectResult(context, refund, mailbox);
      // Once the webhook of a later refund has come to the default address, everything due before it has come too.
      const later = await makeRefund(context, merchant);
      await bringRefundTo(context, later, 'SUCCEEDED');
      const isAbout =
        ({ request, refundOrderId }: MadeRefund) =>
        (each: Webhook) =>
          [request.merchantRefundOrderId, refundOrderId].some((id) => each.text.includes(id));
      const party = { mailbox: defaultMailbox, merchant };
      await expectWebhook(context, party, isAbout(later), 'a webhook of the refund without a notifyUrl');
      const astray = defaultMailbox.webhooks.find(isAbout(refund));
      expectThat(astray === undefined, astray ?? webhook, {
        expected: 'nothing at the address that is only for refunds without a notifyUrl',
        actual: `a webhook at ${defaultMailbox.url}`,
      });
    },
  },
  {
    id: 'webhooks.refund.payload',
    title: 'What a refund event holds, and at which statuses it is sent',
    calls: ['refunds'],
    requirements: ['webhooks.refund.payload'],
    needs,
    async run(context) {
      const mailbox = await context.mailbox();
      const refund = await makeRefundIn(context, 'SUCCEEDED', { notifyUrl: mailbox.url });
      const webhook = await expectResult(context, refund, mailbox);
      const isAt = (prefix: string) => field(webhook, `${prefix}refundOrderId`) === refund.refundOrderId;
      const value = isAt('') ? 'flat' : isAt('data.') ? 'nested' : null;
      const told = mailbox.webhooks.map((each) => show(field(each, 'status') ?? field(each, 'data.status')));
      const names = typeof webhook.json === 'object' && webhook.json ? Object.keys(webhook.json).join(', ') : 'no JSON';
      context.observe('webhook-refund-payload', `${names}; sent at ${told.join(', ')}`, value);
    },
  },
];
