import { bringOrderTo } from '../../arrange/orders/any-order.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { bringRefundTo, makeRefund } from '../../arrange/refunds/refunds.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import {
  announcesEnding,
  type Kind,
  kinds,
  needEnding,
  retryPrefix,
  type Subject,
} from '../../arrange/webhooks/kinds.ts';
import { attemptsOf, expectRepeated } from '../../arrange/webhooks/repeated.ts';
import {
  awaitNews,
  expectWebhook,
  mentionsStatus,
  needWebhook,
  shareBeforeRetry,
} from '../../arrange/webhooks/waiting.ts';
import { makeNotifiedOrder } from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { countJudged } from '../../check/expect.ts';
import { Inconclusive, PermittedChoice } from '../../errors/outcomes.ts';
import type { Mailbox, Reply } from '../../wire/mailbox.ts';

/** Replies of a receiver that do not acknowledge a webhook. */
interface RetryClass {
  /** The last word of ids. */
  name: string;
  what: string;
  /** Each is given to a webhook of its own. A redirect leads to `elsewhere`. */
  replies(elsewhere: Mailbox): readonly Reply[];
}

const statuses =
  (...all: number[]): (() => Reply[]) =>
  () =>
    all.map((status) => ({ status }));

/** A page that tells of a failure in more bytes than a sender may want to read, of which each line is another one. */
const longPage = Array.from({ length: 6000 }, (_, line) => `<p>Line ${line} of a page about a failure.</p>\n`).join('');

const classes: readonly RetryClass[] = [
  {
    name: 'status-500',
    what: 'a status of the 500s',
    // What an answer says beside its status is no acknowledgement.
    replies: () => [
      ...statuses(500, 503, 502, 504, 501, 505)(),
      { status: 500, body: 'OK {"code":"00000","success":true}' },
    ],
  },
  {
    name: 'status-400',
    what: 'a status of the 400s',
    replies: statuses(404, 400, 410, 401, 429, 403, 409, 422, 405, 408),
  },
  { name: 'status-204', what: 'a status of the 200s that is not 200', replies: statuses(202, 204, 201, 206, 203) },
  {
    name: 'redirect',
    what: 'a redirect',
    replies: ({ url }) => [
      ...[302, 307, 301, 308].map((status) => ({ status, headers: { Location: url } })),
      // One that leads nowhere.
      { status: 304 },
    ],
  },
  { name: 'closed-connection', what: 'a closed connection', replies: () => ['close'] },
  { name: 'no-answer', what: 'no answer', replies: () => ['no-answer'] },
  {
    name: 'unread-body',
    what: 'a failure whose body is long, ends too early or never, or is not what its headers say',
    replies: () => [
      { status: 500, body: longPage },
      { status: 502, body: '<html>', ends: 'early' },
      { status: 503, body: '<html>', ends: 'never' },
      { status: 502, body: '<html>Bad Gateway</html>', headers: { 'Content-Encoding': 'gzip' } },
    ],
  },
  {
    name: 'retry-after',
    what: 'a failure whose Retry-After is a time, a number of seconds or neither',
    replies: () =>
      // A time that has passed asks for no wait: how long a sender may wait because of it is not said.
      ['Wed, 21 Oct 2015 07:28:00 GMT', '1', '0.5', '-1', '', 'soon'].map((value, index) => ({
        status: index % 2 === 0 ? 503 : 429,
        headers: { 'Retry-After': value },
      })),
  },
];

/** A reply, and the ending whose announcement it is given to. */
interface Refused {
  reply: Reply;
  ending: Subject['ending'];
}

/**
 * What is not acknowledged of a kind. The first class is judged at every ending, and the endings take turns at the other classes, so that
 * each is seen with several of them.
 */
