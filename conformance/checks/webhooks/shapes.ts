import type { RequirementId } from '../../../generated/catalogue.ts';
import { type AnyMadeOrder, bringOrderTo, type Product, passSoon } from '../../arrange/orders/any-order.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { means } from '../../arrange/situations/means.ts';
import {
  makeCheckoutOfEveryShape,
  makeHostedOfEveryShape,
  paymentOf,
  type Shaped,
} from '../../arrange/situations/shapes.ts';
import { confirmed, letHappen, sideBySide } from '../../arrange/situations/situations.ts';
import { announcesExpiry, awaitNews, mentionsStatus, missed } from '../../arrange/webhooks/waiting.ts';
import { makeNotifiedOrder } from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { countJudged, statusOf } from '../../check/expect.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
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

/** Checks that no end of an order goes unannounced. */
export const webhooksShapesChecks: readonly CheckDeclaration[] = [...shapeChecks, ...paymentChecks];
