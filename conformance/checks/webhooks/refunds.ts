import type { RequirementId } from '../../../generated/catalogue.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { bringRefundTo, type MadeRefund, makeRefund } from '../../arrange/refunds/refunds.ts';
import { ifTaken, sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import { awkwardQuery } from '../../arrange/webhooks/queries.ts';
import {
  awaitShortly,
  expectWebhook,
  mayBeAbout,
  mentionsStatus,
  namesOneOf,
  needWebhook,
  type Party,
} from '../../arrange/webhooks/waiting.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat } from '../../check/expect.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import type { Mailbox, Webhook } from '../../wire/mailbox.ts';

const needs = ['paid-order', 'refund-events'] as const;

/** A result of a refund that must be announced. */
type Result = 'SUCCEEDED' | 'FAILED';

/** A refund whose result must come to a mailbox. */
interface NotifiedRefund extends MadeRefund, Party {}

/** The webhook that announces the final status of a refund. */
function expectResult(
  context: CheckContext,
  refund: NotifiedRefund,
  status: Result,
  requirement?: RequirementId,
): Promise<Webhook> {
  const what = `a webhook of the refund that is ${status}`;
  return expectWebhook(context, refund, mentionsStatus(status), what, requirement);
}

const about = (refund: MadeRefund, mailbox: Mailbox, others: readonly Mailbox[] = []): NotifiedRefund => ({
  ...refund,
  mailbox,
  others,
  ids: [refund.request.merchantRefundOrderId],
});

/** The ids by which a webhook may tell a refund: its own, and those of its order. */
const idsOf = ({ request, refundOrderId, order }: MadeRefund): string[] => [
  ...[request.merchantRefundOrderId, refundOrderId, order.orderId],
  ...(order.merchantOrderId === undefined ? [] : [order.merchantOrderId]),
];

/**
 * A refund of an order that has a callbackUrl, which is not for the refund's result. It names `mailbox`; the merchant then makes
 * another refund that names another address: the newest that it has named.
 */
async function makeNamingRefund(context: CheckContext, mailbox: Mailbox): Promise<NotifiedRefund> {
  const merchant = await (context.has('order-events') ? context.ownMerchant() : context.merchant());
  const [ofOrder, ofNeighbour] = [await context.mailbox(), await context.mailbox()];
  const order = await makePaidOrder(context, merchant, { callbackUrl: ofOrder.url });
  const refund = await makeRefund(context, merchant, { order, notifyUrl: mailbox.url });
  const ofNamesake = await context.mailbox();
  if (context.has('order-events')) {
    await makeRefund(context, merchant, { notifyUrl: ofNeighbour.url });
    // Another merchant's refund under the same id, which is its own.
    const { merchantRefundOrderId } = refund.request;
    const other = await context.ownMerchant();
    await ifTaken(makeRefund(context, other, { merchantRefundOrderId, notifyUrl: ofNamesake.url }));
  }
  return { ...about(refund, mailbox, [ofOrder, ofNeighbour, ofNamesake]), address: 'webhooks.refund.notify-url' };
}

/** The same without an address of its own: `mailbox` is the one that is configured for its merchant. */
async function makeSilentRefund(context: CheckContext, mailbox: Mailbox): Promise<NotifiedRefund> {
  const merchant = await context.ownMerchant({ defaultNotifyUrl: mailbox.url });
  const ofOrder = await context.mailbox();
  const order = await makePaidOrder(context, merchant, { callbackUrl: ofOrder.url });
  const refund = await makeRefund(context, merchant, { order });
  return { ...about(refund, mailbox, [ofOrder]), address: 'webhooks.refund.default-address' };
}

/** A merchant with a default address, and an address that its refunds may name. */
async function withDefaultAddress(context: CheckContext) {
  const [mailbox, defaultMailbox] = [await context.mailbox(), await context.mailbox()];
  const merchant = await context.ownMerchant({ defaultNotifyUrl: defaultMailbox.url });
  return { merchant, mailbox, defaultMailbox };
}

/**
 * Lets a refund and a second one of its order, which names the same address, come to the same end. Fails unless the second one is announced
 * too. Whether a refund is announced that was closed is open: then the second one is where the first one was.
 */
async function expectBothAtOneAddress(context: CheckContext, status: 'FAILED' | 'CLOSED'): Promise<void> {
  const [merchant, mailbox] = [await context.ownMerchant(), await context.mailbox()];
  const order = await makePaidOrder(context, merchant);
  const first = await makeRefund(context, merchant, { order, notifyUrl: mailbox.url });
  await bringRefundTo(context, first, status);
  const announces = mentionsStatus(status);
  const what = `a webhook of the first refund of an order, which is ${status}`;
  if (!(await awaitShortly(context, about(first, mailbox), announces, what))) return;
  const second = await ifTaken(makeRefund(context, merchant, { order, notifyUrl: mailbox.url }));
  if (!second) throw new PermittedChoice('an order is not refunded twice here (open point refund-second)');
  const before = new Set(mailbox.webhooks);
  await bringRefundTo(context, second, status);
  const own = [second.request.merchantRefundOrderId, second.refundOrderId];
  const isAboutSecond = mayBeAbout(own, [...own, first.request.merchantRefundOrderId, first.refundOrderId]);
  await expectWebhook(
    context,
    about(second, mailbox),
    (webhook) => !before.has(webhook) && announces(webhook) && isAboutSecond(webhook),
    `a webhook of the second refund of an order, which is ${status} at the address where the first one was announced as ${status}`,
  );
}

const results: readonly { id: string; result: Result; named: 'own' | 'default'; title: string }[] = [
  {
    id: 'webhooks.refund.notify-url',
    result: 'SUCCEEDED',
    named: 'own',
    title: "A refund's result is posted to the notifyUrl of its request",
  },
  {
    id: 'webhooks.refund.failed',
    result: 'FAILED',
    named: 'own',
    title: 'That a refund has failed is posted to the notifyUrl of its request',
  },
  {
    id: 'webhooks.refund.default-address',
    result: 'SUCCEEDED',
    named: 'default',
    title: 'The result of a refund without a notifyUrl is posted to the address configured for the merchant',
  },
  {
    id: 'webhooks.refund.failed-default-address',
    result: 'FAILED',
    named: 'default',
    title: 'That a refund without a notifyUrl has failed is posted to the address configured for the merchant',
  },
];

const resultChecks: readonly CheckDeclaration[] = results.map(({ id, result, named, title }) => ({
  id,
  title,
  calls: ['refunds'],
  requirements: [named === 'own' ? 'webhooks.refund.notify-url' : 'webhooks.refund.default-address'],
  needs: named === 'own' ? needs : [...needs, 'own-merchant'],
  async run(context) {
    const make = named === 'own' ? makeNamingRefund : makeSilentRefund;
    const refund = await make(context, await context.mailbox(awkwardQuery));
    await bringRefundTo(context, refund, result);
    const webhook = await expectResult(context, refund, result);
    expectThat(webhook.method === 'POST', webhook, {
      expected: 'method = POST',
      actual: `method = ${webhook.method}`,
    });
  },
}));

export const webhooksRefundsChecks: readonly CheckDeclaration[] = [
  ...resultChecks,
  {
    id: 'webhooks.refund.closed',
    title: 'Whether a refund that was closed is announced',
    calls: ['refunds'],
    requirements: ['webhooks.refund.payload'],
    needs,
    async run(context) {
      const refund = await makeNamingRefund(context, await context.mailbox());
      await bringRefundTo(context, refund, 'CLOSED');
      const sent = await refund.mailbox.first(mentionsStatus('CLOSED'), Math.min(context.webhookWait, 1000));
      context.observe('webhook-refund-payload', `a refund that is closed: ${sent ? 'sent' : 'not sent'}`);
    },
  },
  {
    id: 'webhooks.refund.second-of-order',
    title:
      'The result of each further refund of an order is posted too, also where it is that of the one before, and at the same address',
    calls: ['refunds'],
    requirements: ['webhooks.refund.notify-url'],
    needs,
    async run(context) {
      const alike = ['FAILED', 'CLOSED'] as const;
      // Whether a refund can be CLOSED is open, and so is a second one of an order.
      await sideBySide(alike.map((status) => whereReached(expectBothAtOneAddress(context, status))));
      const first = await makeNamingRefund(context, await context.mailbox());
      await bringRefundTo(context, first, 'FAILED');
      const what = 'a webhook of the refund that failed';
      await needWebhook(context, first, mentionsStatus('FAILED'), what, 'webhooks.refund.notify-url');
      const mailbox = await context.mailbox();
      const second = await ifTaken(makeRefund(context, first.merchant, { order: first.order, notifyUrl: mailbox.url }));
      if (!second) throw new PermittedChoice('an order is not refunded twice here (open point refund-second)');
      await bringRefundTo(context, second, 'FAILED');
      await expectResult(context, about(second, mailbox), 'FAILED');
      const ofThird = await context.mailbox();
      const third = await ifTaken(makeRefund(context, first.merchant, { order: first.order, notifyUrl: ofThird.url }));
      if (!third) throw new PermittedChoice('an order is not refunded a third time here (open point refund-second)');
      await bringRefundTo(context, third, 'SUCCEEDED');
      await expectResult(context, about(third, ofThird), 'SUCCEEDED');
    },
  },
  {
    id: 'webhooks.refund.notify-url-instead',
    title:
      'The result of a refund with a notifyUrl goes there, and that of one without to the address configured for the merchant',
    calls: ['refunds'],
    requirements: ['webhooks.refund.default-address', 'webhooks.refund.notify-url'],
    needs: [...needs, 'own-merchant'],
    async run(context) {
      const { merchant, mailbox, defaultMailbox } = await withDefaultAddress(context);
      // Both orders are made before the first wait, because a wait moves their merchant's clock.
      const [order, laterOrder] = [await makePaidOrder(context, merchant), await makePaidOrder(context, merchant)];
      const refund = await makeRefund(context, merchant, { order, notifyUrl: mailbox.url });
      // An invariant sees from this query whether a webhook had told of a result before.
      await refund.query();
      await bringRefundTo(context, refund, 'SUCCEEDED');
      const party = {
        ...about(refund, mailbox, [defaultMailbox]),
        address: 'webhooks.refund.default-address' as const,
      };
      const webhook = await expectResult(context, party, 'SUCCEEDED');
      // Once the webhook of a later refund has come to the default address, everything due before it has come too.
      const later = await makeRefund(context, merchant, { order: laterOrder });
      await bringRefundTo(context, later, 'SUCCEEDED');
      const [ids, laterIds] = [idsOf(refund), idsOf(later)];
      const byDefault = {
        ...about(later, defaultMailbox, [mailbox]),
        address: 'webhooks.refund.default-address' as const,
      };
      const isAboutLater = mayBeAbout(laterIds, [...ids, ...laterIds]);
      await expectWebhook(context, byDefault, isAboutLater, 'a webhook of the refund without a notifyUrl');
      // A platform may count its ids, so that one of them may stand in the webhook of the other refund by chance.
      const astray = defaultMailbox.webhooks.find((each) => namesOneOf(each, ids) && !namesOneOf(each, laterIds));
      expectThat(astray === undefined, astray ?? webhook, {
        expected: 'nothing at the address that is only for refunds without a notifyUrl',
        actual: `a webhook at ${defaultMailbox.url}`,
      });
    },
  },
  {
    id: 'webhooks.refund.second-without-address',
    title:
      'The result of a second refund that names no notifyUrl goes to the address configured for the merchant, whatever the first one named',
    calls: ['refunds'],
    requirements: ['webhooks.refund.default-address', 'webhooks.refund.notify-url'],
    needs: [...needs, 'own-merchant'],
    async run(context) {
      const { merchant, mailbox, defaultMailbox } = await withDefaultAddress(context);
      const first = await makeRefund(context, merchant, { notifyUrl: mailbox.url });
      await bringRefundTo(context, first, 'FAILED');
      await expectResult(context, about(first, mailbox, [defaultMailbox]), 'FAILED');
      const second = await ifTaken(makeRefund(context, merchant, { order: first.order }));
      if (!second) throw new PermittedChoice('an order is not refunded twice here (open point refund-second)');
      await bringRefundTo(context, second, 'SUCCEEDED');
      const address = 'webhooks.refund.default-address' as const;
      await expectResult(context, { ...about(second, defaultMailbox, [mailbox]), address }, 'SUCCEEDED', address);
    },
  },
  {
    id: 'webhooks.refund.repeat-without-address',
    title: "A refund's result is posted to the notifyUrl of its create, when that was sent again without one",
    calls: ['refunds'],
    requirements: ['webhooks.refund.notify-url'],
    needs: [...needs, 'own-merchant'],
    async run(context) {
      const { merchant, mailbox, defaultMailbox } = await withDefaultAddress(context);
      const refund = await makeRefund(context, merchant, { notifyUrl: mailbox.url });
      const { notifyUrl: _left, ...request } = refund.request;
      // How it is answered is open (refund-repeat-different).
      await refund.client.create(request);
      await bringRefundTo(context, refund, 'SUCCEEDED');
      const address = 'webhooks.refund.notify-url' as const;
      await expectResult(context, { ...about(refund, mailbox, [defaultMailbox]), address }, 'SUCCEEDED');
    },
  },
  {
    id: 'webhooks.refund.refused-repeat',
    title:
      "A refund's result is posted to its first notifyUrl, however creates under its id with another one were answered, before and while it was worked on",
    calls: ['refunds'],
    requirements: ['webhooks.refund.notify-url'],
    needs: [...needs, 'order-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const [mailbox, ofRepeat] = [await context.mailbox(), await context.mailbox()];
      const [order, other] = await Promise.all([makePaidOrder(context, merchant), makePaidOrder(context, merchant)]);
      const refund = await makeRefund(context, merchant, { order, notifyUrl: mailbox.url });
      const { client, request } = refund;
      const [ofUnsigned, ofReasonless] = [await context.mailbox(), await context.mailbox()];
      const unsigned = Buffer.from(JSON.stringify({ ...request, notifyUrl: ofUnsigned.url }));
      const { refundReason: _left, ...reasonless } = { ...request, notifyUrl: ofReasonless.url };
      const changes = { acquiringOrderId: other.orderId, refundReason: 'Goods were damaged', notifyUrl: ofRepeat.url };
      await client.send({ method: 'POST', path: client.refundsPath, body: unsigned, sign: () => 'A'.repeat(44) });
      await client.createAnything(reasonless);
      await client.create({ ...request, ...changes });
      // Whether this is answered with the refund or refused is open (refund-repeat-different); the refund stays the one that its first create made.
      const readdress = () => client.create({ ...request, notifyUrl: ofRepeat.url });
      await readdress();
      const isWorkedOn = await whereReached(bringRefundTo(context, refund, 'PROCESSING').then(() => true));
      if (isWorkedOn) await readdress();
      await bringRefundTo(context, refund, 'SUCCEEDED', isWorkedOn ? 'PROCESSING' : 'PENDING');
      const others = [ofUnsigned, ofReasonless, ofRepeat];
      const party = { ...about(refund, mailbox, others), address: 'webhooks.refund.notify-url' as const };
      await expectResult(context, party, 'SUCCEEDED');
    },
  },
];
