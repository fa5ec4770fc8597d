import { ifTaken, sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import { bringAboutAndHear } from '../../arrange/webhooks/causes.ts';
import {
  announcesEnding,
  type Kind,
  kinds,
  makeRefundByDefault,
  needEnding,
  olderPrefix,
  retryPrefix,
  type Subject,
  tellingIds,
} from '../../arrange/webhooks/kinds.ts';
import {
  awaitNews,
  awaitShortly,
  day,
  mayBeAbout,
  namesOneOf,
  shareBeforeRetry,
  shareOfPrompt,
} from '../../arrange/webhooks/waiting.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat } from '../../check/expect.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import type { Mailbox, Webhook } from '../../wire/mailbox.ts';
import {
  knownSchemes,
  signatureHeaders,
  verifyingSchemes,
  type WebhookScheme,
  webhookMistake,
} from '../../wire/signing/webhook-signature.ts';

/** What is known of the sender of a webhook. */
interface Sender {
  /** The schemes that verify another webhook of it: a receiver looks at either. */
  schemes?: readonly WebhookScheme[];
  /** Another merchant that has named the same address. */
  sharer?: Credentials;
}

/**
 * Fails unless a webhook carries a signature that a known scheme verifies, and one of each scheme that verifies another one of the same
 * sender. Records which schemes they are.
 */
function expectSigned(context: CheckContext, webhook: Webhook, merchant: Credentials, sender: Sender = {}): void {
  const carriers = signatureHeaders(webhook);
  const schemes = verifyingSchemes(webhook, merchant.apiSecret);
  const value = schemes.includes('prefixed') ? 'prefixed' : schemes.length > 1 ? 'both' : (schemes[0] ?? null);
  const verified = schemes.length > 0 ? schemes.join(' and ') : 'none of the known schemes';
  context.observe(
    'webhook-signature',
    `${carriers.join(', ') || 'no header'}; verified by ${verified}`,
    value,
    schemes,
  );
  expectThat(carriers.length > 0, webhook, {
    expected: 'a header that could carry a signature',
    actual: `headers: ${Object.keys(webhook.headers).join(', ')}`,
  });
  const lost = (sender.schemes ?? []).filter((each) => !schemes.includes(each));
  if (schemes.length > 0 && lost.length === 0) return;
  const isOfSharer = sender.sharer && verifyingSchemes(webhook, sender.sharer.apiSecret).length > schemes.length;
  const mistake = isOfSharer
    ? 'it is signed with the secret of another merchant that has named the same address'
    : webhookMistake(webhook, merchant);
  const why = mistake === undefined ? '' : `: ${mistake}`;
  const all = [...schemes, ...lost].join(' and ');
  expectThat(false, webhook, {
    expected:
      schemes.length > 0
        ? `a signature of each scheme that verifies another webhook of this sender: ${all}`
        : `a signature that ${knownSchemes} verifies with the merchant's secret`,
    actual:
      schemes.length > 0
        ? `verified by ${verified} alone${why}`
        : `none of them verifies ${carriers.join(', ')}${lost.length > 0 ? `, though ${lost.join(' and ')} verified that of another webhook of this sender` : ''}${why}`,
  });
}

/** How far the time of a signature may be from real time, in milliseconds: more than a receiver allows, who judges it as the age of a request. */
const farthestTime = 600_000;

/** Longer than a test moves a clock for a webhook, in milliseconds. */
const years = 20 * 365 * 86_400_000;

/** The headers that say when a webhook was signed, with the milliseconds of their unit. */
const signingTimes = [
  ['X-Timestamp', 1],
  ['webhook-timestamp', 1000],
] as const;

/** Fails when a webhook was signed by a clock that a test has moved, which its receiver does not have. */
function expectRealTime(context: CheckContext, webhook: Webhook): void {
  const now = context.now();
  for (const [name, unit] of signingTimes) {
    const signedAt = Number(webhook.headers[name.toLowerCase()]) * unit;
    // What is no time in this unit is none of a moved clock.
    if (!(Math.abs(signedAt - now) < years)) continue;
    expectThat(Math.abs(signedAt - now) <= farthestTime, webhook, {
      expected: `${name} = the real time of the attempt, by which its receiver judges its age`,
      actual: `${name} = ${webhook.headers[name.toLowerCase()]}, which is ${new Date(signedAt).toISOString()}; it came at ${new Date(now).toISOString()}`,
    });
  }
}

/**
 * Letters of Latin-1 alone, and beside others of another script and beyond the basic plane, which a target may refuse (open point `field-forms`).
 * A sender that counts or signs characters where others see bytes, or that writes Latin-1 where that is enough, is right without them.
 */
const textsBeyondAscii = ['{"note":"Grüße"}', '{"note":"Grüße 日本語 😀"}'] as const;

/** The query of an address. A sender that signs a webhook as a request signs the path alone, as of every POST. */
const unsignedQuery = '?shop=7&path=%2Fhooks';

/**
 * Addresses whose path a sender may sign otherwise than it calls it: with escapes, which a path that was read has no longer, with a fragment,
 * and without a path, which is called at the root.
 */
const addressesToSign: readonly ((context: CheckContext) => Promise<Mailbox>)[] = [
  (context) => context.mailbox(unsignedQuery, 'unusual'),
  (context) => context.mailbox(undefined, 'escaped'),
  (context) => context.mailbox(`${unsignedQuery}#part`),
  (context) => context.bareMailbox(),
  (context) => context.bareMailbox(unsignedQuery),
];

async function endByDefault(
  context: CheckContext,
  ...[mailbox, merchant, ending]: [Mailbox, Credentials, Kind['endings'][number]]
): Promise<Subject> {
  const subject = await makeRefundByDefault(context, mailbox, merchant, ending);
  await subject.end();
  return subject;
}

/**
 * Fails unless the webhook of what ends at the address of `beside`, which another merchant has named, is signed with its own merchant's secret.
 * One that names no id of what it tells of is not judged, because it cannot be told whose it is.
 */
async function expectSignedBeside(
  context: CheckContext,
  kind: Kind,
  beside: Subject,
  schemes: readonly WebhookScheme[],
  ended: Promise<Subject>,
): Promise<void> {
  const { mailbox } = beside;
  const before = new Set(mailbox.webhooks);
  const subject = await ifTaken(ended);
  if (!subject) return;
  const ids = await tellingIds(subject, kind);
  const isAboutIt = mayBeAbout(ids, [...ids, ...(await tellingIds(beside, kind))]);
  const fits = (webhook: Webhook) => !before.has(webhook) && announcesEnding(subject)(webhook) && isAboutIt(webhook);
  await awaitShortly(context, subject, fits, `a webhook of ${kind.noun} at the address of another merchant's`);
  for (const webhook of mailbox.webhooks.filter((each) => namesOneOf(each, ids))) {
    expectSigned(context, webhook, subject.merchant, { schemes, sharer: beside.merchant });
  }
}

/** The causes that lead to an ending which others lead to as well. The endings of a kind are brought about by the others. */
const causesBesideEndings = ['timed-out', 'error', 'expired'] as const;

const signed = (kind: Kind): CheckDeclaration => ({
  id: `${olderPrefix(kind)}.signed`,
  title: `Every event of ${kind.noun} carries a signature, however and for whatever cause ${kind.noun} ends, at whatever address`,
  calls: [kind.area],
  requirements: ['webhooks.signed'],
  openPoint: 'webhook-signature',
  needs: kind.needs,
  async run(context) {
    const byDefault = await context.mailbox();
    const settings = { defaultNotifyUrl: byDefault.url };
    const merchant = await context.ownMerchant(settings);
    const end = async (
      each: Kind['endings'][number],
      mailbox: Promise<Mailbox>,
      { owner = merchant, ownText }: { owner?: Credentials; ownText?: string } = {},
    ) => {
      const subject = await kind.make(context, await mailbox, owner, each, ownText);
      await subject.end();
      return subject;
    };
    const [ending] = kind.endings;
    /** One that may be refused, or whose webhook may not come: other checks judge both. */
    const heard = async (ended: Promise<Subject>) => {
      const subject = await ifTaken(ended);
      if (subject) await ifTaken(needEnding(context, subject, kind));
      return subject;
    };
    const made = await sideBySide([
      ...kind.endings.map((each) => end(each, context.mailbox())),
      end(ending, context.mailbox(unsignedQuery)),
      ...textsBeyondAscii.map((text) => ifTaken(end(ending, context.mailbox(), { ownText: text }))),
    ]);
    const usual = made.filter((subject) => subject !== undefined);
    await sideBySide(usual.map((subject) => needEnding(context, subject, kind)));
    const endsByDefault = kind.area === 'refunds' && context.has('own-merchant');
    const [ofDefault, ...unusual] = await sideBySide([
      endsByDefault ? heard(endByDefault(context, byDefault, merchant, ending)) : Promise.resolve(undefined),
      ...addressesToSign.map((mailbox) => heard(end(ending, mailbox(context)))),
    ]);
    const webhooks = [...usual, ofDefault, ...unusual].flatMap((subject) => subject?.mailbox.webhooks ?? []);
    const schemes = [...new Set(webhooks.flatMap((each) => verifyingSchemes(each, merchant.apiSecret)))];
    for (const webhook of webhooks) expectSigned(context, webhook, merchant, { schemes });
    const [shared] = usual;
    if (shared && context.has('own-merchant')) {
      // The first ones have come, so that what a sender keeps for an address is the first merchant's.
      const other = await context.ownMerchant(settings);
      const besideOf = (beside: Subject, ended: Promise<Subject>) =>
        expectSignedBeside(context, kind, beside, schemes, ended);
      await sideBySide([
        besideOf(shared, end(ending, Promise.resolve(shared.mailbox), { owner: other })),
        ...(ofDefault ? [besideOf(ofDefault, endByDefault(context, byDefault, other, ending))] : []),
      ]);
    }
    const { area } = kind;
    if (area !== 'orders' && area !== 'checkout') return;
    const orders = await sideBySide(causesBesideEndings.map((cause) => bringAboutAndHear(context, area, cause)));
    for (const order of orders) {
      for (const webhook of order?.mailbox.webhooks ?? []) expectSigned(context, webhook, order?.merchant ?? merchant);
    }
  },
});

/** An hour, in seconds. */
const hour = 3600;

/** Longer than a clock shows one second, in milliseconds. */
const secondOfClock = 1100;

/**
 * Brings something to its end while the event of its first change waits to be sent again. Fails unless each webhook about it is signed: one that
 * is sent again with the newer status needs a signature of its own. Where no event tells of the first change, nothing is judged.
 */
async function expectSignedOnceMoved(context: CheckContext, kind: Kind): Promise<void> {
  const [merchant, mailbox] = [await context.ownMerchant(), await context.mailbox()];
  mailbox.reply({ status: 500 });
  const subject = await kind.make(context, mailbox, merchant, 'SUCCEEDED');
  if ((await whereReached(ifTaken(subject.begin().then(() => true)))) === undefined) return;
  const first = await mailbox.first(() => true, context.webhookWait * shareOfPrompt);
  if (!first || (await ifTaken(subject.end('PROCESSING').then(() => true))) === undefined) return;
  // The event of PROCESSING and that of the end come twice each. Whether they do is judged elsewhere.
  const attempts = () => mailbox.webhooks.length >= 4 || undefined;
  await awaitNews(context, merchant, [mailbox], attempts, shareBeforeRetry, [hour, day]);
  const schemes = verifyingSchemes(first, merchant.apiSecret);
  for (const webhook of mailbox.webhooks) expectSigned(context, webhook, merchant, { schemes });
}

const signedAgain = (kind: Kind): CheckDeclaration => ({
  id: `${retryPrefix(kind)}.signed`,
  title: `An event of ${kind.noun} that is sent again carries a signature again, made at that moment and over the body that is sent`,
  calls: [kind.area],
  requirements: ['webhooks.signed'],
  openPoint: 'webhook-signature',
  needs: kind.needs,
  waits: secondOfClock / 1000,
  async run(context) {
    const mailbox = await context.mailbox(unsignedQuery, 'unusual');
    const [ending] = kind.endings;
    mailbox.reply({ status: 500 }, announcesEnding({ ending }));
    const merchant = await context.ownMerchant();
    const subject = await kind.make(context, mailbox, merchant, ending);
    await subject.end();
    const first = await needEnding(context, subject, kind);
    // Then the next attempt is made at a time of business that is not the real one.
    if (context.has('clock')) await context.advanceClock(merchant, hour);
    const attempts = () => mailbox.webhooks.filter(announcesEnding(subject));
    // A signature that is kept from the first attempt is right for as long as the clock shows the same second.
    await context.pause(secondOfClock);
    const again = await awaitNews(context, merchant, [mailbox], () => attempts()[1], shareBeforeRetry);
    if (!again) throw new Inconclusive('the event did not come again after HTTP 500');
    expectSigned(context, again, merchant, { schemes: verifyingSchemes(first, merchant.apiSecret) });
    expectRealTime(context, again);
    const [same, id] = [again.text === first.text, first.headers['webhook-id']];
    const ids = id === undefined ? '' : `; webhook-id ${again.headers['webhook-id'] === id ? 'the same' : 'another'}`;
    context.observe('webhook-retry', `the body of the next attempt: ${same ? 'the same' : 'another'}${ids}`);
    await expectSignedOnceMoved(context, kind);
  },
});

export const webhooksSignaturesChecks: readonly CheckDeclaration[] = kinds.flatMap((kind) => [
  signed(kind),
  signedAgain(kind),
]);
