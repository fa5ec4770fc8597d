import type { RequirementId } from '../../../generated/catalogue.ts';
import { bringCheckoutOrderTo } from '../../arrange/checkout-orders/checkout-orders.ts';
import { bringOrderTo, expire } from '../../arrange/orders/orders.ts';
import {
  expectWebhook,
  makeNotifiedOrder,
  type NotifiedOrder,
  type Product,
  tellsOf,
} from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { cut, expectThat, needText, show } from '../../check/expect.ts';
import type { Need } from '../../check/needs.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import type { Webhook } from '../../wire/mailbox.ts';

/** A change of status that is sent, and how a check brings it about. */
interface Outcome {
  name: string;
  title: string;
  product: Product;
  requirement: RequirementId;
  needs: readonly Need[];
  bringAbout(context: CheckContext, order: NotifiedOrder): Promise<void>;
}

const outcomes: readonly Outcome[] = (['orders', 'checkout'] as const).flatMap((product) => {
  const noun = product === 'orders' ? 'A hosted order' : 'A checkout order';
  const paid: Outcome = {
    name: 'paid',
    title: `${noun} that is paid is announced`,
    product,
    requirement: 'webhooks.order.paid',
    needs: ['order-events'],
    bringAbout: (context, order) => bringOrderTo(context, order, 'SUCCEEDED'),
  };
  const failed: Outcome = {
    name: 'failed',
    title: `${noun} that fails is announced`,
    product,
    requirement: 'webhooks.order.failed',
    needs: ['order-events'],
    bringAbout: (context, order) => bringOrderTo(context, order, 'FAILED'),
  };
  const expired: Outcome = {
    name: 'expired',
    title: `${noun} that expires is announced`,
    product,
    requirement: 'webhooks.order.expired',
    needs: ['clock'],
    bringAbout: async (context, order) => {
      await expire(context, order);
    },
  };
  const cancelled: Outcome = {
    name: 'cancelled',
    title: `${noun} that is cancelled is announced`,
    product,
    requirement: 'webhooks.order.cancelled',
    needs: ['order-events'],
    bringAbout: (context, order) => bringOrderTo(context, order, 'CLOSED'),
  };
  // That a cancelled order is announced is said of hosted orders.
  return product === 'orders' ? [paid, failed, expired, cancelled] : [paid, failed, expired];
});

const idOf = ({ name, product }: Pick<Outcome, 'name' | 'product'>) =>
  product === 'orders' ? `webhooks.order.${name}` : `webhooks.checkout-order.${name}`;

function outcomeCheck(outcome: Outcome): CheckDeclaration {
  const { title, product, requirement, needs, bringAbout } = outcome;
  return {
    id: idOf(outcome),
    title,
    calls: [product],
    requirements: [requirement],
    needs: [...needs],
    async run(context) {
      const order = await makeNotifiedOrder(context, product, await context.mailbox());
      await bringAbout(context, order);
      const status = needText(await order.query(), 'data.status');
      await expectWebhook(context, order, tellsOf(status), `a webhook of the order that is now ${status}`);
    },
  };
}

/** A hosted order that was cancelled, which takes the fewest steps, and the webhook about it. */
async function cancelled(context: CheckContext, merchant?: Credentials) {
  const order = await makeNotifiedOrder(context, 'orders', await context.mailbox(), merchant);
  await bringOrderTo(context, order, 'CLOSED');
  const webhook = await expectWebhook(context, order, () => true, 'a webhook of the order that was cancelled');
  return { order, webhook };
}

/** Whether the move to PROCESSING is announced; one that comes late comes with what is announced after it. */
async function announcesProcessing(context: CheckContext, product: Product): Promise<{ sent: boolean; last: Answer }> {
  const order = await makeNotifiedOrder(context, product, await context.mailbox());
  await (product === 'checkout' ? bringCheckoutOrderTo : bringOrderTo)(context, order, 'PROCESSING');
  await bringOrderTo(context, order, 'SUCCEEDED');
  const last = await expectWebhook(context, order, tellsOf('SUCCEEDED'), 'a webhook of the paid order');
  const isOther = (webhook: Webhook) => webhook !== last && tellsOf('PROCESSING')(webhook);
  const sent = await order.mailbox.first(isOther, Math.min(context.webhookWait, 1000));
  const value = sent ? 'every-change' : 'outcomes-only';
  const noun = product === 'orders' ? 'a hosted order' : 'a checkout order';
  context.observe('webhook-trigger', `${noun} that moves to PROCESSING: ${sent ? 'sent' : 'not sent'}`, value);
  return { sent: sent !== undefined, last };
}

