import { limit } from '../../../generated/catalogue.ts';
import { type Product, passSoon, tooLittle } from '../../arrange/orders/any-order.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { confirmed } from '../../arrange/orders/payments.ts';
import { everyKind, type OrderKind } from '../../arrange/refunds/kinds-of-orders.ts';
import { bringRefundTo, makeRefund } from '../../arrange/refunds/refunds.ts';
import { furtherMeans, means } from '../../arrange/situations/means.ts';
import { makeCheckoutOfEveryShape, makeHostedOfEveryShape, paymentOf } from '../../arrange/situations/shapes.ts';
import { ifTaken, sideBySide } from '../../arrange/situations/situations.ts';
import { announcesExpiry, expectWebhook, mentionsStatus } from '../../arrange/webhooks/waiting.ts';
import { makeNotifiedOrder } from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { bringEachTo, expectAnnounced } from '../support/announced.ts';

// Every end is announced, whatever an order is like and however it is paid.

const products = [
  { product: 'orders', name: 'order', noun: 'a hosted order', make: makeHostedOfEveryShape },
  { product: 'checkout', name: 'checkout-order', noun: 'a checkout order', make: makeCheckoutOfEveryShape },
] as const satisfies readonly { product: Product; name: string; noun: string; make: unknown }[];

/** Expects that the expiry of orders is announced that may be paid for hours, and for nearly as long as a checkout order may be. */
async function expectLongLivedAnnounced(context: CheckContext, product: Product, noun: string): Promise<void> {
  const merchant = await context.ownMerchant();
  const longest = limit('checkout.expires-at.farthest', 'max') / 3_600_000;
  const made = await sideBySide(
    [1, 13, longest - 1].map(async (hours) => {
      const mailbox = await context.mailbox();
      const expiresAt = new Date(context.businessTime(merchant) + hours * 3_600_000).toISOString();
      // How long a hosted order may be paid is open (open point `orders-expiry-past`).
      const order = await ifTaken(makeNotifiedOrder(context, product, mailbox, { merchant, expiresAt }));
      return order ? [{ words: `that may be paid for ${hours} hours`, mailbox, order }] : [];
    }),
  );
  await context.advanceClock(merchant, longest * 3600);
  await expectAnnounced(context, {
    merchant,
    orders: made.flat(),
    end: `and is ${noun} whose time has run out`,
    fits: announcesExpiry,
    requirement: 'webhooks.order.expired',
  });
}

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
        const made = await make(context, merchant);
        const orders = await bringEachTo(context, 'SUCCEEDED', made, (each) => [paymentOf(context, each), confirmed]);
        await expectAnnounced(context, {
          merchant,
          orders,
          end: 'which is paid',
          fits: mentionsStatus('SUCCEEDED'),
          requirement: 'webhooks.order.paid',
        });
      },
    },
    {
      id: `webhooks.${name}.every-shape.failed`,
      title: `That the payment of ${noun} has failed is announced, whatever further fields, price and network it has`,
      calls: [product],
      requirements: ['webhooks.order.failed'],
      needs: ['order-events'],
      async run(context) {
        const merchant = await context.ownMerchant();
        const made = await make(context, merchant);
        // An end that every platform brings about: too little was paid.
        const orders = await bringEachTo(context, 'FAILED', made, (each) => [
          paymentOf(context, each, tooLittle),
          confirmed,
        ]);
        await expectAnnounced(context, {
          merchant,
          orders,
          end: 'for which too little was paid',
          fits: mentionsStatus('FAILED'),
          requirement: 'webhooks.order.failed',
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
        const orders = await make(context, merchant, 'short');
        await passSoon(context, merchant);
        await expectAnnounced(context, {
          merchant,
          orders,
          end: 'whose time has run out',
          fits: announcesExpiry,
          requirement: 'webhooks.order.expired',
        });
        if (context.has('clock')) await expectLongLivedAnnounced(context, product, noun);
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
      [...means, ...furtherMeans].map(async ({ words, currency, pay }) => {
        const mailbox = await context.mailbox();
        const changes = { orderAmount: { value: '9.50', currency }, callbackUrl: mailbox.url };
        return { words, mailbox, order: await makeOrder(context, merchant, changes), pay };
      }),
    );
    const ended = await bringEachTo(context, status, orders, ({ pay }) => [pay(context), ...steps]);
    await expectAnnounced(context, { merchant, orders: ended, end, fits: mentionsStatus(status), requirement });
  },
}));

