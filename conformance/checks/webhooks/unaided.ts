import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { makeRefund } from '../../arrange/refunds/refunds.ts';
import { shareOfWait, untilConfirmed, untilRefunded } from '../../arrange/situations/automatic.ts';
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

/** Makes something of a merchant whose things end by themselves once the clock has moved by `seconds`, and tells how to ask for it. */
interface Unaided {
  product: 'orders' | 'checkout' | 'refunds';
  seconds: number;
  make(context: CheckContext, merchant: Credentials, mailbox: Mailbox): Promise<{ query(): Promise<Answer> }>;
}

function unaided({ area }: Kind): Unaided {
  if (area === 'orders' || area === 'checkout') {
    return {
      product: area,
      seconds: untilConfirmed,
      async make(context, merchant, mailbox) {
        const order = await makeNotifiedOrder(context, area, mailbox, { merchant });
        // A platform may leave PROCESSING out, or confirm at once.
        await context.orderEvent(merchant, order.orderId, { type: 'transaction_detected' });
        return order;
      },
    };
  }
  return {
    product: 'refunds',
    seconds: untilRefunded,
    make: async (context, merchant, mailbox) =>
      makeRefund(context, merchant, { order: await makePaidOrder(context, merchant), notifyUrl: mailbox.url }),
  };
}

/** Ends that no driver brings about are announced as others are. */
export const webhooksUnaidedChecks: readonly CheckDeclaration[] = kinds.map((kind): CheckDeclaration => {
  const { area, noun, announced } = kind;
  const { product, seconds, make } = unaided(kind);
  return {
    id: `webhooks.${kind.name}.unaided`,
    title: `The end to which a platform brings ${noun} by itself is announced`,
    calls: [area],
    requirements: [announced.SUCCEEDED],
    needs: ['order-events', 'own-merchant', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant({ automatic: true });
      const mailbox = await context.mailbox();
      const { query } = await make(context, merchant, mailbox);
      await context.advanceClock(merchant, seconds);
      const hasEnded = (answer: Answer) => isFinalStatus(product, statusOf(answer));
      const status = String(statusOf(await context.poll(query, hasEnded, shareOfWait)));
      if (status !== 'SUCCEEDED') throw new PermittedChoice(`here ${noun} does not succeed by itself`);
      const what = `a webhook of ${noun} that was ${status} by itself`;
      await expectWebhook(context, { merchant, mailbox }, mentionsStatus(status), what, announced[status]);
    },
  };
});
