import { bringOrderTo } from '../../arrange/orders/any-order.ts';
import { makeNotifiedOrder, type NotifiedOrder, needCancelled } from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import type { Reply } from '../../wire/mailbox.ts';

/** An order whose cancellation was announced; the receiver answers with `reply`. */
async function makeAnnounced(context: CheckContext, reply: Reply): Promise<NotifiedOrder> {
  const mailbox = await context.mailbox();
  mailbox.reply(reply);
  const order = await makeNotifiedOrder(context, 'orders', mailbox);
  await bringOrderTo(context, order, 'CLOSED');
  await needCancelled(context, order);
  return order;
}

export const webhooksScheduleChecks: readonly CheckDeclaration[] = [
  {
    id: 'webhooks.retry.after-acknowledgement',
    title: 'Whether an event that was answered with HTTP 200 is sent again',
    calls: ['orders'],
    requirements: ['webhooks.repeats-allowed'],
    openPoint: 'webhook-retry',
    needs: ['order-events', 'clock'],
    long: true,
    async run(context) {
      const order = await makeAnnounced(context, { status: 200 });
      await context.advanceClock(order.merchant, 86_400);
      await sendSomethingNewer(context);
      const again = order.mailbox.webhooks.length > 1;
      context.observe('webhook-retry', `after HTTP 200 and a day: ${again ? 'sent again' : 'not sent again'}`);
    },
  },
  {
    id: 'webhooks.retry.schedule',
    title: 'At which distances an event is sent again',
    calls: ['orders'],
    requirements: ['webhooks.schedule'],
    needs: ['order-events', 'clock'],
    long: true,
    async run(context) {
      const order = await makeAnnounced(context, { status: 500 });
      const distances: number[] = [];
      for (const attempt of [2, 3, 4]) {
        const distance = await distanceTo(context, order, attempt);
        if (distance === undefined) break;
        distances.push(distance);
      }
      const [first = 0, ...later] = distances;
      // A late attempt looks like a longer distance, so distances that shrink say nothing about the schedule.
      const grows = later.every((each, index) => each >= (distances[index] ?? 0)) ? 'growing' : undefined;
      const value = later.length === 0 ? undefined : later.every((each) => each === first) ? 'even' : grows;
      const seen = distances.map((each) => `${each} s`).join(', ') || 'no further attempt';
      context.observe('webhook-retry', `moved time until the next attempt: ${seen}`, value);
    },
  },
];

/** By how much business time is moved in all before each look, in seconds. */
const spans = [5, 60, 300, 1800, 7200, 36_000];

/** How long an attempt may take before a newer webhook shows that the target has sent all that was due; a share of the whole wait. */
const shareOfWait = 0.01;

/** By how many seconds business time was moved before this attempt, counted from 1, was made; `undefined`: it was not made. */
async function distanceTo(context: CheckContext, order: NotifiedOrder, attempt: number): Promise<number | undefined> {
  const { mailbox, merchant } = order;
  const made = () => mailbox.webhooks.length >= attempt;
  let moved = 0;
  for (const span of spans) {
    await context.advanceClock(merchant, span - moved);
    moved = span;
    const wait = () => mailbox.first(made, context.webhookWait * shareOfWait);
    await wait();
    if (!made()) await sendSomethingNewer(context).then(wait);
    if (made()) return moved;
  }
  return undefined;
}

/**
 * Waits for the webhook of a new order of another merchant. Once it has come, even a busy target has sent every webhook that
 * was due before it.
 */
async function sendSomethingNewer(context: CheckContext): Promise<void> {
  const mailbox = await context.mailbox();
  const order = await makeNotifiedOrder(context, 'orders', mailbox);
  await bringOrderTo(context, order, 'CLOSED');
  await mailbox.first(() => true, context.webhookWait);
}
