import type { OrdersState } from '../../../generated/catalogue.ts';
import { bringCheckoutOrderTo } from '../../arrange/checkout-orders/checkout-orders.ts';
import { bringOrderTo, expire, type Product } from '../../arrange/orders/any-order.ts';
import {
  expectWebhook,
  makeCancelledOrder,
  makeNotifiedOrder,
  mentionsStatus,
  type NotifiedOrder,
} from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat, needText } from '../../check/expect.ts';
import type { Need } from '../../check/needs.ts';
import { cut, show } from '../../contract/show.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import type { Webhook } from '../../wire/mailbox.ts';

/** An outcome of an order that is announced, and how a check brings it about. */
interface Outcome {
  name: 'paid' | 'failed' | 'expired' | 'cancelled';
  /** The outcome in words that follow `an order that`. */
  words: string;
  needs: readonly Need[];
  /** How long its orders live. Absent: as usual. */
  lifetime?: 'short';
  /** Absent: both products; the contract announces a cancelled order for hosted orders only. */
  onlyOf?: Product;
  bringAbout(context: CheckContext, order: NotifiedOrder): Promise<unknown>;
}

const eventOutcome = (name: Outcome['name'], words: string, state: OrdersState): Outcome => ({
  name,
  words,
  needs: ['order-events'],
  bringAbout: (context, order) => bringOrderTo(context, order, state),
});

const outcomes: readonly Outcome[] = [
  eventOutcome('paid', 'is paid', 'SUCCEEDED'),
  eventOutcome('failed', 'fails', 'FAILED'),
  { name: 'expired', words: 'expires', needs: [], lifetime: 'short', bringAbout: expire },
  { ...eventOutcome('cancelled', 'is cancelled', 'CLOSED'), onlyOf: 'orders' },
];

const products: readonly { product: Product; noun: string; idPrefix: string }[] = [
  { product: 'orders', noun: 'hosted order', idPrefix: 'webhooks.order' },
  { product: 'checkout', noun: 'checkout order', idPrefix: 'webhooks.checkout-order' },
];

/** What the addresses of checks end with: a target that cuts or rewrites it sends to another address. */
const queryOfAddress = '?shop=7&path=%2Fhooks%3f';

const outcomeChecks: readonly CheckDeclaration[] = products.flatMap(({ product, noun, idPrefix }) =>
  outcomes
    .filter(({ onlyOf = product }) => onlyOf === product)
    .map(({ name, words, needs, lifetime, bringAbout }) => ({
      id: `${idPrefix}.${name}`,
      title: `A ${noun} that ${words} is announced`,
      calls: [product],
      requirements: [`webhooks.order.${name}`],
      needs,
      ...(lifetime && { long: true as const }),
      async run(context) {
        const order = await makeNotifiedOrder(
          context,
          product,
          await context.mailbox(queryOfAddress),
          undefined,
          lifetime,
        );
        await bringAbout(context, order);
        const status = needText(await order.query(), 'data.status');
        await expectWebhook(context, order, mentionsStatus(status), `a webhook of the order that is now ${status}`);
      },
    })),
);

/** Whether the move to PROCESSING is announced. A late webhook about it comes together with the one about the payment. */
async function announcesProcessing(context: CheckContext, product: Product): Promise<{ sent: boolean; last: Answer }> {
  const order = await makeNotifiedOrder(context, product, await context.mailbox());
  await (product === 'checkout' ? bringCheckoutOrderTo : bringOrderTo)(context, order, 'PROCESSING');
  await bringOrderTo(context, order, 'SUCCEEDED');
  const last = await expectWebhook(context, order, mentionsStatus('SUCCEEDED'), 'a webhook of the paid order');
  const isOther = (webhook: Webhook) => webhook !== last && mentionsStatus('PROCESSING')(webhook);
  const sent = await order.mailbox.first(isOther, Math.min(context.webhookWait, 1000));
  const value = sent ? 'every-change' : 'outcomes-only';
  const noun = product === 'orders' ? 'a hosted order' : 'a checkout order';
  context.observe('webhook-trigger', `${noun} that moves to PROCESSING: ${sent ? 'sent' : 'not sent'}`, value);
  return { sent: sent !== undefined, last };
}

export const webhooksOrdersChecks: readonly CheckDeclaration[] = [
  ...outcomeChecks,
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
      // Another order of the merchant names another address. The invariant over the history sees what goes astray there.
      const { order: neighbour } = await makeCancelledOrder(context);
      const { webhook } = await makeCancelledOrder(context, neighbour.merchant);
      expectThat(webhook.method === 'POST', webhook, {
        expected: 'method = POST',
        actual: `method = ${webhook.method}`,
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
      const { order, webhook } = await makeCancelledOrder(context);
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
      const { order, webhook } = await makeCancelledOrder(context);
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

/** True when the body of the webhook has the fields of the order's view, behind a prefix such as `data.`. */
function isCopy(webhook: Answer, view: Answer, prefix: string): boolean {
  const names = ['orderAmount', 'expiresAt', 'createdAt'];
  return names.every(
    (name) => JSON.stringify(field(webhook, `${prefix}${name}`)) === JSON.stringify(field(view, `data.${name}`)),
  );
}

/** The names of the fields in the body of a webhook. */
function shape({ json, text }: Answer): string {
  return typeof json === 'object' && json !== null ? Object.keys(json).join(', ') : `no JSON: ${cut(text, 60)}`;
}
