import { tooLittle } from '../../arrange/orders/any-order.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { makeRefund } from '../../arrange/refunds/refunds.ts';
import { shareOfWait, untilConfirmed, untilRefunded } from '../../arrange/situations/automatic.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import { type Kind, kinds } from '../../arrange/webhooks/kinds.ts';
import { expectWebhook, mentionsStatus } from '../../arrange/webhooks/waiting.ts';
import { makeNotifiedOrder } from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { statusOf } from '../../check/expect.ts';
import { isFinalStatus } from '../../contract/statuses.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import type { Mailbox } from '../../wire/mailbox.ts';

/** An end to which a platform brings something by itself, once the clock has moved by `seconds`. */
interface UnaidedEnd {
  product: 'orders' | 'checkout' | 'refunds';
  seconds: number;
  status: 'SUCCEEDED' | 'FAILED';
  /** In what the thing differs from a usual one: the end of its name. */
  words: string;
  /** Makes one of a merchant whose things end by themselves, and tells how to ask for it. */
  make(context: CheckContext, merchant: Credentials, mailbox: Mailbox): Promise<{ query(): Promise<Answer> }>;
}

/** The ends of a kind: an order comes to its ends by what was paid. */
function unaidedEnds({ area }: Kind): UnaidedEnd[] {
  if (area === 'orders' || area === 'checkout') {
    const payments = [
      { status: 'SUCCEEDED', words: '', step: { type: 'transaction_detected' } },
      {
        status: 'FAILED',
        words: ' of which too little was paid',
        step: { type: 'transaction_detected', amount: tooLittle },
      },
    ] as const;
    return payments.map(({ status, words, step }) => ({
      ...{ product: area, seconds: untilConfirmed, status, words },
      async make(context, merchant, mailbox) {
        const order = await makeNotifiedOrder(context, area, mailbox, { merchant });
        // A platform may leave PROCESSING out, or confirm at once.
        await context.orderEvent(merchant, order.orderId, step);
        return order;
      },
    }));
  }
  return [
    {
      ...{ product: 'refunds', seconds: untilRefunded, status: 'SUCCEEDED', words: '' },
      make: async (context, merchant, mailbox) =>
        makeRefund(context, merchant, { order: await makePaidOrder(context, merchant), notifyUrl: mailbox.url }),
    },
  ];
}

/**
 * Lets two things of a merchant come to an end by themselves, of which one is asked for. Fails where one of them is not announced. False where they come
 * to another end, or to none.
 */
async function expectEndAnnounced(
  context: CheckContext,
  { noun, announced }: Kind,
  { product, seconds, status, words, make }: UnaidedEnd,
): Promise<boolean> {
  const merchant = await context.ownMerchant({ automatic: true });
  const [mailbox, unasked] = [await context.mailbox(), await context.mailbox()];
  const [{ query }] = await Promise.all([make(context, merchant, mailbox), make(context, merchant, unasked)]);
  await context.advanceClock(merchant, seconds);
  const hasEnded = (answer: Answer) => isFinalStatus(product, statusOf(answer));
  if (statusOf(await context.poll(query, hasEnded, shareOfWait)) !== status) return false;
  const what = `a webhook of ${noun}${words} that was ${status} by itself`;
  const announces = mentionsStatus(status);
  await expectWebhook(context, { merchant, mailbox }, announces, what, announced[status]);
  const unlooked = `${what}, though nobody asked for it, as another one of its merchant was by then`;
  await expectWebhook(context, { merchant, mailbox: unasked }, announces, unlooked, announced[status]);
  return true;
}

/** Ends that no driver brings about are announced as others are. */
export const webhooksUnaidedChecks: readonly CheckDeclaration[] = kinds.map((kind): CheckDeclaration => {
  const { area, noun, announced } = kind;
  const ends = unaidedEnds(kind);
  return {
    id: `webhooks.${kind.name}.unaided`,
    title: `The ends to which a platform brings ${noun} by itself are announced, also where nobody asks for it`,
    calls: [area],
    requirements: [...new Set(ends.map(({ status }) => announced[status]))],
    needs: ['order-events', 'own-merchant', 'clock'],
    async run(context) {
      const judged = await sideBySide(ends.map((end) => expectEndAnnounced(context, kind, end)));
      if (!judged.includes(true)) throw new PermittedChoice(`here ${noun} does not end by itself`);
    },
  };
});
