import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import type { CheckContext } from '../../check/context.ts';
import { countJudged } from '../../check/expect.ts';
import { counted } from '../../contract/counted.ts';
import { cut } from '../../contract/show.ts';
import { Broken, Inconclusive } from '../../errors/outcomes.ts';
import type { Reply } from '../../wire/mailbox.ts';
import { awaitNews, day, mentionsStatus, type Party, shareBeforeRetry, thoughTimePassed } from './waiting.ts';

/** Something whose event was answered with a reply that does not acknowledge it. */
export interface Unacknowledged {
  reply: Reply;
  /** What the event tells of: the status that it names, where it came, and in what its order differs from a usual one. */
  subject: Pick<Party, 'merchant' | 'mailbox'> & { ending: string; words?: string };
}

/** The attempts at the event that the first one told of, as far as they came to the address of a subject. */
export const attemptsOf = ({ mailbox, ending }: Unacknowledged['subject']) =>
  mailbox.webhooks.filter(mentionsStatus(ending));

/** A body of so many bytes is named in messages. */
const remarkable = 1000;

/** A reply in words, with what may have kept a sender from reading it. */
export function inWords(reply: Reply): string {
  if (reply === 'close') return 'a closed connection';
  if (reply === 'no-answer') return 'no answer';
  const { status, headers = {}, body = '', ends } = reply;
  const { Location: _told, ...told } = headers;
  const parts = [
    ...Object.entries(told).map(([name, value]) => `${name}: ${value}`),
    ...(ends ? [ends === 'early' ? 'a body that breaks off' : 'a body that does not end'] : []),
    ...(body.length > remarkable ? [`a body of ${body.length} bytes`] : []),
  ];
  return [`HTTP ${status}`, ...parts].join(' with ');
}

/** What else came to the address of a subject, in words: a webhook that names another status is not the same event. */
function othersOf({ mailbox, ending }: Unacknowledged['subject']): string {
  const others = mailbox.webhooks.filter((webhook) => !mentionsStatus(ending)(webhook));
  const [last] = others.slice(-1);
  return last ? `; what else came names another status than ${ending}, such as ${cut(last.text, 200)}` : '';
}

/**
 * Waits for another attempt at the announcements of these subjects of one merchant, at which so many were made `before`. Throws `Broken` when one is not sent again although
 * days have passed, and `Inconclusive` when no time could be moved, or when a sender still waits for its answer.
 */
export async function expectRepeated(
  context: CheckContext,
  made: readonly Unacknowledged[],
  requirement: RequirementId,
  before = 1,
): Promise<void> {
  const [first] = made;
  if (!first) return;
  const isRepeated = (subject: Unacknowledged['subject']) => attemptsOf(subject).length > before;
  const mailboxes = made.map(({ subject }) => subject.mailbox);
  const waited = () => mailboxes.every((mailbox) => mailbox.unanswered() === 0) || undefined;
  // Only an attempt that has ended has failed: how long a sender waits for an answer is open.
  await context.wait(mailboxes, waited, context.webhookWait);
  const all = () => made.every(({ subject }) => isRepeated(subject)) || undefined;
  const { merchant } = first.subject;
  const came = await awaitNews(context, merchant, mailboxes, all, shareBeforeRetry);
  // A sender with a few workers has none for it while they wait for receivers that do not answer, and no move of a clock shortens that.
  const cameLater = came ?? (context.has('clock') && (await awaitNews(context, merchant, mailboxes, all, 1, [day])));
  if (cameLater) return countJudged(context.transport);
  for (const { subject, reply } of made) {
    if (isRepeated(subject)) continue;
    const words = inWords(reply);
    if (subject.mailbox.unanswered() > 0) {
      throw new Inconclusive(
        `the sender still waits for an answer after ${context.webhookWait} ms; if it waits longer, raise timing.webhookMs`,
      );
    }
    if (!context.has('clock')) {
      throw new Inconclusive(
        `the event did not come again within ${context.webhookWait} ms after ${words}, and no clock can be moved`,
      );
    }
    const exchange = attemptsOf(subject)[before - 1]?.exchange;
    throw new Broken(`the event was not sent again after ${words}`, {
      expected: `the event again, after ${words}${subject.words === undefined ? '' : `: that of an order ${subject.words}`}`,
      actual: `${counted(before, 'attempt')} at ${subject.mailbox.url}, ${thoughTimePassed}${othersOf(subject)}`,
      requirement,
      ...(exchange !== undefined && { exchange }),
    });
  }
}
