import { bringOrderTo } from '../../arrange/orders/any-order.ts';
import { expectWebhook, makeNotifiedOrder, type NotifiedOrder } from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import type { Mailbox, Reply } from '../../wire/mailbox.ts';

/** An order whose cancellation was announced; the receiver answers with `reply`. */
async function makeAnnounced(context: CheckContext, reply: Reply): Promise<NotifiedOrder> {
  const mailbox = await context.mailbox();
  mailbox.reply(reply);
  const order = await makeNotifiedOrder(context, 'orders', mailbox);
  await bringOrderTo(context, order, 'CLOSED');
  await expectWebhook(
    context,
    order,
    () => true,
    'a webhook of the order that was cancelled',
    'webhooks.order.cancelled',
  );
  return order;
}

/** Answers of a receiver that do not acknowledge a webhook. */
const refusals: readonly { name: string; what: string; reply(elsewhere: Mailbox): Reply; long?: true }[] = [
  { name: 'status-500', what: 'HTTP 500', reply: () => ({ status: 500 }) },
  { name: 'status-204', what: 'HTTP 204, which is not 200', reply: () => ({ status: 204 }) },
  {
    name: 'redirect',
    what: 'a redirect',
    // A sender that follows redirects finds no acknowledgement there either.
    reply: (elsewhere) => {
      elsewhere.reply({ status: 500 });
      return { status: 307, headers: { Location: elsewhere.url } };
    },
  },
  { name: 'closed-connection', what: 'a closed connection', reply: () => 'close' },
  { name: 'no-answer', what: 'no answer', reply: () => 'no-answer', long: true },
];

export const webhooksRetriesChecks: readonly CheckDeclaration[] = [
  ...refusals.map(
    ({ name, what, reply, long }): CheckDeclaration => ({
      id: `webhooks.retry.${name}`,
      title: `An event that is answered with ${what} is sent again`,
      calls: ['orders'],
      requirements: ['webhooks.retry'],
      needs: ['order-events'],
      ...(long && { long }),
      async run(context) {
        const elsewhere = await context.mailbox();
        const order = await makeAnnounced(context, reply(elsewhere));
        const [first] = order.mailbox.webhooks;
        await expectWebhook(context, order, (webhook) => webhook !== first, `the event again, after ${what}`);
      },
    }),
  ),
  {
    id: 'webhooks.retry.refused-connection',
    title: 'An event whose receiver cannot be reached is sent again',
    calls: ['orders'],
    requirements: ['webhooks.retry'],
    needs: ['order-events', 'clock'],
    async run(context) {
      const mailbox = await context.closedMailbox();
      const order = await makeNotifiedOrder(context, 'orders', mailbox);
      await bringOrderTo(context, order, 'CLOSED');
      // Only an attempt that is seen to fail asks for another one. A receiver that nobody asks is not known to be away.
      if (!(await mailbox.attempted(context.webhookWait))) {
        throw new Inconclusive(`no connection came to ${mailbox.url} within ${context.webhookWait} ms`);
      }
      mailbox.open();
      // Any further attempt will do: it may have come before the receiver was there again.
      if (mailbox.attempts() > 1) return;
      await expectWebhook(context, order, () => true, 'the event, once its receiver can be reached');
    },
  },
  {
    id: 'webhooks.retry.after-acknowledgement',
    title: 'Whether an event that was answered with HTTP 200 is sent again',
    calls: ['orders'],
    requirements: ['webhooks.repeats-allowed'],
    openPoint: 'webhook-retry',
    needs: ['order-events', 'clock'],
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