export const webhooksOrdersChecks: readonly CheckDeclaration[] = [
  ...outcomes.map(outcomeCheck),
  {
    id: 'webhooks.order.processing',
    title: 'A hosted order whose payment was seen is announced',
    calls: ['orders'],
    requirements: ['webhooks.order.processing'],
    openPoint: 'webhook-trigger',
    needs: ['order-events'],
    async run(context) {
      const { sent, last } = await announcesProcessing(context, 'orders');
      expectThat(sent, last, {
        expected: 'a webhook of the order that moved to PROCESSING',
        actual: 'the first webhook is the one of the paid order',
      });
    },
  },
  {
    id: 'webhooks.checkout-order.processing',
    title: 'Whether a checkout order whose payment was seen is announced',
    calls: ['checkout'],
    requirements: ['webhooks.order.checkout-processing'],
    needs: ['order-events'],
    async run(context) {
      await announcesProcessing(context, 'checkout');
    },
  },
  {
    id: 'webhooks.order.post',
    title: "An event is a POST to the order's own callbackUrl",
    calls: ['orders'],
    requirements: ['webhooks.order.post'],
    needs: ['order-events'],
    async run(context) {
      const { order: neighbour } = await cancelled(context);
      const { order, webhook } = await cancelled(context, neighbour.merchant);
      expectThat(webhook.method === 'POST', webhook, {
        expected: 'method = POST',
        actual: `method = ${webhook.method}`,
      });
      const astray = neighbour.mailbox.webhooks.find(({ text }) => text.includes(order.orderId));
      expectThat(astray === undefined, astray ?? webhook, {
        expected: "nothing about the order at another order's callbackUrl",
        actual: `its event came to ${neighbour.mailbox.url}`,
      });
    },
  },
  {
    id: 'webhooks.order.identifies',
    title: 'An event names its order by acquiringOrderId or merchantOrderId',
    calls: ['orders'],
    requirements: ['webhooks.order.identifies'],
    needs: ['order-events'],
    async run(context) {
      const { order, webhook } = await cancelled(context);
      const names = [order.orderId, order.merchantOrderId].some((id) => webhook.text.includes(id));
      expectThat(names, webhook, {
        expected: `${order.orderId} or ${order.merchantOrderId} in the body`,
        actual: `body = ${show(webhook.text)}`,
      });
    },
  },
  {
    id: 'webhooks.order.payload',
    title: 'What an order event holds, and whether it agrees with the view',
    calls: ['orders'],
    requirements: ['webhooks.order.payload'],
    needs: ['order-events'],
    async run(context) {
      const { order, webhook } = await cancelled(context);
      const view = await order.query();
      const form = ['flat', 'nested'].find((each) => isCopy(webhook, view, each === 'flat' ? '' : 'data.'));
      const minimal = field(webhook, 'status') !== undefined && field(webhook, 'merchantOrderId') !== undefined;
      const value = form ?? (minimal ? 'minimal' : undefined);
      const agrees = [field(webhook, 'status'), field(webhook, 'data.status')].includes(field(view, 'data.status'));
      context.observe(
        'webhook-order-payload',
        `${shape(webhook)}; status ${agrees ? 'as' : 'not as'} in the view`,
        value,
      );
    },
  },
];

/** True when the event holds the order's view, as it is now, at a place. */
function isCopy(webhook: Answer, view: Answer, prefix: string): boolean {
  const names = ['orderAmount', 'expiresAt', 'createdAt'];
  return names.every(
    (name) => JSON.stringify(field(webhook, `${prefix}${name}`)) === JSON.stringify(field(view, `data.${name}`)),
  );
}

/** Names of what an event's body holds. */
function shape({ json, text }: Answer): string {
  return typeof json === 'object' && json !== null ? Object.keys(json).join(', ') : `no JSON: ${cut(text, 60)}`;
}