function refusedOf({ endings }: Kind, replies: readonly Reply[], position: number): readonly Refused[] {
  const [first = 'close'] = replies;
  const count = position === 0 ? Math.max(endings.length, replies.length) : replies.length;
  return Array.from({ length: count }, (_, turn) => ({
    reply: replies[turn % replies.length] ?? first,
    ending: endings[(position + turn) % endings.length] ?? endings[0],
  }));
}

/** A query that makes an address longer than a queue of attempts may keep. */
const longQuery = `?shop=7&cart=${'0123456789'.repeat(100)}`;

/** Subjects of one merchant whose endings were announced and not acknowledged, each with the reply that its receiver gave. */
async function makeUnacknowledged(context: CheckContext, kind: Kind, refused: readonly Refused[]) {
  // The merchant's own address and the query in the mailboxes' tell whether further attempts go where the first one went.
  const merchant = await context.ownMerchant({ defaultNotifyUrl: (await context.mailbox()).url });
  // All of them are made before the first wait, because a wait moves their merchant's clock.
  const made = await sideBySide(
    refused.map(async ({ reply, ending }, turn) => {
      const mailbox = await context.mailbox(turn % 2 === 0 ? '?shop=7' : longQuery);
      mailbox.reply(reply, announcesEnding({ ending }));
      return { reply, subject: await kind.make(context, mailbox, merchant, ending) };
    }),
  );
  await sideBySide(made.map(({ subject }) => subject.end()));
  await sideBySide(made.map(({ subject }) => needEnding(context, subject, kind)));
  // Who has heard of the ending by a query has not acknowledged its webhook. The others are not asked for: a query may be what sends again.
  await sideBySide(made.filter((_, index) => index % 2 === 1).map(({ subject }) => subject.query()));
  return made;
}

const classChecks: readonly CheckDeclaration[] = kinds.flatMap((kind) =>
  classes.map(
    ({ name, what, replies }, position): CheckDeclaration => ({
      id: `${retryPrefix(kind)}.${name}`,
      title: `An event of ${kind.noun} that is answered with ${what} is sent again`,
      calls: [kind.area],
      requirements: [kind.retry],
      needs: kind.needs,
      long: true,
      async run(context) {
        const elsewhere = await context.mailbox();
        // A sender that follows redirects finds no acknowledgement there either.
        elsewhere.reply({ status: 500 });
        const made = await makeUnacknowledged(context, kind, refusedOf(kind, replies(elsewhere), position));
        await expectRepeated(context, made, kind.retry);
      },
    }),
  ),
);

/** A failure to every sender. */
const failure: Reply = { status: 500 };

/** What second attempts are answered with: no sender may take one of these for an acknowledgement, at whichever attempt. */
const secondReplies = (elsewhere: Mailbox): readonly Reply[] => [
  ...statuses(202, 404)(),
  { status: 302, headers: { Location: elsewhere.url } },
  'close',
  'no-answer',
];

/** Lets events of hosted orders fail twice, and fails where a third attempt follows a failure only, and not the other answers. */
async function expectThirdAttempts(context: CheckContext): Promise<void> {
  const [hosted] = kinds;
  if (!hosted) return;
  const elsewhere = await context.mailbox();
  elsewhere.reply(failure);
  const replies = [failure, ...secondReplies(elsewhere)];
  const [ending] = hosted.endings;
  const refused = replies.map((): Refused => ({ reply: failure, ending }));
  const made = await makeUnacknowledged(context, hosted, refused);
  const twice = made.map(({ subject }, index) => ({ subject, reply: replies[index] ?? failure }));
  for (const { subject, reply } of twice) subject.mailbox.reply(reply, announcesEnding(subject));
  const [usual, ...others] = twice;
  if (!usual) return;
  const { merchant } = usual.subject;
  const have = (attempts: number, of: typeof twice) => () =>
    of.every(({ subject }) => attemptsOf(subject).length >= attempts) || undefined;
  const mailboxes = twice.map(({ subject }) => subject.mailbox);
  const second = await awaitNews(context, merchant, mailboxes, have(2, twice), shareBeforeRetry);
  if (!second) throw new Inconclusive('not every event was sent again after HTTP 500, which other checks judge');
  const third = await awaitNews(context, merchant, mailboxes, have(3, [usual]), shareBeforeRetry);
  if (!third) throw new PermittedChoice('no third attempt is made here: how many there are is open (webhook-retry)');
  await expectRepeated(context, others, hosted.retry, 2);
}

