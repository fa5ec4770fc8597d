import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import type { CheckContext } from '../../check/context.ts';
import { countJudged } from '../../check/expect.ts';
import { counted } from '../../contract/counted.ts';
import { readingsOf } from '../../contract/readings.ts';
import { mayAnnounce, statusesIn } from '../../contract/statuses.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Broken, Inconclusive } from '../../errors/outcomes.ts';
import type { Mailbox, Webhook } from '../../wire/mailbox.ts';
import { unpaidStatuses } from '../orders/any-order.ts';

/** Where the webhooks about something must come, and where else they could be sent. */
export interface Party {
  merchant: Credentials;
  mailbox: Mailbox;
  /** Ids by which a webhook that came to one of `others` can be told to be about it. */
  ids?: readonly string[];
  /** Addresses that the merchant has named for something else. */
  others?: readonly Mailbox[];
  /** The requirement that a webhook at one of `others` breaks. */
  address?: RequirementId;
}

/** True when a webhook may announce a status: its body mentions this status, or none at all. */
export function mentionsStatus(status: string): (webhook: Pick<Webhook, 'text'>) => boolean {
  return ({ text }) => mayAnnounce(readingsOf(text).join('\n'), status);
}

/** True when a webhook may announce that an order has ended which nobody has paid. */
export const announcesExpiry = (webhook: Webhook): boolean =>
  unpaidStatuses.some((status) => mentionsStatus(status)(webhook));

/** True when the body of a webhook has one of these ids. */
export function namesOneOf({ text }: Pick<Webhook, 'text'>, ids: readonly string[]): boolean {
  const readings = readingsOf(text);
  return ids.some((id) => readings.some((reading) => reading.includes(id)));
}

/** True for a webhook that may be about the one with these ids: it names that one, or none of `all`. */
export const mayBeAbout = (ids: readonly string[], all: readonly string[]) => (webhook: Pick<Webhook, 'text'>) =>
  namesOneOf(webhook, ids) || !namesOneOf(webhook, all);

/**
 * By how much business time is moved, again and again, when a webhook does not come by itself; in seconds. Each of the days
 * makes another attempt due, so that a webhook lost between busy machines is not taken for one that was never sent.
 */
export const day = 86_400;
/** Moves that bring about what a target does now and then, such as looking for orders that have expired. */
export const upToAnHour: readonly number[] = [60, 3600];
const advances: readonly number[] = [...upToAnHour, day, day, day, day];

/** The end of a message about something that did not come: how far time was moved. */
export const thoughTimePassed = 'though days of business time have passed';

/** The shares of the whole wait that are spent before time is moved by a day, and after it. Where time can be moved, waiting longer gains nothing. */
export const shareBefore = 0.1;
const shareOfDay = 0.25;

/** The share that is spent before time is moved for an attempt that is not due yet: long enough for the target to note that the last one has failed. */
export const shareBeforeRetry = 0.01;

/** The share of the whole wait in which a webhook comes that waits for nothing. */
export const shareOfPrompt = 0.1;

/**
 * Waits until webhooks at these mailboxes let `read` find something; where the driver can, the business time of `merchant` is moved too.
 * `undefined`: it has found nothing. Throws `Inconclusive` when a hindrance may have kept it away.
 */
export async function awaitNews<Found>(
  context: CheckContext,
  merchant: Credentials,
  mailboxes: readonly Mailbox[],
  read: () => Found | undefined,
  share = shareBefore,
  moves = advances,
): Promise<Found | undefined> {
  const movable = context.has('clock');
  const wait = (part: number) => context.wait(mailboxes, read, context.webhookWait * part);
  const hindrance = context.watchForHindrances();
  let found = await wait(movable ? share : 1);
  for (const seconds of movable ? moves : []) {
    if (found !== undefined) break;
    await context.advanceClock(merchant, seconds);
    found = await wait(seconds === day ? shareOfDay : share);
  }
  if (found !== undefined || !movable || !hindrance()) return found;

  // It may only be late, or an attempt may have failed because nobody took it in time: the next one is due a day later.
  const hindranceAgain = context.watchForHindrances();
  await context.advanceClock(merchant, day);
  found = await wait(1);
  const reason = found === undefined && hindranceAgain();
  if (reason) throw new Inconclusive(`the webhook may have been kept away: ${reason}`);
  return found;
}

/** Waits for a webhook that fits; where the driver can, business time is moved too. `undefined`: none has come to its address. */
export async function awaitWebhook(
  context: CheckContext,
  party: Party,
  fits: (webhook: Webhook) => boolean,
): Promise<Webhook | undefined> {
  const { merchant, mailbox, others = [] } = party;
  const arrived = () => mailbox.webhooks.find(fits);
  const news = await awaitNews(
    context,
    merchant,
    [mailbox, ...others],
    () => arrived() ?? strayed(party, fits)?.webhook,
  );
  // A webhook that went astray does not wait for days: the right one may come a little later.
  return news && mailbox.first(fits, context.webhookWait * shareBefore);
}

