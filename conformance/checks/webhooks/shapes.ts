import type { RequirementId } from '../../../generated/catalogue.ts';
import { type AnyMadeOrder, bringOrderTo, type Product, passSoon } from '../../arrange/orders/any-order.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { bringRefundTo, makeRefund } from '../../arrange/refunds/refunds.ts';
import { means } from '../../arrange/situations/means.ts';
import {
  makeCheckoutOfEveryShape,
  makeHostedOfEveryShape,
  paymentOf,
  type Shaped,
} from '../../arrange/situations/shapes.ts';
import { confirmed, ifTaken, letHappen, sideBySide } from '../../arrange/situations/situations.ts';
import { announcesExpiry, awaitNews, expectWebhook, mentionsStatus, missed } from '../../arrange/webhooks/waiting.ts';
import { makeNotifiedOrder } from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { countJudged, statusOf } from '../../check/expect.ts';
import type { Credentials, OrderStep } from '../../drivers/driver.ts';
import { Inconclusive, PermittedChoice } from '../../errors/outcomes.ts';
import type { Webhook } from '../../wire/mailbox.ts';

// Every end is announced, whatever an order is like and however it is paid.

/** Orders of one merchant that have ended, and what announces their end. */
interface Ended {
  merchant: Credentials;
  orders: readonly Pick<Shaped, 'words' | 'mailbox' | 'order'>[];
  /** The end in words that follow an order. */
  end: string;
  fits(webhook: Webhook): boolean;
  requirement: RequirementId;
}

/**
 * Waits for the webhooks of all these orders together. Fails when one does not come although one about a later order has come, and days have
 * passed: a target may send one webhook after the other, and be held up by receivers that do not answer.
 */
async function expectAnnounced(context: CheckContext, { merchant, orders, end, fits, requirement }: Ended) {
  const mailboxes = orders.map(({ mailbox }) => mailbox);
  const silent = () => orders.find(({ mailbox }) => !mailbox.webhooks.some(fits));
  const allCame = () => silent() === undefined || undefined;
  const come = (share: number) => awaitNews(context, merchant, mailboxes, allCame, share, []);
  if (!(await context.events.await('webhooks of orders of every kind', come, (all) => all === true))) {
    const [some] = orders;
    if (some) await needLaterWebhook(context, some.order);
    await awaitNews(context, merchant, mailboxes, allCame);
  }
  const first = silent();
  if (!first) return countJudged(context.transport);
  const what = `a webhook of an order ${first.words}, ${end}`;
  throw missed(context, { merchant, mailbox: first.mailbox }, fits, what, requirement);
}

/** How many times as long as usual a webhook is waited for that may stand behind many others. */
const longestQueue = 4;

/** Waits for a webhook of an order that is made and paid now. Throws `Inconclusive` when it does not come. */
async function needLaterWebhook(context: CheckContext, { product, merchant }: AnyMadeOrder): Promise<void> {
  const later = await makeNotifiedOrder(context, product, await context.mailbox(), { merchant });
  await bringOrderTo(context, later, 'SUCCEEDED');
  const come = (share: number) =>
    later.mailbox.first(mentionsStatus('SUCCEEDED'), context.webhookWait * longestQueue * share);
  const webhook = await context.events.await('a webhook of a later order', come, (each) => each !== undefined);
  if (webhook) return;
  throw new Inconclusive('webhooks do not come, or only later than this check waits for them', {
    requirement: 'webhooks.order.paid',
  });
}

/** Those of the orders that have come to this status. Why others have not is the question of other checks. */
async function cameTo(status: string, orders: readonly Shaped[]): Promise<readonly Shaped[]> {
  const came = await sideBySide(
    orders.map(async (each) => (statusOf(await each.order.query()) === status ? [each] : [])),
  );
  return came.flat();
}

const products = [
  { product: 'orders', name: 'order', noun: 'a hosted order', make: makeHostedOfEveryShape },
  { product: 'checkout', name: 'checkout-order', noun: 'a checkout order', make: makeCheckoutOfEveryShape },
] as const satisfies readonly { product: Product; name: string; noun: string; make: unknown }[];

