import type { Area } from '../../../../generated/catalogue.ts';
import { kinds } from '../../../arrange/webhooks/kinds.ts';
import { expectRepeated } from '../../../arrange/webhooks/repeated.ts';
import { day, mentionsStatus, shareOfPrompt } from '../../../arrange/webhooks/waiting.ts';
import type { CheckContext } from '../../../check/context.ts';
import type { Credentials } from '../../../drivers/driver.ts';
import { Broken } from '../../../errors/outcomes.ts';
import type { Mailbox, Webhook } from '../../../wire/mailbox.ts';

// What the lives of orders and of refunds have in common.

const reply = { status: 500 } as const;

const tellsOfEnd = (webhook: Pick<Webhook, 'text'>): boolean =>
  ['SUCCEEDED', 'FAILED', 'CLOSED'].some((status) => mentionsStatus(status)(webhook));

/** Acknowledges no event about an end at a mailbox. A sender may send nothing newer about a thing before what it has sent is taken. */
export const leaveUnheard = (mailbox: Mailbox): void => mailbox.reply(reply, tellsOfEnd);

/** Expects the event about an end again at a mailbox that was left unheard, where it came once: that is judged by the rules over the whole run. */
export async function expectHeard(
  context: CheckContext,
  subject: { area: Area; merchant: Credentials; mailbox: Mailbox; ending: string },
): Promise<void> {
  const { area, mailbox, ending } = subject;
  const retry = kinds.find((kind) => kind.area === area)?.retry;
  const first = await mailbox.first(mentionsStatus(ending), context.webhookWait * shareOfPrompt);
  if (first && retry) await expectRepeated(context, [{ reply, subject }], retry);
}

/** Longer than a month, in seconds. */
const longEnough = 40 * day;

/** Lets weeks pass after an end, where the clock can be moved. */
export async function letWeeksPass(context: CheckContext, merchant: Credentials): Promise<void> {
  if (context.has('clock')) await context.advanceClock(merchant, longEnough);
}

/** Does something with an order or a refund. A fault that it finds says with which. */
export async function tellingOf(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Broken) || error.expected.startsWith(what)) throw error;
    throw broken(error, { expected: `${what}: ${error.expected}` });
  }
}

/** The same fault in other words. */
export function broken(
  { message, expected, actual, requirement, exchange }: Broken,
  words: { expected?: string; actual?: string },
): Broken {
  return new Broken(message, {
    expected,
    actual,
    ...words,
    ...(requirement && { requirement }),
    ...(exchange !== undefined && { exchange }),
  });
}