/** Fails where the event of a paid order or that of its refund is not sent again, since both wait for another attempt. */
async function expectBothRepeated(context: CheckContext): Promise<void> {
  const [merchant, ofOrder, ofRefund] = [await context.ownMerchant(), await context.mailbox(), await context.mailbox()];
  const ending = 'SUCCEEDED';
  const announces = mentionsStatus(ending);
  for (const mailbox of [ofOrder, ofRefund]) mailbox.reply(failure, announces);
  const order = await makePaidOrder(context, merchant, { callbackUrl: ofOrder.url });
  await needWebhook(
    context,
    { merchant, mailbox: ofOrder },
    announces,
    'a webhook of a paid order',
    'webhooks.order.paid',
  );
  const refund = await makeRefund(context, merchant, { order, notifyUrl: ofRefund.url });
  await bringRefundTo(context, refund, ending);
  await needWebhook(
    context,
    { merchant, mailbox: ofRefund },
    announces,
    'a webhook of a refund that has succeeded',
    'webhooks.refund.notify-url',
  );
  const about = { merchant, ending };
  const words = 'whose refund was announced meanwhile';
  await expectRepeated(context, [{ reply: failure, subject: { ...about, mailbox: ofOrder, words } }], 'webhooks.retry');
  await expectRepeated(
    context,
    [{ reply: failure, subject: { ...about, mailbox: ofRefund } }],
    'webhooks.refund.retry',
  );
}

export const webhooksRetriesChecks: readonly CheckDeclaration[] = [
  ...classChecks,
  {
    id: 'webhooks.retry.second-attempt',
    title: 'An event whose second attempt is not answered with HTTP 200 is sent again, where there are third attempts',
    calls: ['orders'],
    requirements: ['webhooks.retry'],
    needs: ['order-events', 'clock'],
    long: true,
    run: expectThirdAttempts,
  },
  {
    id: 'webhooks.refund.retry.beside-its-order',
    title: 'The events of a paid order and of its refund are both sent again where neither was taken',
    calls: ['refunds'],
    requirements: ['webhooks.retry', 'webhooks.refund.retry'],
    needs: ['order-events', 'refund-events', 'clock'],
    long: true,
    run: expectBothRepeated,
  },
  {
    id: 'webhooks.retry.refused-connection',
    title: 'An event whose receiver cannot be reached is sent again',
    calls: ['orders'],
    requirements: ['webhooks.retry'],
    needs: ['order-events', 'clock'],
    long: true,
    async run(context) {
      const mailbox = await context.closedMailbox();
      const order = await makeNotifiedOrder(context, 'orders', mailbox);
      await bringOrderTo(context, order, 'CLOSED');
      // Only an attempt that is seen to fail asks for another one. A receiver that nobody asks is not known to be away.
      const isAttempted = async () => {
        if (await mailbox.attempted(context.webhookWait / 2)) return true;
        // A first attempt may wait for business time to pass.
        await context.advanceClock(order.merchant, 3600);
        return mailbox.attempted(context.webhookWait);
      };
      if (!(await isAttempted())) {
        throw new Inconclusive(`no connection came to ${mailbox.url}, though an hour of business time has passed`);
      }
      mailbox.open();
      // Any further attempt will do: it may have come before the receiver was there again.
      if (mailbox.attempts() > 1) return countJudged(context.transport);
      await expectWebhook(context, order, () => true, 'the event, once its receiver can be reached');
    },
  },
];
