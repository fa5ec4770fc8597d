import { type Product, passSoon, tooLittle } from '../../arrange/orders/any-order.ts';
import { exchanges, overpaid } from '../../arrange/orders/payments.ts';
import { makeRefund } from '../../arrange/refunds/refunds.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import { shareOfPrompt } from '../../arrange/webhooks/waiting.ts';
import { makeNotifiedOrder } from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat, statusOf } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import { isFinalStatus, statusesIn } from '../../contract/statuses.ts';
import type { MerchantSettings, OrderStep } from '../../drivers/driver.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import type { Mailbox, Webhook } from '../../wire/mailbox.ts';

/** The end that a webhook tells of and nothing else. `undefined`: it names another status, several or none. */
function endSaid({ text }: Webhook): string | undefined {
  const [only, ...others] = statusesIn(text);
  return others.length === 0 && isFinalStatus('orders', only) ? only : undefined;
}

const onChain = { type: 'transaction_detected' } as const;

const payments: readonly OrderStep[] = [onChain, overpaid, { ...onChain, amount: tooLittle }];

/** How an order is paid. Only hosted orders are paid by an exchange. */
const paymentsOf: Readonly<Record<Product, readonly OrderStep[]>> = {
  orders: [...payments, ...exchanges.map((paymentMethod) => ({ ...onChain, paymentMethod }))],
  checkout: payments,
};

/** Fails where a webhook tells of an end to which something has not come. */
async function expectNoEndSaid(
  context: CheckContext,
  mailbox: Mailbox,
  query: () => Promise<Answer>,
  noun: string,
): Promise<void> {
  const early = await mailbox.first((webhook) => endSaid(webhook) !== undefined, context.webhookWait * shareOfPrompt);
  const end = early && endSaid(early);
  const isThere = (answer: Answer) => statusOf(answer) === end;
  // What a query shows may lag behind the webhook.
  const view = early ? await context.poll(query, isThere) : await query();
  expectThat(!early || isThere(view), early ?? view, {
    expected: `no webhook says ${end} before ${noun} is`,
    actual: `one says it, and a query shows data.status = ${show(statusOf(view))} long after it came`,
  });
}

/**
 * Fails where a webhook tells of an end of an order whose payment is not confirmed, also when its time to be paid is over. An order that moves on
 * by itself ends soon.
 */
async function expectNoneTooEarly(
  context: CheckContext,
  product: Product,
  payment: OrderStep,
  settings: MerchantSettings,
): Promise<void> {
  const canPass = context.has('clock');
  const merchant = await context.ownMerchant(settings);
  const order = await makeNotifiedOrder(context, product, await context.mailbox(), {
    merchant,
    lifetime: canPass ? 'short' : 'ordinary',
  });
  const { orderId, mailbox, query } = order;
  const detected = await context.orderEvent(merchant, orderId, payment);
  if (!detected.done) throw new NotApplicable(`the driver lets no payment be seen: ${detected.message}`);
  await expectNoEndSaid(context, mailbox, query, 'the order');
  if (canPass) {
    await passSoon(context, merchant);
    await expectNoEndSaid(context, mailbox, query, 'the order');
  } else await context.orderEvent(merchant, orderId, { type: 'payment_confirmed' });
}

const products = [
  { product: 'orders', prefix: 'webhooks.order', noun: 'an order' },
  { product: 'checkout', prefix: 'webhooks.checkout-order', noun: 'a checkout order' },
] as const;

/** The settings of merchants whose payments and refunds move on at the driver's steps only, and of others whose move on by themselves too. */
const kindsOfMerchants = (context: CheckContext): readonly MerchantSettings[] =>
  context.has('own-merchant') ? [{}, { automatic: true }] : [{}];

/** Fails where a webhook tells the result of a refund that is under way. */
async function expectNoEarlyResult(context: CheckContext, settings: MerchantSettings): Promise<void> {
  const [merchant, mailbox] = [await context.ownMerchant(settings), await context.mailbox()];
  const { refundOrderId, query } = await makeRefund(context, merchant, { notifyUrl: mailbox.url });
  const step = (type: 'processing_started' | 'completed') => context.refundEvent(merchant, refundOrderId, { type });
  const started = await step('processing_started');
  const isUnderWay = started.done || statusOf(await query()) === 'PROCESSING';
  if (!isUnderWay) throw new NotApplicable(`the driver does not begin the refund: ${started.message}`);
  await expectNoEndSaid(context, mailbox, query, 'the refund');
  await step('completed');
}

export const webhooksWhileProcessingChecks: readonly CheckDeclaration[] = [
  ...products.map(
    ({ product, prefix, noun }): CheckDeclaration => ({
      id: `${prefix}.while-processing`,
      title: `No webhook tells of an end of ${noun} whose payment was seen and is not confirmed`,
      calls: [product],
      requirements: ['webhooks.order.after-change'],
      needs: ['order-events'],
      long: true,
      async run(context) {
        await sideBySide(
          kindsOfMerchants(context).flatMap((settings) =>
            paymentsOf[product].map((payment) => expectNoneTooEarly(context, product, payment, settings)),
          ),
        );
      },
    }),
  ),
  {
    id: 'webhooks.refund.while-processing',
    title: 'No webhook tells of an end of a refund that is under way',
    calls: ['refunds'],
    requirements: ['webhooks.refund.after-result'],
    needs: ['paid-order', 'order-events', 'refund-events'],
    long: true,
    async run(context) {
      await sideBySide(kindsOfMerchants(context).map((settings) => expectNoEarlyResult(context, settings)));
    },
  },
];
