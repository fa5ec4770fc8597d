import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { bringRefundTo, makeRefund } from '../../arrange/refunds/refunds.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import { announcesEnding, idPrefix, type Kind, kinds, type Subject } from '../../arrange/webhooks/kinds.ts';
import {
  awaitNews,
  expectWebhook,
  mentionsStatus,
  namesOneOf,
  shareBeforeRetry,
  shareOfPrompt,
} from '../../arrange/webhooks/waiting.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { field } from '../../wire/exchange.ts';
import type { Webhook } from '../../wire/mailbox.ts';

/** How many of a merchant name the same address, as all orders of most shops do. One of another merchant does too, as where a shop has several. */
const sharers = 3;

/** A shorter platform id could stand in a body by chance. */
const shortestTellingId = 8;

/** The ids by which a webhook may tell a subject. */
async function tellingIds({ query, ids = [] }: Subject, { payload }: Kind): Promise<readonly string[]> {
  const platform = field(await query(), `data.${payload.id}`);
  return typeof platform === 'string' && platform.length >= shortestTellingId ? [...ids, platform] : ids;
}

/** True for a webhook that may be about the one with these ids: it names that one, or none of `all`. */
const mayBeAbout = (ids: readonly string[], all: readonly string[]) => (webhook: Webhook) =>
  namesOneOf(webhook, ids) || !namesOneOf(webhook, all);

async function expectEach(context: CheckContext, kind: Kind): Promise<void> {
  const [ending] = kind.endings;
  const [merchant, other] = [await context.ownMerchant(), await context.ownMerchant()];
  const mailbox = await context.mailbox();
  const subjects: Subject[] = [];
  for (let made = 0; made < sharers; made += 1) subjects.push(await kind.make(context, mailbox, merchant, ending));
  subjects.push(await kind.make(context, mailbox, other, ending));
  const ids = await Promise.all(subjects.map((subject) => tellingIds(subject, kind)));
  for (const subject of subjects) await subject.end();
  for (const [index, subject] of subjects.entries()) {
    const isAboutIt = mayBeAbout(ids[index] ?? [], ids.flat());
    const announces = announcesEnding(subject);
    await expectWebhook(
      context,
      subject,
      (webhook) => announces(webhook) && isAboutIt(webhook),
      `a webhook of ${ids[index]?.[0]}, ${kind.noun} that is ${ending} like ${sharers} others that name the same address, ${index === sharers ? 'all of another merchant' : 'one of another merchant'}`,
    );
  }
}

/** How many events are not taken at an address before one is. */
const failures = 12;

/** How many attempts at them fail in all, where there are so many: more than careful senders count before they leave a receiver alone. */
const failedAttempts = 3 * failures;

/**
 * Fails when something is not announced at an address that has long taken no webhook, though it takes them again. A sender may leave it alone
 * for a while.
 */
async function expectAfterFailures(context: CheckContext, kind: Kind): Promise<void> {
  const [ending] = kind.endings;
  const [merchant, mailbox] = [await context.ownMerchant(), await context.mailbox()];
  const make = () => kind.make(context, mailbox, merchant, ending);
  const refused = await sideBySide(Array.from({ length: failures }, make));
  mailbox.reply({ status: 500 });
  await sideBySide(refused.map((subject) => subject.end()));
  // How often an event is sent again is open, so that days pass where the attempts do not suffice.
  const isEnough = () => mailbox.webhooks.length >= failedAttempts || undefined;
  await awaitNews(context, merchant, [mailbox], isEnough, shareBeforeRetry);
  mailbox.reply({ status: 200 });
  const last = await make();
  const ids = await sideBySide([...refused, last].map((subject) => tellingIds(subject, kind)));
  await last.end();
  const [isAboutIt, announces] = [mayBeAbout(ids.at(-1) ?? [], ids.flat()), announcesEnding(last)];
  await expectWebhook(
    context,
    last,
    (webhook) => announces(webhook) && isAboutIt(webhook),
    `a webhook of ${kind.noun} that is ${ending}, at an address where ${mailbox.webhooks.length} others were answered with HTTP 500 before`,
  );
}

/** A refund whose result comes to the address of its order, which has a webhook of the same status already. */
const sharedWithOrder: CheckDeclaration = {
  id: 'webhooks.refund.shared-with-its-order',
  title: 'That a refund has succeeded is announced at the address where its order was announced to be paid',
  calls: ['refunds'],
  requirements: ['webhooks.refund.notify-url'],
  needs: ['order-events', 'refund-events'],
  async run(context) {
    const [merchant, mailbox] = [await context.ownMerchant(), await context.mailbox()];
    const announces = mentionsStatus('SUCCEEDED');
    const order = await makePaidOrder(context, merchant, { callbackUrl: mailbox.url });
    // Whether it comes is judged elsewhere.
    await mailbox.first(announces, context.webhookWait * shareOfPrompt);
    const refund = await makeRefund(context, merchant, { order, notifyUrl: mailbox.url });
    const before = new Set(mailbox.webhooks);
    await bringRefundTo(context, refund, 'SUCCEEDED');
    const ids = [refund.request.merchantRefundOrderId, refund.refundOrderId];
    await expectWebhook(
      context,
      { merchant, mailbox, ids },
      (webhook) => !before.has(webhook) && announces(webhook),
      'a webhook of a refund that is SUCCEEDED, at the address of its order',
    );
  },
};

/** For each kind: several that name one address and end alike are each announced there, also after others were not taken. */
export const webhooksSharedAddressChecks: readonly CheckDeclaration[] = [...kinds.flatMap(checksOf), sharedWithOrder];

function checksOf(kind: Kind): readonly CheckDeclaration[] {
  const about = {
    calls: [kind.area],
    requirements: [kind.name === 'refund' ? 'webhooks.refund.notify-url' : 'webhooks.order.post'],
    needs: kind.needs,
  } as const;
  return [
    {
      ...about,
      id: `${idPrefix(kind)}.shared-address`,
      title: `Of several that name the same address and end alike, one of another merchant, each is announced there: ${kind.noun}`,
      run: (context) => expectEach(context, kind),
    },
    {
      ...about,
      id: `${idPrefix(kind)}.address-that-failed`,
      title: `An end is announced at an address that has long taken no webhook of many others: ${kind.noun}`,
      long: true,
      run: (context) => expectAfterFailures(context, kind),
    },
  ];
}
