import type { RequirementId } from '../../../generated/catalogue.ts';
import { ordinaryExpiry, type Product, passSoon, unlessUnexpired } from '../../arrange/orders/any-order.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { bringRefundTo, makeRefund } from '../../arrange/refunds/refunds.ts';
import { ifTaken, sideBySide } from '../../arrange/situations/situations.ts';
import { announcesEnding, idPrefix, type Kind, kinds, type Subject, tellingIds } from '../../arrange/webhooks/kinds.ts';
import {
  announcesExpiry,
  awaitNews,
  awaitWebhook,
  expectWebhook,
  mayBeAbout,
  mentionsStatus,
  missed,
  type Party,
  shareBeforeRetry,
  shareOfPrompt,
} from '../../arrange/webhooks/waiting.ts';
import { makeNotifiedOrder } from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { countJudged } from '../../check/expect.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import type { Mailbox, Webhook } from '../../wire/mailbox.ts';

/** How many of a merchant name the same address, as all orders of most shops do. One of another merchant does too, as where a shop has several. */
const sharers = 3;

/** The requirement that what happens is announced at the address that was named for it. */
const addressed = ({ name }: Kind): RequirementId =>
  name === 'refund' ? 'webhooks.refund.notify-url' : 'webhooks.order.post';

/** Something that is to end, what it is then, and how that must be announced. */
interface Awaited extends Pick<Subject, 'merchant' | 'mailbox' | 'ids' | 'query'> {
  words: string;
  announces(webhook: Webhook): boolean;
  requirement: RequirementId;
}

/** Makes several that name one address, all of one merchant but the last. */
async function makeSharers<Made>(
  context: CheckContext,
  make: (mailbox: Mailbox, merchant: Credentials) => Promise<Made>,
) {
  const [merchant, other] = [await context.ownMerchant(), await context.ownMerchant()];
  const mailbox = await context.mailbox();
  const made: Made[] = [];
  for (let count = 0; count < sharers; count += 1) made.push(await make(mailbox, merchant));
  return { merchants: [merchant, other], made: [...made, await make(mailbox, other)] };
}

/** Lets all of them end, and fails unless each is announced at the address that they share. */
async function expectEach(
  context: CheckContext,
  kind: Kind,
  subjects: readonly Awaited[],
  end: () => Promise<unknown>,
): Promise<void> {
  const ids = await Promise.all(subjects.map((subject) => tellingIds(subject, kind)));
  await end();
  for (const [index, subject] of subjects.entries()) {
    const isAboutIt = mayBeAbout(ids[index] ?? [], ids.flat());
    await expectWebhook(
      context,
      subject,
      (webhook) => subject.announces(webhook) && isAboutIt(webhook),
      `a webhook of ${ids[index]?.[0]}, ${kind.noun} that is ${subject.words} like ${sharers} others that name the same address, ${index === sharers ? 'all of another merchant' : 'one of another merchant'}`,
      subject.requirement,
    );
  }
}

/** The same for one of the endings of a kind: the first is brought about for one after the other, and every other one for all at once. */
async function expectEachEnding(context: CheckContext, kind: Kind, ending: Kind['endings'][number]): Promise<void> {
  const { made } = await makeSharers(context, (mailbox, merchant) => kind.make(context, mailbox, merchant, ending));
  const requirement = addressed(kind);
  const subjects = made.map((subject) => ({
    ...subject,
    words: ending,
    announces: announcesEnding(subject),
    requirement,
  }));
  await expectEach(context, kind, subjects, async () => {
    if (ending !== kind.endings[0]) await sideBySide(made.map((subject) => subject.end()));
    else for (const subject of made) await subject.end();
  });
}

/** The same for orders whose time is over at once. */
async function expectEachExpiry(context: CheckContext, kind: Kind, product: Product): Promise<void> {
  const { merchants, made } = await makeSharers(context, (mailbox, merchant) =>
    makeNotifiedOrder(context, product, mailbox, { merchant, lifetime: 'short' }),
  );
  const subjects = made.map((order) => ({
    ...order,
    words: 'over without a payment',
    announces: announcesExpiry,
    requirement: 'webhooks.order.expired' as const,
  }));
  const pass = () => sideBySide(merchants.map((merchant) => passSoon(context, merchant)));
  await unlessUnexpired(made, () => expectEach(context, kind, subjects, pass));
}

/** How many events are not taken at an address before one is. */
const failures = 12;

/** How many attempts at them fail in all, where there are so many: more than careful senders count before they leave a receiver alone. */
const failedAttempts = 3 * failures;

/**
 * Fails when something is not announced at an address that has long taken no webhook, though it takes them again, or when it is not sent again
 * after its first attempt has failed. A sender may leave the address alone for a while.
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
  const last = await make();
  const ids = await sideBySide([...refused, last].map((subject) => tellingIds(subject, kind)));
  const [isAboutIt, announces] = [mayBeAbout(ids.at(-1) ?? [], ids.flat()), announcesEnding(last)];
  // The first attempt at the last one is not taken either; all others are taken from now on.
  mailbox.reply({ status: 500 }, (webhook) => announces(webhook) && isAboutIt(webhook));
  await last.end();
  const others = `at an address where ${mailbox.webhooks.length} others were answered with HTTP 500 before`;
  const isIt = (webhook: Webhook) => announces(webhook) && isAboutIt(webhook);
  const webhook = await expectWebhook(context, last, isIt, `a webhook of ${kind.noun} that is ${ending}, ${others}`);
  // Attempts at other events there do not count as attempts at this one.
  await expectWebhook(
    context,
    last,
    (each) => each !== webhook && isIt(each),
    `another attempt at a webhook of ${kind.noun} that is ${ending}, which was answered with HTTP 500 too, ${others}`,
    kind.retry,
  );
}

/** An address under a name that never exists: its domain is reserved for that. */
const unknownHost = 'https://nowhere.invalid/webhooks';