/** The longest text of a merchant's own that the contract has; it sets no bound for extraData, and none for a notifyUrl. */
const longest = limit('checkout.metadata.length', 'max');

/** Refunds whose texts a column or a message of careless width does not hold, with what is announced of each. */
const longRefunds = [
  { words: `extraData of ${longest} characters`, status: 'SUCCEEDED', length: longest, query: '' },
  { words: `extraData of ${5 * longest} characters`, status: 'FAILED', length: 5 * longest, query: '' },
  {
    words: 'a notifyUrl of more than 2400 characters',
    status: 'SUCCEEDED',
    length: 0,
    query: `?page=${'b'.repeat(2400)}`,
  },
] as const;

const refundCheck: CheckDeclaration = {
  id: 'webhooks.refund.long-extra-data',
  title: 'The result of a refund with a long extraData or a long notifyUrl is announced',
  calls: ['refunds'],
  requirements: ['webhooks.refund.notify-url'],
  needs: ['order-events', 'refund-events'],
  async run(context) {
    const merchant = await context.ownMerchant();
    const results = longRefunds.map(async ({ words, status, length, query }) => {
      const mailbox = await context.mailbox(query);
      const extraData = JSON.stringify({ cart: 'c'.repeat(length) });
      // How long either may be is not said.
      const refund = await ifTaken(makeRefund(context, merchant, { notifyUrl: mailbox.url, extraData }));
      if (!refund) return false;
      await bringRefundTo(context, refund, status);
      const what = `a webhook of a refund with ${words} that is ${status}`;
      await expectWebhook(context, { merchant, mailbox }, mentionsStatus(status), what);
      return true;
    });
    const taken = await sideBySide(results);
    if (!taken.includes(true)) throw new PermittedChoice('texts of that length are refused here');
  },
};

/** Refunds an order of a kind that has an address too, and fails unless the result comes to the address of the refund. False where there is no such refund. */
async function expectRefundAnnounced(context: CheckContext, { words, pay }: OrderKind): Promise<boolean> {
  const merchant = await context.ownMerchant();
  const [mailbox, ofOrder] = [await context.mailbox(), await context.mailbox()];
  const made = async () => {
    const order = await pay(context, merchant, { callbackUrl: ofOrder.url });
    return makeRefund(context, merchant, { order, notifyUrl: mailbox.url });
  };
  const refund = await ifTaken(made());
  if (!refund) return false;
  await bringRefundTo(context, refund, 'SUCCEEDED');
  const ids = [refund.request.merchantRefundOrderId];
  const party = { merchant, mailbox, others: [ofOrder], ids, address: 'webhooks.refund.notify-url' } as const;
  const what = `a webhook of the refund of ${words}, which is SUCCEEDED`;
  await expectWebhook(context, party, mentionsStatus('SUCCEEDED'), what);
  return true;
}

const refundOfKindsCheck: CheckDeclaration = {
  id: 'webhooks.refund.every-kind',
  mayCall: ['checkout'],
  title:
    'The result of a refund is announced at the address of the refund, whatever its order is like and however that was paid',
  calls: ['refunds'],
  requirements: ['webhooks.refund.notify-url'],
  needs: ['order-events', 'refund-events'],
  async run(context) {
    const judged = await sideBySide(everyKind(context).map((kind) => expectRefundAnnounced(context, kind)));
    if (!judged.includes(true)) throw new PermittedChoice('only usual orders can be made and refunded here');
  },
};

const cancellationCheck: CheckDeclaration = {
  id: 'webhooks.order.every-shape.cancelled',
  title: 'That a hosted order is cancelled is announced, whatever further fields and price it has',
  calls: ['orders'],
  requirements: ['webhooks.order.cancelled'],
  needs: ['order-events'],
  async run(context) {
    const merchant = await context.ownMerchant();
    const made = await makeHostedOfEveryShape(context, merchant);
    const orders = await bringEachTo(context, 'CLOSED', made, () => [{ type: 'cancelled' }]);
    await expectAnnounced(context, {
      merchant,
      orders,
      end: 'which is cancelled',
      fits: mentionsStatus('CLOSED'),
      requirement: 'webhooks.order.cancelled',
    });
  },
};

/** Checks that no end of an order goes unannounced. */
export const webhooksShapesChecks: readonly CheckDeclaration[] = [
  ...shapeChecks,
  ...paymentChecks,
  cancellationCheck,
  refundCheck,
  refundOfKindsCheck,
];
