import type { RequirementId } from '../../../generated/catalogue.ts';
import { type Product, passSoon, unpaidStatuses } from '../../arrange/orders/any-order.ts';
import { confirmed } from '../../arrange/orders/payments.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { bringRefundTo, makeRefund } from '../../arrange/refunds/refunds.ts';
import { awaitEnd, ifTaken, letHappen, sideBySide } from '../../arrange/situations/situations.ts';
import { announcesExpiry, expectWebhook, mentionsStatus } from '../../arrange/webhooks/waiting.ts';
import { makeNotifiedOrder, type NotifiedOrder } from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat, needText, seenAt, statusOf } from '../../check/expect.ts';
import { addDecimals } from '../../contract/decimals.ts';
import { show } from '../../contract/show.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { field } from '../../wire/exchange.ts';

// Two merchants, or two products of one merchant, may have something under the same id. Each lives its own life.

/** What becomes of one of two namesakes. */
type Course = 'paid' | 'overpaid' | 'expired';

/** Two courses at once, so that one which is taken for the other shows. */
const courses: readonly (readonly [Course, Course])[] = [
  ['paid', 'overpaid'],
  ['paid', 'expired'],
  ['expired', 'paid'],
  ['expired', 'expired'],
];

/** More than an order costs, as decimal text in the currency that is due. */
function moreThanDue({ product, created }: NotifiedOrder): string {
  const due = needText(created, product === 'orders' ? 'data.orderAmount.value' : 'data.cryptoPaymentAmount.value');
  return addDecimals([due, '1.07']);
}

/** Lets an order come to its end. */
async function bringAbout(context: CheckContext, order: NotifiedOrder, course: Course): Promise<void> {
  if (course === 'expired') return passSoon(context, order.merchant);
  const payment = {
    type: 'transaction_detected',
    ...(course === 'overpaid' && { amount: moreThanDue(order) }),
  } as const;
  await letHappen(context, order, [payment, confirmed]);
}

const requirementsOf = (product: Product, course: Course): { ends: RequirementId; announced: RequirementId } => {
  if (course === 'expired') return { ends: `${product}.states.expired`, announced: 'webhooks.order.expired' };
  const ends = product === 'orders' ? 'orders.states.confirmed' : 'checkout.payment-rule';
  return { ends, announced: 'webhooks.order.paid' };
};

/** Fails unless an order has come to its own end, and that was announced. */
async function expectOwnEnd(context: CheckContext, order: NotifiedOrder, course: Course): Promise<void> {
  const { product } = order;
  const { ends, announced } = requirementsOf(product, course);
  const hosted = product === 'orders' ? ['CLOSED'] : unpaidStatuses;
  const right = course === 'expired' ? hosted : ['SUCCEEDED'];
  const answer = await awaitEnd(context, order);
  const shown = field(answer, 'data.orderId');
  expectThat(shown === order.orderId, answer, {
    expected: `data.orderId = ${order.orderId}, the order of this merchant and product under the id that was asked for`,
    actual: `data.orderId = ${show(shown)}`,
    requirement: `${product}.query.by-merchant-order-id`,
  });
  const words = `an order that is ${course}, beside another one under the same id`;
  expectThat(right.includes(String(statusOf(answer))), answer, {
    expected: `${words}: data.status = ${right.join(' or ')}`,
    actual: seenAt(answer, 'data.status'),
    requirement: ends,
  });
  const fits = course === 'expired' ? announcesExpiry : mentionsStatus('SUCCEEDED');
  await expectWebhook(context, order, fits, `a webhook of ${words}`, announced);
}

/** Two orders under one id, as far as the target takes the second. */
async function makeNamesakes(
  context: CheckContext,
  [one, other]: readonly [Pick<NotifiedOrder, 'product' | 'merchant'>, Pick<NotifiedOrder, 'product' | 'merchant'>],
): Promise<readonly [NotifiedOrder, NotifiedOrder] | undefined> {
  const merchantOrderId = context.newOrderId();
  const make = async ({ product, merchant }: typeof one) =>
    makeNotifiedOrder(context, product, await context.mailbox(), { merchant, merchantOrderId, lifetime: 'short' });
  const first = await make(one);
  const second = await ifTaken(make(other));
  return second && [first, second];
}

/** Fails unless both of two namesakes come to their own ends. False where the target does not take two orders under one id. */
async function expectApart(
  context: CheckContext,
  products: readonly [Product, Product],
  [first, second]: (typeof courses)[number],
): Promise<boolean> {
  const merchant = await context.ownMerchant();
  // Two products under one id belong to one merchant, and two orders of one product to two.
  const other = products[0] === products[1] ? await context.ownMerchant() : merchant;
  const made = await makeNamesakes(context, [
    { product: products[0], merchant },
    { product: products[1], merchant: other },
  ]);
  if (!made) return false;
  // Payments come first, because the clock of a merchant is that of all of its orders.
  const led = [
    { order: made[0], course: first },
    { order: made[1], course: second },
  ].sort((one, another) => Number(one.course === 'expired') - Number(another.course === 'expired'));
  for (const { order, course } of led) await bringAbout(context, order, course);
  await sideBySide(led.map(({ order, course }) => expectOwnEnd(context, order, course)));
  return true;
}