const shapeChecks: readonly CheckDeclaration[] = products.flatMap(
  ({ product, name, noun, make }): CheckDeclaration[] => [
    {
      id: `webhooks.${name}.every-shape.paid`,
      title: `That ${noun} is paid is announced, whatever further fields, price and network it has`,
      calls: [product],
      requirements: ['webhooks.order.paid'],
      needs: ['order-events'],
      async run(context) {
        const merchant = await context.ownMerchant();
        const orders = await make(context, merchant);
        await sideBySide(orders.map((each) => letHappen(context, each.order, [paymentOf(context, each), confirmed])));
        await expectAnnounced(context, {
          merchant,
          orders: await cameTo('SUCCEEDED', orders),
          end: 'which is paid',
          fits: mentionsStatus('SUCCEEDED'),
          requirement: 'webhooks.order.paid',
        });
      },
    },
    {
      id: `webhooks.${name}.every-shape.expired`,
      title: `That the time of ${noun} has run out is announced, whatever further fields, price and network it has`,
      calls: [product],
      requirements: ['webhooks.order.expired'],
      long: true,
      async run(context) {
        const merchant = await context.ownMerchant();
        const orders = await make(context, merchant);
        await passSoon(context, merchant);
        await expectAnnounced(context, {
          merchant,
          orders,
          end: 'whose time has run out',
          fits: announcesExpiry,
          requirement: 'webhooks.order.expired',
        });
      },
    },
  ],
);

/** The ends of a payment. */
const payments = [
  {
    name: 'paid',
    steps: [confirmed],
    status: 'SUCCEEDED',
    end: 'whose payment is confirmed',
    requirement: 'webhooks.order.paid',
  },
  {
    name: 'failed',
    steps: [{ type: 'payment_failed', reason: 'error' }],
    status: 'FAILED',
    end: 'whose payment has failed',
    requirement: 'webhooks.order.failed',
  },
] as const;

const paymentChecks: readonly CheckDeclaration[] = payments.map(({ name, steps, status, end, requirement }) => ({
  id: `webhooks.order.every-payment.${name}`,
  title: `The end of a payment of a hosted order is announced in both currencies, over every network and from each exchange: ${name}`,
  calls: ['orders'],
  requirements: [requirement],
  needs: ['order-events'],
  async run(context) {
    const merchant = await context.ownMerchant();
    const orders = await sideBySide(
      means.map(async ({ words, currency, pay }): Promise<Shaped> => {
        const mailbox = await context.mailbox();
        const changes = { orderAmount: { value: '9.50', currency }, callbackUrl: mailbox.url };
        const order = await makeOrder(context, merchant, changes);
        await letHappen(context, order, [pay(context), ...steps]);
        return { words, mailbox, order };
      }),
    );
    const ended = await cameTo(status, orders);
    await expectAnnounced(context, { merchant, orders: ended, end, fits: mentionsStatus(status), requirement });
  },
}));

const cancellationCheck: CheckDeclaration = {
  id: 'webhooks.order.every-shape.cancelled',
  title: 'That a hosted order is cancelled is announced, whatever further fields and price it has',
  calls: ['orders'],
  requirements: ['webhooks.order.cancelled'],
  needs: ['order-events'],
  async run(context) {
    const merchant = await context.ownMerchant();
    const orders = await makeHostedOfEveryShape(context, merchant);
    await sideBySide(orders.map(({ order }) => letHappen(context, order, [{ type: 'cancelled' }])));
    await expectAnnounced(context, {
      merchant,
      orders: await cameTo('CLOSED', orders),
      end: 'which is cancelled',
      fits: mentionsStatus('CLOSED'),
      requirement: 'webhooks.order.cancelled',
    });
  },
};

const day = 86_400;

/** How long orders live here that end late, and after how long something happens to them, in seconds. */
const [longLife, longPause] = [60 * day, 40 * day];