/** By how much later than the others the one expires whose address is right, in seconds. */
const later = 5;

/** How long a connection takes to fail, in seconds. */
const secondsToFail = 0.5;

/**
 * Fails when what is done for a merchant ends with something whose webhook cannot be delivered: another order of its merchant that expires later,
 * and something that comes to its end later, must be announced all the same. `dead`: the addresses, which a target may refuse to take.
 */
async function expectBesideDead(context: CheckContext, kind: Kind, dead: readonly Mailbox[]): Promise<void> {
  const { area, noun, announced } = kind;
  const [merchant, mailbox] = [await context.ownMerchant(), await context.mailbox()];
  const expect = async (
    subject: Party,
    fits: (webhook: Webhook) => boolean,
    ends: string,
    requirement: RequirementId,
  ) => {
    const webhook = await awaitWebhook(context, subject, fits);
    if (webhook) return countJudged(webhook);
    if (dead.some((each) => each.unanswered() > 0)) {
      throw new Inconclusive('the sender still waits for a receiver that does not answer, and may be kept from others');
    }
    const what = `a webhook of ${noun} that ${ends}, after others of its merchant at addresses where none is taken (${dead.map(({ url }) => url).join(', ')})`;
    throw missed(context, subject, fits, what, requirement);
  };

  if ((area === 'orders' || area === 'checkout') && context.has('clock')) {
    for (const each of dead) await ifTaken(makeNotifiedOrder(context, area, each, { merchant, lifetime: 'short' }));
    const expiresAt = new Date(Date.parse(ordinaryExpiry(context)) + later * 1000).toISOString();
    const order = await makeNotifiedOrder(context, area, mailbox, { merchant, expiresAt });
    await passSoon(context, merchant);
    await unlessUnexpired([order], () => expect(order, announcesExpiry, 'expires unpaid', 'webhooks.order.expired'));
  }

  const [ending] = kind.endings;
  for (const each of dead) {
    const subject = await ifTaken(kind.make(context, each, merchant, ending));
    await ifTaken(subject?.end() ?? Promise.resolve());
  }
  const last = await kind.make(context, await context.mailbox(), merchant, ending);
  // What fails has failed by then.
  await context.pause(secondsToFail * 1000);
  await context.wait(dead, () => dead.every((each) => each.unanswered() === 0) || undefined, context.webhookWait);
  await last.end();
  await expect(last, announcesEnding(last), `is ${ending}`, announced[ending]);
}

/** Addresses at which webhooks cannot be delivered, by the merchants that have named them. */
async function deadAddresses(context: CheckContext): Promise<readonly (readonly Mailbox[])[]> {
  const [unknown, silent] = [await context.mailbox(), await context.mailbox()];
  silent.reply('no-answer');
  // There is none where the target reaches one address of this machine alone.
  const closed = await ifTaken(context.closedMailbox());
  return [[{ ...unknown, url: unknownHost }, ...(closed ? [closed] : [])], [silent]];
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
  const { area } = kind;
  const about = {
    calls: [area],
    requirements: [addressed(kind)],
    needs: kind.needs,
  } as const;
  const isOfOrders = area === 'orders' || area === 'checkout';
  return [
    {
      ...about,
      id: `${idPrefix(kind)}.shared-address`,
      title: `Of several that name the same address and end alike, one of another merchant, each is announced there: ${kind.noun}`,
      requirements: [...about.requirements, ...(isOfOrders ? (['webhooks.order.expired'] as const) : [])],
      async run(context) {
        await sideBySide([
          ...kind.endings.map((ending) => expectEachEnding(context, kind, ending)),
          ...(isOfOrders && context.has('clock') ? [expectEachExpiry(context, kind, area)] : []),
        ]);
      },
    },
    {
      ...about,
      id: `${idPrefix(kind)}.address-that-failed`,
      title: `An end is announced at an address that has long taken no webhook of many others, and again where it is not taken: ${kind.noun}`,
      requirements: [...about.requirements, kind.retry],
      long: true,
      run: (context) => expectAfterFailures(context, kind),
    },
    {
      ...about,
      id: `${idPrefix(kind)}.address-that-leads-nowhere`,
      title: `Addresses whose host is unknown, refuses connections or does not answer stop nothing else of their merchant: ${kind.noun}`,
      requirements: [
        ...new Set([kind.announced[kind.endings[0]], ...(isOfOrders ? (['webhooks.order.expired'] as const) : [])]),
      ],
      long: true,
      async run(context) {
        const addresses = await deadAddresses(context);
        await sideBySide(addresses.map((dead) => expectBesideDead(context, kind, dead)));
      },
    },
  ];
}
