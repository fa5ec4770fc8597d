import type { RequirementId } from '../../../generated/catalogue.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { confirmed } from '../../arrange/orders/payments.ts';
import { bringRefundTo, makeRefund } from '../../arrange/refunds/refunds.ts';
import { ifTaken, sideBySide } from '../../arrange/situations/situations.ts';
import { expectWebhook, mentionsStatus } from '../../arrange/webhooks/waiting.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { statusOf } from '../../check/expect.ts';
import type { OrderStep } from '../../drivers/driver.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { bringEachTo, expectAnnounced } from '../support/announced.ts';

const day = 86_400;

/** After how long something happens here to what is old, in seconds: more than a year, and some weeks. */
const [longestPause, longPause] = [400 * day, 40 * day];

/** For how long an order may be paid after that, in seconds. */
const further = 20 * day;

/** Late ends of hosted orders. The last one needs no step: its time runs out. */
const lateEnds = [
  { steps: [{ type: 'transaction_detected' }, confirmed], status: 'SUCCEEDED', requirement: 'webhooks.order.paid' },
  {
    steps: [{ type: 'transaction_detected', paymentMethod: 'EXCHANGE_ONE' }, confirmed],
    status: 'SUCCEEDED',
    requirement: 'webhooks.order.paid',
  },
  {
    steps: [{ type: 'transaction_detected' }, { type: 'payment_failed', reason: 'error' }],
    status: 'FAILED',
    requirement: 'webhooks.order.failed',
  },
  { steps: [{ type: 'cancelled' }], status: 'CLOSED', requirement: 'webhooks.order.cancelled' },
  { steps: [], status: 'CLOSED', requirement: 'webhooks.order.expired' },
] as const satisfies readonly { steps: readonly OrderStep[]; status: string; requirement: RequirementId }[];

/** Fails unless the end of an order is announced that comes so late after its creation. False where orders may not live so long. */
async function expectLateEnd(context: CheckContext, late: (typeof lateEnds)[number], pause: number): Promise<boolean> {
  const [merchant, mailbox] = [await context.ownMerchant(), await context.mailbox()];
  const expiresAt = new Date(context.now() + (pause + further) * 1000).toISOString();
  const order = await ifTaken(makeOrder(context, merchant, { expiresAt, callbackUrl: mailbox.url }));
  if (!order) return false;
  await context.advanceClock(merchant, pause);
  // Its time may have run out long before the target looks.
  if (late.steps.length === 0) await context.advanceClock(merchant, further + 10 * day);
  const words = `that is ${late.status} ${pause / day} days after it was made`;
  const ended = await bringEachTo(context, late.status, [{ words, mailbox, order }], () => late.steps);
  const [end, fits] = ['by what happened then', mentionsStatus(late.status)];
  await expectAnnounced(context, { merchant, orders: ended, end, fits, requirement: late.requirement });
  return true;
}

/** Fails unless the result of a refund is announced that comes so late after its creation. False where it comes to none then. */
async function expectLateResult(context: CheckContext, state: 'SUCCEEDED' | 'FAILED', pause: number): Promise<boolean> {
  const [merchant, mailbox] = [await context.ownMerchant(), await context.mailbox()];
  const refund = await makeRefund(context, merchant, { notifyUrl: mailbox.url });
  await context.advanceClock(merchant, pause);
  // A platform may have brought it to an end meanwhile.
  await ifTaken(bringRefundTo(context, refund, state));
  const status = String(statusOf(await refund.query()));
  if (status !== 'SUCCEEDED' && status !== 'FAILED') return false;
  const what = `a webhook of a refund that is ${status} ${pause / day} days after it was made`;
  await expectWebhook(context, { merchant, mailbox }, mentionsStatus(status), what);
  return true;
}

/** Checks of ends that come long after a creation. */
export const webhooksWeeksLaterChecks: readonly CheckDeclaration[] = [
  {
    id: 'webhooks.order.weeks-later',
    title: 'The end of a hosted order is announced that comes weeks or more than a year after it was made',
    calls: ['orders'],
    requirements: [
      'webhooks.order.paid',
      'webhooks.order.failed',
      'webhooks.order.cancelled',
      'webhooks.order.expired',
    ],
    needs: ['order-events', 'clock'],
    async run(context) {
      const judgeEach = (pause: number) => sideBySide(lateEnds.map((late) => expectLateEnd(context, late, pause)));
      const atLast = await judgeEach(longestPause);
      // A target may limit how far ahead an expiry lies.
      const judged = atLast.includes(true) ? atLast : await judgeEach(longPause);
      if (judged.includes(true)) return;
      throw new PermittedChoice('orders may not live for weeks here (open point orders-expiry-past)');
    },
  },
  {
    id: 'webhooks.refund.weeks-later',
    title: 'The result of a refund is announced that comes weeks or more than a year after it was made',
    calls: ['refunds'],
    requirements: ['webhooks.refund.notify-url'],
    needs: ['paid-order', 'order-events', 'refund-events', 'clock'],
    async run(context) {
      const judged = await sideBySide(
        [longPause, longestPause].flatMap((pause) => [
          expectLateResult(context, 'SUCCEEDED', pause),
          expectLateResult(context, 'FAILED', pause),
        ]),
      );
      if (!judged.includes(true)) throw new PermittedChoice('refunds that are weeks old come to no result here');
    },
  },
];