/** Late ends of hosted orders. The last one needs no step: its time runs out. */
const lateEnds = [
  { steps: [{ type: 'transaction_detected' }, confirmed], status: 'SUCCEEDED', requirement: 'webhooks.order.paid' },
  {
    steps: [{ type: 'transaction_detected' }, { type: 'payment_failed', reason: 'error' }],
    status: 'FAILED',
    requirement: 'webhooks.order.failed',
  },
  { steps: [{ type: 'cancelled' }], status: 'CLOSED', requirement: 'webhooks.order.cancelled' },
  { steps: [], status: 'CLOSED', requirement: 'webhooks.order.expired' },
] as const satisfies readonly { steps: readonly OrderStep[]; status: string; requirement: RequirementId }[];

/** Fails unless the end of an order is announced that comes weeks after its creation. False where orders may not live so long. */
async function expectLateEnd(context: CheckContext, late: (typeof lateEnds)[number]): Promise<boolean> {
  const [merchant, mailbox] = [await context.ownMerchant(), await context.mailbox()];
  const expiresAt = new Date(context.now() + longLife * 1000).toISOString();
  const order = await ifTaken(makeOrder(context, merchant, { expiresAt, callbackUrl: mailbox.url }));
  if (!order) return false;
  await context.advanceClock(merchant, longPause);
  if (late.steps.length === 0) await context.advanceClock(merchant, longLife - longPause + day);
  else await letHappen(context, order, late.steps);
  const words = `that is ${late.status} weeks after it was made`;
  const ended = await cameTo(late.status, [{ words, mailbox, order }]);
  const [end, fits] = ['by what happened then', mentionsStatus(late.status)];
  await expectAnnounced(context, { merchant, orders: ended, end, fits, requirement: late.requirement });
  return true;
}

/** Fails unless the result of a refund is announced that comes weeks after its creation. False where it comes to none then. */
async function expectLateResult(context: CheckContext, state: 'SUCCEEDED' | 'FAILED'): Promise<boolean> {
  const [merchant, mailbox] = [await context.ownMerchant(), await context.mailbox()];
  const refund = await makeRefund(context, merchant, { notifyUrl: mailbox.url });
  await context.advanceClock(merchant, longPause);
  // A platform may have brought it to an end meanwhile.
  await ifTaken(bringRefundTo(context, refund, state));
  const status = String(statusOf(await refund.query()));
  if (status !== 'SUCCEEDED' && status !== 'FAILED') return false;
  const what = `a webhook of a refund that is ${status} weeks after it was made`;
  await expectWebhook(context, { merchant, mailbox }, mentionsStatus(status), what);
  return true;
}

const lateChecks: readonly CheckDeclaration[] = [
  {
    id: 'webhooks.order.weeks-later',
    title: 'The end of a hosted order is announced that comes weeks after it was made',
    calls: ['orders'],
    requirements: [
      'webhooks.order.paid',
      'webhooks.order.failed',
      'webhooks.order.cancelled',
      'webhooks.order.expired',
    ],
    needs: ['order-events', 'clock'],
    async run(context) {
      const judged = await sideBySide(lateEnds.map((late) => expectLateEnd(context, late)));
      if (judged.includes(true)) return;
      throw new PermittedChoice('orders may not live for weeks here (open point orders-expiry-past)');
    },
  },
  {
    id: 'webhooks.refund.weeks-later',
    title: 'The result of a refund is announced that comes weeks after it was made',
    calls: ['refunds'],
    requirements: ['webhooks.refund.notify-url'],
    needs: ['paid-order', 'order-events', 'refund-events', 'clock'],
    async run(context) {
      const judged = await sideBySide([expectLateResult(context, 'SUCCEEDED'), expectLateResult(context, 'FAILED')]);
      if (!judged.includes(true)) throw new PermittedChoice('refunds that are weeks old come to no result here');
    },
  },
];

/** Checks that no end goes unannounced, of orders above all. */
export const webhooksShapesChecks: readonly CheckDeclaration[] = [
  ...shapeChecks,
  ...paymentChecks,
  cancellationCheck,
  ...lateChecks,
];
