import { sideBySide } from '../../arrange/situations/situations.ts';
import { announcesEnding, type Kind, kinds, retryPrefix } from '../../arrange/webhooks/kinds.ts';
import { awaitNews, expectWebhook, namesOneOf, shareBeforeRetry } from '../../arrange/webhooks/waiting.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import type { Webhook } from '../../wire/mailbox.ts';

// A sender may leave a receiver alone for a while that takes nothing, but what is new must reach it once it takes webhooks again.

/** As many events of one merchant come to one address that takes none of them. */
const refusedEvents = 12;

/** As many attempts fail in all, where there are so many. */
const failedAttempts = 3 * refusedEvents;

async function expectNewEvent(context: CheckContext, kind: Kind): Promise<void> {
  const { endings, noun, announced } = kind;
  const [merchant, mailbox] = [await context.ownMerchant(), await context.mailbox()];
  mailbox.reply({ status: 500 });
  const ending = (turn: number) => endings[turn % endings.length] ?? endings[0];
  const refused = await sideBySide(
    Array.from({ length: refusedEvents }, (_, turn) => kind.make(context, mailbox, merchant, ending(turn))),
  );
  await sideBySide(refused.map(({ end }) => end()));
  // How often an event is sent again is open, so that days pass where the attempts do not suffice.
  const isEnough = () => mailbox.webhooks.length >= failedAttempts || undefined;
  await awaitNews(context, merchant, [mailbox], isEnough, shareBeforeRetry);

  mailbox.reply({ status: 200 });
  const before = new Set(mailbox.webhooks);
  const isRefused = (webhook: Webhook) => refused.some(({ ids = [] }) => namesOneOf(webhook, ids));
  const subject = await kind.make(context, mailbox, merchant, endings[0]);
  await subject.end();
  await expectWebhook(
    context,
    subject,
    (webhook) => !before.has(webhook) && announcesEnding(subject)(webhook) && !isRefused(webhook),
    `a webhook of ${noun} that is ${subject.ending}, after ${refusedEvents} others were answered with HTTP 500 there`,
    announced[subject.ending],
  );
}

/** For each kind: an event reaches a receiver that has refused many others. */
export const webhooksManyFailuresChecks: readonly CheckDeclaration[] = kinds.map((kind) => ({
  id: `${retryPrefix(kind)}.many-failures`,
  title: `An event of ${kind.noun} is sent to a receiver that has long taken none of many others`,
  calls: [kind.area],
  requirements: [kind.announced[kind.endings[0]]],
  needs: kind.needs,
  long: true,
  run: (context) => expectNewEvent(context, kind),
}));
