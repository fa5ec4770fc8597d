import type { RequirementId } from '../../../generated/catalogue.ts';
import { makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { confirmed } from '../../arrange/orders/payments.ts';
import { makeRefund } from '../../arrange/refunds/refunds.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import { mentionsStatus } from '../../arrange/webhooks/waiting.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat } from '../../check/expect.ts';
import { readMoment } from '../../contract/moments.ts';
import { show } from '../../contract/show.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';

// A time in a view is when something happened, and not when somebody looked for the first time.

/** How long nobody looks, in seconds of business time. */
const pause = 3600;

/** Something that ends without being asked for, and whose webhook tells that it has. */
interface Unwatched {
  end(): Promise<unknown>;
  query(): Promise<Answer>;
}

/** A way in which something ends. */
interface Ending {
  noun: string;
  status: string;
  /** The field that shows when it ended. */
  moment: string;
  requirement: RequirementId;
  make(context: CheckContext, merchant: Credentials, address: string): Promise<Unwatched>;
}

const paidOrder = (
  noun: string,
  requirement: RequirementId,
  make: typeof makeOrder | typeof makeCheckoutOrder,
): Ending => ({
  ...{ noun, status: 'SUCCEEDED', moment: 'paidAt', requirement },
  make: async (context, merchant, callbackUrl) => {
    const { orderId, query } = await make(context, merchant, { callbackUrl });
    const end = async () => {
      for (const step of [{ type: 'transaction_detected' }, confirmed] as const) {
        await context.orderEvent(merchant, orderId, step);
      }
    };
    return { end, query };
  },
});

const endedRefund = (status: string, type: 'completed' | 'failed', moment: string): Ending => ({
  ...{ noun: 'a refund', status, moment, requirement: 'refunds.record.moments' },
  make: async (context, merchant, notifyUrl) => {
    const { refundOrderId, query } = await makeRefund(context, merchant, { notifyUrl });
    const end = async () => {
      for (const step of ['processing_started', type] as const) {
        await context.refundEvent(merchant, refundOrderId, { type: step });
      }
    };
    return { end, query };
  },
});

/** Fails where the moment of an end lies after the webhook that announced it. False where no webhook came, or no moment is shown. */
async function expectMomentOfEnd(
  context: CheckContext,
  { noun, status, moment, requirement, make }: Ending,
): Promise<boolean> {
  const [merchant, mailbox] = [await context.ownMerchant(), await context.mailbox()];
  const { end, query } = await make(context, merchant, mailbox.url);
  await end();
  const isAnnounced = mentionsStatus(status);
  const what = `a webhook of ${noun} that is ${status}, which nobody has asked for`;
  const wait = (share: number) => mailbox.first(isAnnounced, context.webhookWait * share);
  const webhook = await context.events.await(what, wait, (come) => come !== undefined);
  if (!webhook) return false;
  const announced = context.businessTime(merchant);
  await context.advanceClock(merchant, pause);
  const answer = await query();
  const shown = field(answer, `data.${moment}`);
  const read = typeof shown === 'string' ? readMoment(shown) : undefined;
  if (!read) return false;
  // Clocks differ by seconds, and what is shown may be less precise.
  expectThat(read.instant < announced + (pause / 2) * 1000, answer, {
    expected: `data.${moment} not after ${new Date(announced).toISOString()}, when the webhook had come that tells of ${status}; it was asked for an hour later for the first time`,
    actual: `data.${moment} = ${show(shown)}`,
    requirement,
  });
  return true;
}

async function expectMomentsOfEnds(context: CheckContext, endings: readonly Ending[]): Promise<void> {
  const judged = await sideBySide(endings.map((ending) => expectMomentOfEnd(context, ending)));
  if (!judged.includes(true)) {
    throw new PermittedChoice('no end is announced before it is asked for here, or none is shown with its moment');
  }
}

/** The moment of an end that nobody saw is judged by the webhook that announced it. */
export const unwatchedEndChecks: readonly CheckDeclaration[] = [
  {
    id: 'orders.query.unwatched-end',
    title: 'paidAt is when a hosted order was paid, also where it is asked for an hour later for the first time',
    requirements: ['orders.view.moments'],
    needs: ['order-events', 'clock'],
    run: (context) => expectMomentsOfEnds(context, [paidOrder('a hosted order', 'orders.view.moments', makeOrder)]),
  },
  {
    id: 'checkout.query.unwatched-end',
    title: 'paidAt is when a checkout order was paid, also where it is asked for an hour later for the first time',
    requirements: ['checkout.view.moments'],
    needs: ['order-events', 'clock'],
    run: (context) =>
      expectMomentsOfEnds(context, [paidOrder('a checkout order', 'checkout.view.moments', makeCheckoutOrder)]),
  },
  {
    id: 'refunds.query.unwatched-end',
    title:
      'completedTime and failedTime are when a refund came to its end, also where it is asked for an hour later for the first time',
    requirements: ['refunds.record.moments'],
    needs: ['paid-order', 'order-events', 'refund-events', 'clock'],
    run: (context) =>
      expectMomentsOfEnds(context, [
        endedRefund('SUCCEEDED', 'completed', 'completedTime'),
        endedRefund('FAILED', 'failed', 'failedTime'),
      ]),
  },
];
