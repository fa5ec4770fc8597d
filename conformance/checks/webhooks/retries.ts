import { bringOrderTo } from '../../arrange/orders/orders.ts';
import { expectWebhook, makeNotifiedOrder, type NotifiedOrder } from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import type { Mailbox, Reply } from '../../wire/mailbox.ts';

/** An order whose cancellation was sent once, and answered with `reply`. */
async function notReceived(context: CheckContext, reply: Reply): Promise<NotifiedOrder> {
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

/** Answers that do not acknowledge an event. */
const refusals: readonly { name: string; what: string; reply(elsewhere: Mailbox): Reply; long?: true }[] = [
  { name: 'status-500', what: 'HTTP 500', reply: () => ({ status: 500 }) },
  { name: 'status-204', what: 'HTTP 204, which is not 200', reply: () => ({ status: 204 }) },
  {
    name: 'redirect',
    what: 'a redirect',
    reply: ({ url }) => ({ status: 307, headers: { Location: url } }),
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
        const order = await notReceived(context, reply(elsewhere));
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
      // The first attempt is made by now, or after this: either way nobody is there.
      await context.advanceClock(order.merchant, 1);
      await mailbox.open();
      await expectWebhook(context, order, () => true, 'the event, once its receiver can be reached');
    },
  },
  {
    id: 'webhooks.retry.schedule',
    title: 'At which distances an event is sent again',
    calls: ['orders'],
    requirements: ['webhooks.schedule'],
    needs: ['order-events', 'clock'],
    async run(context) {
      const order = await notReceived(context, { status: 500 });
      const distances: number[] = [];
      for (const attempt of [2, 3, 4]) {
        const distance = await distanceTo(context, order, attempt);
        if (distance === undefined) break;
        distances.push(distance);
      }
      const [first = 0, ...later] = distances;
      // A late attempt looks like a longer distance, so that distances which shrink say nothing.
      const grows = later.every((each, index) => each >= (distances[index] ?? 0)) ? 'growing' : undefined;
      const value = later.length === 0 ? undefined : later.every((each) => each === first) ? 'even' : grows;
      const seen = distances.map((each) => `${each} s`).join(', ') || 'no further attempt';
      context.observe('webhook-retry', `moved time until the next attempt: ${seen}`, value);
    },
  },
];

/** By how much business time is moved at a time, in seconds. */
const stepsOfTime = [5, 60, 300, 1800, 7200, 36_000];

/** How long an attempt may take to come before it is asked whether the target has looked, as a share of the whole wait. */
const shareOfWait = 0.01;

/** By how many seconds business time had to be moved before the attempt with a number was made; `undefined`: it was not. */
async function distanceTo(context: CheckContext, order: NotifiedOrder, attempt: number): Promise<number | undefined> {
  const { mailbox, merchant } = order;
  const made = () => mailbox.webhooks.length >= attempt;
  let moved = 0;
  for (const step of stepsOfTime) {
    await context.advanceClock(merchant, step - moved);
    moved = step;
    const wait = () => mailbox.first(made, context.webhookWait * shareOfWait);
    await wait();
    if (!made()) await sendSomethingNewer(context).then(wait);
    if (made()) return moved;
  }
  return undefined;
}

/**
 * Waits for the webhook of an order of another merchant, whose time was not moved: once it has come, what was due before has
 * been sent too, however busy the target.
 */
async function sendSomethingNewer(context: CheckContext): Promise<void> {
  const mailbox = await context.mailbox();
  const order = await makeNotifiedOrder(context, 'orders', mailbox);
  await bringOrderTo(context, order, 'CLOSED');
  await mailbox.first(() => true, context.webhookWait);
}
