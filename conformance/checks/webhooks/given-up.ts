import { sideBySide } from '../../arrange/situations/situations.ts';
import { announcesEnding, idPrefix, type Kind, kinds } from '../../arrange/webhooks/kinds.ts';
import { day, expectWebhook, shareOfPrompt } from '../../arrange/webhooks/waiting.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import type { Credentials } from '../../drivers/driver.ts';
import type { Mailbox } from '../../wire/mailbox.ts';

/** After how many days without a further attempt an event counts as given up, and how many days pass at most. */
const [quietDays, mostDays] = [2, 20];

/** How many events are given up before another one is announced: a sender that has seen a single one may bear with its receiver. */
const givenUp = 3;

/** Lets days pass until nothing is sent to a mailbox any more. How often an event is sent again is open. */
async function letGiveUp(context: CheckContext, merchant: Credentials, mailbox: Mailbox): Promise<void> {
  for (let [days, quiet] = [0, 0]; days < mostDays && quiet < quietDays; days += 1) {
    const before = mailbox.webhooks.length;
    await context.advanceClock(merchant, day);
    const isMore = () => mailbox.webhooks.length > before || undefined;
    const came = await context.wait([mailbox], isMore, context.webhookWait * shareOfPrompt);
    quiet = came ? 0 : quiet + 1;
  }
}

/** Fails when something is not announced, or not sent again, because its merchant has taken no webhook of others until they were given up. */
async function expectAfterGivenUp(context: CheckContext, kind: Kind): Promise<void> {
  const [merchant, dead, mailbox] = [await context.ownMerchant(), await context.mailbox(), await context.mailbox()];
  const [ending] = kind.endings;
  dead.reply({ status: 500 });
  const refused = Array.from({ length: givenUp }, () => kind.make(context, dead, merchant, ending));
  await sideBySide((await sideBySide(refused)).map((subject) => subject.end()));
  await letGiveUp(context, merchant, dead);
  const last = await kind.make(context, mailbox, merchant, ending);
  const announces = announcesEnding(last);
  mailbox.reply({ status: 500 }, announces);
  await last.end();
  const others = `after ${givenUp} others of its merchant, whose receiver answered each of ${dead.webhooks.length} attempts with HTTP 500 until none came any more`;
  const webhook = await expectWebhook(
    context,
    last,
    announces,
    `a webhook of ${kind.noun} that is ${ending}, ${others}`,
  );
  await expectWebhook(
    context,
    last,
    (each) => each !== webhook && announces(each),
    `another attempt at a webhook of ${kind.noun} that is ${ending}, which was answered with HTTP 500 once, ${others}`,
    kind.retry,
  );
}

/** For each kind: what ends after events of its merchant were given up is announced at its own address. */
export const webhooksGivenUpChecks: readonly CheckDeclaration[] = kinds.map((kind) => ({
  id: `${idPrefix(kind)}.after-given-up`,
  title: `An end is announced, and again where it is not taken, when others of its merchant were sent in vain until they were given up: ${kind.noun}`,
  calls: [kind.area],
  requirements: [kind.announced[kind.endings[0]], kind.retry],
  needs: [...kind.needs, 'clock'],
  long: true,
  run: (context) => expectAfterGivenUp(context, kind),
}));