/**
 * Waits for a webhook that a check needs before it can judge, named in words that are the same for all checks. Throws `Inconclusive` when
 * it does not come: the checks of announcements judge that, by `requirement`. After several waits in vain, the next ones are short.
 */
export async function needWebhook(
  context: CheckContext,
  party: Party,
  fits: (webhook: Webhook) => boolean,
  what: string,
  requirement: RequirementId,
): Promise<Webhook> {
  const webhook = await awaitShortly(context, party, fits, what);
  if (webhook) return webhook;
  // Where no clock can be moved, it may still come.
  throw new Inconclusive(`${what} did not come`, context.has('clock') ? { requirement } : {});
}

/**
 * Waits for a webhook about which nothing is judged here, named in words that are the same for all checks. `undefined`: it does not come.
 * After several waits in vain, the next ones are short.
 */
export function awaitShortly(
  context: CheckContext,
  party: Party,
  fits: (webhook: Webhook) => boolean,
  what: string,
): Promise<Webhook | undefined> {
  return context.events.await(
    what,
    (share) =>
      share === 1 ? awaitWebhook(context, party, fits) : party.mailbox.first(fits, context.webhookWait * share),
    (come) => come !== undefined,
  );
}

/** A webhook that fits and came to another address. */
function strayed({ ids = [], others = [] }: Party, fits: (webhook: Webhook) => boolean) {
  for (const { url, webhooks } of others) {
    const webhook = webhooks.find((each) => fits(each) && namesOneOf(each, ids));
    if (webhook) return { url, webhook };
  }
  return undefined;
}

/** Where else a webhook came that names what was awaited, in words for the end of a message. Empty: nowhere that the run knows of. */
function cameElsewhere({ history }: CheckContext, { mailbox, ids = [] }: Party): string {
  const own = new Set(mailbox.webhooks.map(({ text }) => text));
  for (const record of history.records) {
    if (record.kind !== 'webhook' || record.address === mailbox.url || own.has(record.body.text)) continue;
    const id = ids.find((each) => record.body.text.includes(each));
    if (id !== undefined) return `; a webhook that names ${id} came to ${record.address}`;
  }
  return '';
}

/** How many webhooks came and, where the bodies name any, which statuses they name. */
function said(webhooks: readonly Webhook[]): string {
  const named = webhooks.flatMap(({ text }) => readingsOf(text).flatMap(statusesIn));
  const count = counted(webhooks.length, 'webhook');
  return named.length > 0 ? `${count} (status ${[...new Set(named)].join(', ')})` : count;
}

/**
 * Waits for a webhook that fits, as `awaitWebhook` does. Throws `Broken` when it came to another address, or when none comes although
 * days have passed, and `Inconclusive` when no time could be moved: the contract sets no deadline.
 */
export async function expectWebhook(
  context: CheckContext,
  party: Party,
  fits: (webhook: Webhook) => boolean,
  what: string,
  requirement?: RequirementId,
): Promise<Webhook> {
  const webhook = await awaitWebhook(context, party, fits);
  if (webhook) {
    countJudged(webhook);
    return webhook;
  }
  throw missed(context, party, fits, what, requirement);
}

/** The judgement of a webhook that was awaited in vain, as `expectWebhook` throws it. */
export function missed(
  context: CheckContext,
  party: Party,
  fits: (webhook: Webhook) => boolean,
  what: string,
  requirement?: RequirementId,
): Broken | Inconclusive {
  const { mailbox, address } = party;
  const astray = strayed(party, fits);
  if (astray) {
    const { url } = astray;
    return new Broken(`${what} came to another address`, {
      expected: `${what} at ${mailbox.url}`,
      actual: `it came to ${url}, which was named for something else`,
      exchange: astray.webhook.exchange,
      ...(address && { requirement: address }),
    });
  }
  const came = `${said(mailbox.webhooks)} came to ${mailbox.url}`;
  if (!context.has('clock')) {
    return new Inconclusive(
      `${what} did not come within ${context.webhookWait} ms, and no clock can be moved; ${came}`,
    );
  }
  const exchange = mailbox.webhooks.at(-1)?.exchange;
  const elsewhere = cameElsewhere(context, party);
  return new Broken(`${what} did not come`, {
    expected: what,
    actual: `${came}, ${mailbox.webhooks.length > 0 ? 'the right address, and the awaited one is not among them' : 'the address for it'}, ${thoughTimePassed}${elsewhere}`,
    ...(exchange !== undefined && { exchange }),
    ...(requirement && { requirement }),
  });
}
