import { type Product, passSoon, unpaidStatuses } from '../../arrange/orders/any-order.ts';
import { bringAnyOrderTo } from '../../arrange/products.ts';
import { someAtOnce } from '../../arrange/requests/some-at-once.ts';
import { expectRepeated } from '../../arrange/webhooks/repeated.ts';
import { announcesExpiry, expectWebhook, mentionsStatus } from '../../arrange/webhooks/waiting.ts';
import { makeNotifiedOrder } from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat, seenAt, statusOf } from '../../check/expect.ts';
import type { Credentials } from '../../drivers/driver.ts';
import type { Answer } from '../../wire/exchange.ts';
import type { Reply } from '../../wire/mailbox.ts';
import { expectAnnounced } from '../support/announced.ts';

/**
 * How many orders expire at once: more than a page of a hundred holds, or fewer where a run has limits. Of these, so many are not acknowledged
 * and awaited again, no more than many other checks await together, for a sender may well make one connection after the other. The events of
 * the others come to one address, where each is acknowledged.
 */
const [many, manyEnough, unheard] = [105, 25, 25];

const failure: Reply = { status: 500 };

const products = [
  { product: 'orders', name: 'order', noun: 'hosted orders', ends: ['CLOSED'] },
  { product: 'checkout', name: 'checkout-order', noun: 'checkout orders', ends: unpaidStatuses },
] as const satisfies readonly { product: Product; name: string; noun: string; ends: readonly string[] }[];

/** An order at whose address no webhook is taken. */
async function makeUnheard(context: CheckContext, product: Product, merchant: Credentials) {
  const mailbox = await context.mailbox();
  mailbox.reply(failure);
  return { mailbox, order: await makeNotifiedOrder(context, product, mailbox, { merchant, lifetime: 'short' }) };
}

/** Fails where one of many orders that expire at once does not end, is not announced, or not again after its first webhook was not taken. */
async function expectAll(context: CheckContext, { product, noun, ends }: (typeof products)[number]): Promise<void> {
  const merchant = await context.ownMerchant();
  const count = context.isThrifty ? manyEnough : many;
  const make = () => makeUnheard(context, product, merchant);
  // The oldest is surely the first one.
  const first = await make();
  const made = [first, ...(await someAtOnce(Array.from({ length: unheard - 1 }), make))];
  const crowd = await context.mailbox();
  await someAtOnce(Array.from({ length: count - unheard }), () =>
    makeNotifiedOrder(context, product, crowd, { merchant, lifetime: 'short' }),
  );
  await passSoon(context, merchant);

  const hasEnded = (answer: Answer) => ends.some((end) => end === statusOf(answer));
  // The others are not asked for: a question could be what lets an order expire.
  const view = await context.poll(first.order.query, hasEnded);
  expectThat(hasEnded(view), view, {
    expected: `the first of ${count} ${noun} of a merchant that expire at once: data.status = ${ends.join(' or ')}`,
    actual: seenAt(view, 'data.status'),
    requirement: `${product}.states.expired`,
  });
  const [words, end] = [`that is one of ${count} of its merchant`, 'all of which expire at once'];
  const orders = made.map((each) => ({ ...each, words }));
  await expectAnnounced(context, {
    merchant,
    orders,
    end,
    fits: announcesExpiry,
    requirement: 'webhooks.order.expired',
  });
  // What is kept of the events that wait may be what the others leave room for.
  const others = () => crowd.webhooks.length >= count - unheard || undefined;
  await context.wait([crowd], others, context.webhookWait);
  for (const { mailbox } of made) mailbox.reply({ status: 200 });
  const ending = String(statusOf(view));
  const refused = made.map(({ mailbox }) => ({ reply: failure, subject: { merchant, mailbox, ending } }));
  await expectRepeated(context, refused, 'webhooks.retry');
  await expectNextAnnounced(
    context,
    product,
    merchant,
    `the next order of a merchant with ${count} others, which is paid`,
  );
}

/** Fails where an order that is paid after many others of its merchant is not announced. */
async function expectNextAnnounced(
  context: CheckContext,
  product: Product,
  merchant: Credentials,
  what: string,
): Promise<void> {
  if (!context.has('order-events')) return;
  const mailbox = await context.mailbox();
  const order = await makeNotifiedOrder(context, product, mailbox, { merchant });
  await bringAnyOrderTo(context, order, 'SUCCEEDED');
  const announces = mentionsStatus('SUCCEEDED');
  await expectWebhook(context, { merchant, mailbox }, announces, `a webhook of ${what}`, 'webhooks.order.paid');
}

/** Many orders of one merchant that end at once all end, and those that were made first are announced, and again where that was not taken; and so is one that is paid after them. */
export const webhooksManyAtOnceChecks: readonly CheckDeclaration[] = products.map((each) => ({
  id: `webhooks.${each.name}.many-at-once`,
  title: `More than a hundred ${each.noun} of a merchant expire at once, and each of those that were made first is announced until that is taken, and so is the next one, which is paid`,
  calls: [each.product],
  requirements: ['webhooks.order.expired', 'webhooks.retry', `${each.product}.states.expired`, 'webhooks.order.paid'],
  needs: ['own-merchant', 'clock'],
  long: true,
  run: (context) => expectAll(context, each),
}));
