import type { RequirementId } from '../../../generated/catalogue.ts';
import { expire } from '../../arrange/orders/any-order.ts';
import { bringRefundTo, makeRefund } from '../../arrange/refunds/refunds.ts';
import { amidRestart, askUntilBack, sendOnce } from '../../arrange/situations/restarts.ts';
import { ifTaken, isFinal, sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import { announcesEnding, type Kind, kinds, needEnding, type Subject } from '../../arrange/webhooks/kinds.ts';
import { announcesExpiry, awaitNews, shareBeforeRetry, thoughTimePassed } from '../../arrange/webhooks/waiting.ts';
import { makeNotifiedOrder } from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { countJudged } from '../../check/expect.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Broken, Inconclusive } from '../../errors/outcomes.ts';
import type { Mailbox } from '../../wire/mailbox.ts';

/** The products whose orders expire. */
const products = [
  { area: 'orders', noun: 'a hosted order' },
  { area: 'checkout', noun: 'a checkout order' },
] as const;

/** How often the target has sent a webhook at most that was not acknowledged, as far as the run has seen. */
function mostAttempts({ records }: CheckContext['history']): number {
  const counts = new Map<string, number>();
  for (const record of records) {
    if (record.kind !== 'webhook' || record.answered === 200) continue;
    const key = `${record.address} ${record.body.text}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}

/** How many times a pause without an attempt is waited for at most. */
const mostPauses = 3;

/**
 * Waits for a pause in which no attempt comes, since the target takes a moment to note that one has failed, and how long one that was cut off or not
 * noted is kept from a second sender is not said. How many webhooks each had got before that pause.
 */
async function awaitNoted(context: CheckContext, subjects: readonly Subject[]): Promise<ReadonlyMap<Subject, number>> {
  const count = () => new Map(subjects.map((subject) => [subject, subject.mailbox.webhooks.length]));
  let noted = count();
  for (let pauses = 1; pauses <= mostPauses; pauses += 1) {
    await context.pause(context.webhookWait * shareBeforeRetry);
    const now = count();
    if (pauses === mostPauses || subjects.every((subject) => now.get(subject) === noted.get(subject))) break;
    noted = now;
  }
  return noted;
}

/** How many webhooks of a kind wait for another attempt when the target ends. */
const waitingOfKind = 2;

/** Things of one merchant that have ended, and whose webhooks were not acknowledged. */
async function makeWaiting(context: CheckContext, merchant: Credentials, kind: Kind) {
  const subjects = Array.from({ length: waitingOfKind }, async () => {
    const mailbox = await context.mailbox();
    const [ending] = kind.endings;
    mailbox.reply({ status: 500 }, announcesEnding({ ending }));
    const subject = await kind.make(context, mailbox, merchant, ending);
    await subject.end();
    await needEnding(context, subject, kind);
    return { kind, subject };
  });
  return Promise.all(subjects);
}

/** Something of a kind that is made when the target ends, and whose webhooks are acknowledged. */
async function makeUnderWay(context: CheckContext, merchant: Credentials, kind: Kind) {
  return { noun: kind.noun, subject: await kind.make(context, await context.mailbox(), merchant, 'SUCCEEDED') };
}

/** The same, of which more has happened then. None where such a thing has come to an end by that: a target may skip PROCESSING. */
async function makeBegun(context: CheckContext, merchant: Credentials, kind: Kind) {
  const { noun, subject } = await makeUnderWay(context, merchant, kind);
  try {
    await whereReached(subject.begin());
  } catch (error) {
    if (error instanceof Inconclusive && isFinal(await subject.query())) return [];
    throw error;
  }
  return [{ noun: `${noun} in PROCESSING`, subject: { ...subject, end: () => subject.end('PROCESSING') } }];
}

/** A refund under way that names no notifyUrl, so that its result goes to the address configured for the merchant. */
async function makeUnaddressed(context: CheckContext, merchant: Credentials, byDefault: Mailbox) {
  const refund = await makeRefund(context, merchant);
  const subject: Subject = {
    merchant,
    mailbox: byDefault,
    ids: [refund.request.merchantRefundOrderId],
    query: refund.query,
    ending: 'SUCCEEDED',
    begin: () => bringRefundTo(context, refund, 'PROCESSING'),
    end: (from) => bringRefundTo(context, refund, 'SUCCEEDED', from),
  };
  return { noun: 'a refund without a notifyUrl', subject };
}

/** A webhook that the target has to send once it was started again. */
interface Due {
  subject: Pick<Subject, 'mailbox' | 'query'>;
  /** What it tells, and why it is due. */
  what: string;
  hasCome(): boolean;
}

/** Whether an order of an area has expired before the restart, and one that nobody pays whose webhook is due then. */
interface Unpaid {
  /** The requirement by which such orders expire. */
  expiry: RequirementId;
  /** Absent: none expires. */
  due?: Due;
}

/**
 * An order that nobody pays, and for which nobody asks before its webhook has come: the question could be what makes it expire. No webhook
 * is under way when the target ends, because how long one that was cut off is kept from a second sender is not said.
 */
async function makeUnasked(
  context: CheckContext,
  merchant: Credentials,
  { area, noun }: (typeof products)[number],
): Promise<Unpaid> {
  const expiry = `${area}.states.expired` as const;
  const expired = await ifTaken(
    makeNotifiedOrder(context, area, await context.mailbox()).then((other) => expire(context, other)),
  );
  if (!expired) return { expiry };
  const subject = await makeNotifiedOrder(context, area, await context.mailbox(), { merchant });
  const due: Due = {
    subject,
    what: `the webhook of ${noun} that was made before the restart and has expired since`,
    hasCome: () => subject.mailbox.webhooks.some(announcesExpiry),
  };
  return { expiry, due };
}

/** The check of the webhooks that wait when the target ends without warning. It runs after all others. */
export const webhooksRestartsChecks: readonly CheckDeclaration[] = [
  {
    id: 'webhooks.restart.due',
    title:
      'A webhook that waits for another attempt, for time to pass, or for an end to be announced, is sent also when the target has ended without warning meanwhile',
    calls: ['orders', 'checkout', 'refunds'],
    requirements: ['general.restart.webhooks'],
    needs: ['own-merchant', 'order-events', 'clock', 'restart'],
    async run(context) {
      const byDefault = await context.mailbox();
      const merchant = await context.ownMerchant({ defaultNotifyUrl: byDefault.url });
      const offered = kinds.filter(({ area, needs }) => [area, ...needs].every((each) => context.has(each)));
      // The wait for their webhooks may move time, and what is under way must not expire meanwhile.
      const waiting = (await Promise.all(offered.map((kind) => makeWaiting(context, merchant, kind)))).flat();
      const [unpaid, underWay] = await Promise.all([
        Promise.all(
          products.filter(({ area }) => context.has(area)).map((product) => makeUnasked(context, merchant, product)),
        ),
        Promise.all([
          ...offered.map((kind) => makeUnderWay(context, merchant, kind)),
          ...offered.map((kind) => makeBegun(context, merchant, kind)),
          ...offered.filter(({ area }) => area === 'refunds').map(() => makeUnaddressed(context, merchant, byDefault)),
        ]).then((each) => each.flat()),
      ]);
      const [first] = waiting;
      if (!first) throw new Inconclusive('nothing announces its end');
      const noted = await awaitNoted(
        context,
        waiting.map(({ subject }) => subject),
      );
      const before = new Map<Subject, number>();
      const attempts = new Map<Subject, number>();
      const acknowledgeFromNow = () => {
        for (const { subject } of waiting) {
          const { webhooks } = subject.mailbox;
          before.set(subject, webhooks.length);
          attempts.set(subject, webhooks.filter(announcesEnding(subject)).length);
          subject.mailbox.reply({ status: 200 });
        }
      };
      const ask = ({ subject }: { subject: Subject }) => sendOnce(subject.query);
      await amidRestart(context, waiting, ask, first.subject.query, acknowledgeFromNow);
      // How many attempts there are is open (open point `webhook-retry`): one is due after the first, or where more have been seen.
      const most = Math.max(2, mostAttempts(context.history));
      const stillWaiting = waiting.filter(
        ({ subject }) => (attempts.get(subject) ?? 0) < most && before.get(subject) === noted.get(subject),
      );
      const again = stillWaiting.map(
        ({ kind, subject }): Due => ({
          subject,
          what: `the webhook of ${kind.noun} that is ${subject.ending}, which was answered with HTTP 500 before the restart`,
          hasCome: () => subject.mailbox.webhooks.length > (before.get(subject) ?? 0),
        }),
      );
      const ended = await sideBySide(
        underWay.map(async ({ noun, subject }): Promise<readonly Due[]> => {
          // One that does not come to its end has nothing to announce.
          if (!(await ifTaken(subject.end().then(() => true)))) return [];
          const what = `the webhook of ${noun} that was made before the restart and is ${subject.ending} since`;
          return [{ subject, what, hasCome: () => subject.mailbox.webhooks.some(announcesEnding(subject)) }];
        }),
      );
      const due = [...again, ...ended.flat(), ...unpaid.flatMap((each) => each.due ?? [])];
      const allCame = () => due.every((each) => each.hasCome()) || undefined;
      const mailboxes = due.map(({ subject }) => subject.mailbox);
      await awaitNews(context, merchant, mailboxes, allCame, shareBeforeRetry);
      const missing = due.filter((each) => !each.hasCome());
      for (const { subject, what } of missing) {
        // An order that has not expired has nothing to announce; a check of its expiry judges that.
        if (!isFinal(await askUntilBack(context, subject.query))) continue;
        const exchange = subject.mailbox.webhooks.at(-1)?.exchange;
        throw new Broken(`${what} did not come after the restart`, {
          expected: `${what}, comes after the restart`,
          actual: `it did not, ${thoughTimePassed}; missing webhooks: ${missing.length} of ${due.length}`,
          ...(exchange !== undefined && { exchange }),
        });
      }
      const unexpired = unpaid.find((each) => !each.due?.hasCome());
      if (unexpired) {
        const { expiry: requirement } = unexpired;
        throw new Inconclusive('the orders whose webhooks did not come have not expired', { requirement });
      }
      countJudged(context.transport);
    },
  },
];
