import type { Product } from '../../arrange/orders/any-order.ts';
import { makeRefund } from '../../arrange/refunds/refunds.ts';
import { exchanges, sideBySide } from '../../arrange/situations/situations.ts';
import { shareOfPrompt } from '../../arrange/webhooks/waiting.ts';
import { makeNotifiedOrder } from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat, statusOf } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import { statusesIn } from '../../contract/statuses.ts';
import type { OrderStep } from '../../drivers/driver.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import type { Mailbox, Webhook } from '../../wire/mailbox.ts';

/** True for a webhook that says nothing else than that something SUCCEEDED. */
const saysPaid = ({ text }: Webhook) => statusesIn(text).join() === 'SUCCEEDED';

const isPaid = (answer: Answer) => statusOf(answer) === 'SUCCEEDED';

const onChain = { type: 'transaction_detected' } as const;

/** How an order is paid. Only hosted orders are paid by an exchange. */
const payments: Readonly<Record<Product, readonly OrderStep[]>> = {
  orders: [onChain, ...exchanges.map((paymentMethod) => ({ ...onChain, paymentMethod }))],
  checkout: [onChain],
};

/** Fails where a webhook says SUCCEEDED of something that is not. */
async function expectNotSaid(
  context: CheckContext,
  mailbox: Mailbox,
  query: () => Promise<Answer>,
  noun: string,
): Promise<void> {
  const early = await mailbox.first(saysPaid, context.webhookWait * shareOfPrompt);
  // What a query shows may lag behind the webhook.
  const view = early ? await context.poll(query, isPaid) : await query();
  expectThat(!early || isPaid(view), early ?? view, {
    expected: `no webhook says SUCCEEDED before ${noun} is`,
    actual: `one says it, and a query shows data.status = ${show(statusOf(view))} long after it came`,
  });
}

/** Fails where a webhook says that an order is paid whose payment is not confirmed. An order that moves on by itself is paid soon. */
async function expectNoneTooEarly(context: CheckContext, product: Product, payment: OrderStep): Promise<void> {
  const order = await makeNotifiedOrder(context, product, await context.mailbox());
  const detected = await context.orderEvent(order.merchant, order.orderId, payment);
  if (!detected.done) throw new NotApplicable(`the driver lets no payment be seen: ${detected.message}`);
  await expectNotSaid(context, order.mailbox, order.query, 'the order');
  await context.orderEvent(order.merchant, order.orderId, { type: 'payment_confirmed' });
}

const products = [
  { product: 'orders', prefix: 'webhooks.order', noun: 'an order' },
  { product: 'checkout', prefix: 'webhooks.checkout-order', noun: 'a checkout order' },
] as const;

/** Fails where a webhook tells the result of a refund that is under way. */
async function expectNoEarlyResult(context: CheckContext): Promise<void> {
  const [merchant, mailbox] = [await context.ownMerchant(), await context.mailbox()];
  const { refundOrderId, query } = await makeRefund(context, merchant, { notifyUrl: mailbox.url });
  const step = (type: 'processing_started' | 'completed') => context.refundEvent(merchant, refundOrderId, { type });
  const started = await step('processing_started');
  if (!started.done) throw new NotApplicable(`the driver does not begin the refund: ${started.message}`);
  await expectNotSaid(context, mailbox, query, 'the refund');
  await step('completed');
}

export const webhooksWhileProcessingChecks: readonly CheckDeclaration[] = [
  ...products.map(
    ({ product, prefix, noun }): CheckDeclaration => ({
      id: `${prefix}.while-processing`,
      title: `No webhook says that ${noun} is SUCCEEDED whose payment was seen and is not confirmed`,
      calls: [product],
      requirements: ['webhooks.order.after-change'],
      needs: ['order-events'],
      long: true,
      async run(context) {
        await sideBySide(payments[product].map((payment) => expectNoneTooEarly(context, product, payment)));
      },
    }),
  ),
  {
    id: 'webhooks.refund.while-processing',
    title: 'No webhook says that a refund is SUCCEEDED that is under way',
    calls: ['refunds'],
    requirements: ['webhooks.refund.after-result'],
    needs: ['paid-order', 'order-events', 'refund-events'],
    long: true,
    run: expectNoEarlyResult,
  },
];
