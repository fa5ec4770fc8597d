import { sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import {
  announcesEnding,
  idPrefix,
  type Kind,
  kinds,
  retryPrefix,
  type Subject,
  tellingIds,
} from '../../arrange/webhooks/kinds.ts';
import { day, expectWebhook, namesOneOf, shareOfPrompt } from '../../arrange/webhooks/waiting.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive, PermittedChoice } from '../../errors/outcomes.ts';
import type { Mailbox, Webhook } from '../../wire/mailbox.ts';

/** After how many days without a further attempt an event counts as given up, and how many days pass at most. */
const [quietDays, mostDays] = [2, 20];

/** How many events are given up before another one is announced: a sender that has seen a single one may bear with its receiver. */
const givenUp = 3;

/** Lets days pass until nothing is sent to a mailbox any more. How often an event is sent again is open. */
async function letGiveUp(context: CheckContext, merchant: Credentials, mailbox: Mailbox): Promise<void> {
  for (let [days, quiet] = [0, 0]; days < mostDays && quiet < quietDays; days += 1) {
    quiet = (await passDay(context, merchant, mailbox, () => mailbox.webhooks.length)) ? 0 : quiet + 1;
  }
}

/** Lets a day pass. Resolves with whether something was sent to the mailbox that `count` counts. */
async function passDay(
  context: CheckContext,
  merchant: Credentials,
  mailbox: Mailbox,
  count: () => number,
): Promise<boolean> {
  const before = count();
  await context.advanceClock(merchant, day);
  const isMore = () => count() > before || undefined;
  return (await context.wait([mailbox], isMore, context.webhookWait * shareOfPrompt)) === true;
}

/**
 * Fails when something is not announced, or not sent again, because its merchant has taken no webhook of others until they were given up, or when
 * something of another kind is not announced then.
 */
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
  await sideBySide(
    kinds
      .filter((each) => each !== kind && canBeMade(context, each))
      .map(async (other) => {
        const subject = await other.make(context, await context.mailbox(), merchant, other.endings[0]);
        await subject.end();
        const what = `a webhook of ${other.noun} that is ${subject.ending}, after ${givenUp} others of its merchant, each of ${kind.noun}, were given up`;
        await expectWebhook(context, subject, announcesEnding(subject), what, other.announced[other.endings[0]]);
      }),
  );
}

/** Whether a target has a kind of things whose ends are announced. */
const canBeMade = (context: CheckContext, { area, needs }: Kind): boolean =>
  [area, ...needs].every((need) => context.has(need));

/** How many attempts at an event a target makes at least, where it can be told that a younger event is given up with an older one. */
const fewestAttempts = 4;

/** An event that no attempt at it is answered with HTTP 200. Its attempts can be told from those at others that came to the same address. */
interface Refused {
  subject: Subject;
  attempts(): Webhook[];
}

/** Lets something end whose webhooks are never taken at an address where others are not taken either. */
async function endRefused(
  context: CheckContext,
  kind: Kind,
  merchant: Credentials,
  mailbox: Mailbox,
): Promise<Refused> {
  const before = new Set(mailbox.webhooks);
  const subject = await kind.make(context, mailbox, merchant, kind.endings[0]);
  const ids = await tellingIds(subject, kind);
  await subject.end();
  const announces = announcesEnding(subject);
  return {
    subject,
    attempts: () => mailbox.webhooks.filter((each) => !before.has(each) && announces(each) && namesOneOf(each, ids)),
  };
}

/**
 * Fails when an event is not sent again because an older one was given up at the same address. Whether a target counts attempts or time, it has
 * more of both left for the younger one.
 */