const notTaken = () => new PermittedChoice('two orders under one id are not taken here (open point id-namespaces)');

const ordersCheck = (product: Product, name: string, noun: string): CheckDeclaration => ({
  id: `webhooks.${name}.namesakes`,
  title: `${noun} of two merchants under the same id are paid, expire and are announced each by itself`,
  calls: [product],
  requirements: [
    'webhooks.order.paid',
    'webhooks.order.expired',
    requirementsOf(product, 'paid').ends,
    `${product}.states.expired`,
  ],
  needs: ['order-events', 'own-merchant', 'clock'],
  async run(context) {
    const judged = await sideBySide(courses.map((each) => expectApart(context, [product, product], each)));
    if (!judged.includes(true)) throw notTaken();
  },
});

const productsCheck: CheckDeclaration = {
  id: 'webhooks.order.namesakes-of-both-products',
  title:
    'A hosted order and a checkout order of one merchant under the same id are paid, expire and are announced each by itself',
  calls: ['orders', 'checkout'],
  requirements: [
    'webhooks.order.paid',
    'webhooks.order.expired',
    'orders.states.confirmed',
    'orders.states.expired',
    'checkout.payment-rule',
    'checkout.states.expired',
  ],
  needs: ['order-events', 'own-merchant', 'clock'],
  async run(context) {
    const pairs = courses.flatMap((each) => [
      ['orders', 'checkout', each] as const,
      ['checkout', 'orders', each] as const,
    ]);
    const judged = await sideBySide(pairs.map(([one, other, each]) => expectApart(context, [one, other], each)));
    if (!judged.includes(true)) throw notTaken();
  },
};

/** Where the result of a refund is posted to: an address that its request names, or the default one of its merchant. */
type Destination = 'named' | 'default';

const addressed: Readonly<Record<Destination, RequirementId>> = {
  named: 'webhooks.refund.notify-url',
  default: 'webhooks.refund.default-address',
};

/**
 * Fails unless the results of two refunds under one id, whose orders are under one id too, are both announced. False where the target does
 * not take two.
 */
async function expectBothAnnounced(
  context: CheckContext,
  state: 'SUCCEEDED' | 'FAILED',
  destination: Destination,
): Promise<boolean> {
  const [merchantOrderId, merchantRefundOrderId] = [context.newOrderId(), context.newOrderId()];
  const make = async () => {
    const mailbox = await context.mailbox();
    const { url } = mailbox;
    const merchant = await context.ownMerchant(destination === 'default' ? { defaultNotifyUrl: url } : {});
    const order = await makePaidOrder(context, merchant, { merchantOrderId });
    const notifyUrl = destination === 'named' ? { notifyUrl: url } : {};
    const refund = await makeRefund(context, merchant, { order, merchantRefundOrderId, ...notifyUrl });
    return { refund, merchant, mailbox };
  };
  const first = await make();
  const second = await ifTaken(make());
  if (!second) return false;
  const both = [first, second];
  for (const { refund } of both) await bringRefundTo(context, refund, state);
  const what = `a webhook of a refund that is ${state}, beside another merchant's under the same id`;
  await sideBySide(
    both.map((party) => expectWebhook(context, party, mentionsStatus(state), what, addressed[destination])),
  );
  return true;
}

const refundsCheck: CheckDeclaration = {
  id: 'webhooks.refund.namesakes',
  title: 'The results of refunds of two merchants under the same id are announced each by itself',
  calls: ['refunds'],
  requirements: [addressed.named, addressed.default],
  needs: ['paid-order', 'order-events', 'refund-events', 'own-merchant'],
  async run(context) {
    const judged = await sideBySide([
      expectBothAnnounced(context, 'SUCCEEDED', 'named'),
      expectBothAnnounced(context, 'FAILED', 'named'),
      expectBothAnnounced(context, 'SUCCEEDED', 'default'),
      expectBothAnnounced(context, 'FAILED', 'default'),
    ]);
    if (!judged.includes(true)) throw notTaken();
  },
};

export const webhooksNamesakeChecks: readonly CheckDeclaration[] = [
  ordersCheck('orders', 'order', 'Hosted orders'),
  ordersCheck('checkout', 'checkout-order', 'Checkout orders'),
  productsCheck,
  refundsCheck,
];