async function expectYoungerSentOn(context: CheckContext, kind: Kind): Promise<void> {
  const [merchant, mailbox] = [await context.ownMerchant(), await context.mailbox()];
  mailbox.reply({ status: 500 });
  const have = async ({ attempts }: Refused, wanted: number) => {
    const count = () => attempts().length;
    await context.wait(
      [mailbox],
      () => count() >= Math.min(wanted, 1) || undefined,
      context.webhookWait * shareOfPrompt,
    );
    for (let days = 0; days < mostDays && count() < wanted; days += 1) await passDay(context, merchant, mailbox, count);
    if (count() >= wanted) return;
    throw new Inconclusive(`an event was sent ${count()} times, and an earlier one ${wanted} times or more`);
  };
  const first = await endRefused(context, kind, merchant, mailbox);
  await letGiveUp(context, merchant, mailbox);
  const most = first.attempts().length;
  if (most < fewestAttempts)
    throw new PermittedChoice(`an event is sent ${most} times here (open point webhook-retry)`);
  const older = await endRefused(context, kind, merchant, mailbox);
  await have(older, Math.floor(most / 2));
  const younger = await endRefused(context, kind, merchant, mailbox);
  await have(younger, 1);
  await have(older, most);
  // An attempt that was under way when the older one was given up tells nothing.
  await passDay(context, merchant, mailbox, () => younger.attempts().length);
  const seen = younger.attempts();
  if (seen.length >= most - 1)
    throw new PermittedChoice('the younger event was sent as often as the older one meanwhile');
  await expectWebhook(
    context,
    younger.subject,
    () => younger.attempts().length > seen.length,
    `another attempt at a webhook of ${kind.noun} that is ${kind.endings[0]}, which was answered with HTTP 500 ${seen.length} times, at an address where an older one was given up after ${most} attempts`,
    kind.retry,
  );
}

/** Fails when an end is not announced, or not sent again, because the move to PROCESSING of the same thing was sent in vain until that was given up. */
async function expectOwnSentOn(context: CheckContext, kind: Kind): Promise<void> {
  const [merchant, mailbox] = [await context.ownMerchant(), await context.mailbox()];
  mailbox.reply({ status: 500 });
  const subject = await kind.make(context, mailbox, merchant, 'SUCCEEDED');
  if (!(await whereReached(subject.begin().then(() => true)))) throw new PermittedChoice('PROCESSING is skipped here');
  await letGiveUp(context, merchant, mailbox);
  const attempts = mailbox.webhooks.length;
  if (attempts === 0) throw new PermittedChoice(`the move of ${kind.noun} to PROCESSING is not announced here`);
  // A payment may time out meanwhile.
  if (!(await whereReached(subject.end('PROCESSING').then(() => true)))) {
    throw new PermittedChoice(`${kind.noun} does not stay in PROCESSING for days here`);
  }
  const announces = announcesEnding(subject);
  const before = `after its move to PROCESSING was sent ${attempts} times in vain`;
  const what = `of ${kind.noun} that is ${subject.ending}, ${before}`;
  const webhook = await expectWebhook(context, subject, announces, `a webhook ${what}`, kind.announced.SUCCEEDED);
  await expectWebhook(
    context,
    subject,
    (each) => each !== webhook && announces(each),
    `another attempt at a webhook ${what}, which was answered with HTTP 500 once`,
    kind.retry,
  );
}

/** Of a refund, no event but that of its result is asked for. */
const kindsWithMoves = kinds.filter(({ area }) => area !== 'refunds');

const ownChecks: readonly CheckDeclaration[] = kindsWithMoves.map((kind) => ({
  id: `${retryPrefix(kind)}.own-given-up`,
  title: `An end is announced, and again where it is not taken, when the move to PROCESSING before it was given up: ${kind.noun}`,
  calls: [kind.area],
  requirements: [kind.retry, kind.announced.SUCCEEDED],
  needs: [...kind.needs, 'clock'],
  long: true,
  run: (context) => expectOwnSentOn(context, kind),
}));

const youngerChecks: readonly CheckDeclaration[] = kinds.map((kind) => ({
  id: `${retryPrefix(kind)}.beside-given-up`,
  title: `An event that is not taken is sent on when an older one was given up at the same address: ${kind.noun}`,
  calls: [kind.area],
  requirements: [kind.retry],
  needs: [...kind.needs, 'clock'],
  long: true,
  run: (context) => expectYoungerSentOn(context, kind),
}));

const laterChecks: readonly CheckDeclaration[] = kinds.map((kind) => ({
  id: `${idPrefix(kind)}.after-given-up`,
  title: `An end is announced, and again where it is not taken, when others of its merchant were sent in vain until they were given up, and ends of other kinds are announced too: ${kind.noun}`,
  calls: [kind.area],
  mayCall: kinds.filter((each) => each !== kind).map(({ area }) => area),
  requirements: [...new Set([...[kind, ...kinds].map(({ announced, endings }) => announced[endings[0]]), kind.retry])],
  needs: [...kind.needs, 'clock'],
  long: true,
  run: (context) => expectAfterGivenUp(context, kind),
}));

/** For each kind: events that were given up keep their merchant from no other event. */
export const webhooksGivenUpChecks: readonly CheckDeclaration[] = [...laterChecks, ...youngerChecks, ...ownChecks];
