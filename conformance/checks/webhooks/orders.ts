import { limit } from '../../../generated/catalogue.ts';
import { bringCheckoutOrderTo, makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { bringOrderTo, notExpired, type Product, passSoon, unpaidStatuses } from '../../arrange/orders/any-order.ts';
import type { OrderCreateRequest } from '../../arrange/orders/client.ts';
import { makeOrder, ordinaryAmount } from '../../arrange/orders/orders.ts';
import { exchanges, hostedNetworks, paymentOver } from '../../arrange/orders/payments.ts';
import { bringTo } from '../../arrange/requests/bring-to.ts';
import { ifTaken, needEnd, sideBySide, unpaidEnds } from '../../arrange/situations/situations.ts';
import { causes } from '../../arrange/webhooks/causes.ts';
import { awkwardQuery } from '../../arrange/webhooks/queries.ts';
import {
  announcesExpiry,
  awaitNews,
  awaitWebhook,
  expectWebhook,
  mentionsStatus,
  missed,
  namesOneOf,
  needWebhook,
  shareOfPrompt,
  thoughTimePassed,
} from '../../arrange/webhooks/waiting.ts';
import {
  makeCancelledOrder,
  makeNeighbouredOrder,
  makeNotifiedOrder,
  type NotifiedOrder,
} from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { countJudged, expectThat, seenAt, statusOf } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import { shortestTellingId } from '../../contract/telling-ids.ts';
import type { Credentials, OrderStep } from '../../drivers/driver.ts';
import { Broken } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import type { Mailbox, Webhook } from '../../wire/mailbox.ts';

const products: readonly { product: Product; other: Product; noun: string; idPrefix: string; longest: number }[] = [
  {
    product: 'orders',
    other: 'checkout',
    noun: 'hosted order',
    idPrefix: 'webhooks.order',
    longest: limit('orders.callback-url.length', 'max'),
  },
  {
    product: 'checkout',
    other: 'orders',
    noun: 'checkout order',
    idPrefix: 'webhooks.checkout-order',
    longest: limit('checkout.callback-url.length', 'max'),
  },
];

const causeChecks: readonly CheckDeclaration[] = products.flatMap(({ product, noun, idPrefix }) =>
  causes
    .filter(({ onlyOf = product }) => onlyOf === product)
    .map(({ name, words, requirement, needs, lifetime, bringAbout }) => ({
      id: `${idPrefix}.${name}`,
      title: `A ${noun} that ${words} is announced at its own callbackUrl`,
      calls: [product],
      requirements: [requirement, 'webhooks.order.post'] as const,
      needs,
      ...(lifetime && { long: true as const }),
      async run(context) {
        const order = await makeNeighbouredOrder(context, product, await context.mailbox(awkwardQuery), lifetime);
        const status = await bringAbout(context, order, product);
        await expectWebhook(context, order, mentionsStatus(status), `a webhook of the order that is now ${status}`);
      },
    })),
);

/** How many orders of a merchant expire while nobody asks for them: more than work through a short list of what is due may take at once. */
const unseenOrders = 12;

/** The part of the whole wait for a change that is left to an order whose webhook has not come. */
const shareWithoutWebhook = 0.2;

/** Fails unless the order has ended, and was announced before anybody asked for it. */
async function expectAnnounced(context: CheckContext, order: NotifiedOrder): Promise<void> {
  const heard = order.mailbox.webhooks.find(announcesExpiry);
  const hasEnded = (answer: Answer) => unpaidStatuses.includes(String(statusOf(answer)));
  // What a query shows may lag behind the webhook. Where none came in its whole time, the order has had the time to end too.
  const view = await context.poll(order.query, hasEnded, heard ? 1 : shareWithoutWebhook);
  if (!heard) {
    // One that has not ended has nothing to announce.
    if (!hasEnded(view)) throw notExpired(order.product, view);
    const what = 'a webhook of the order that has expired, for which nobody has asked';
    const late =
      context.has('clock') && (await order.mailbox.first(announcesExpiry, context.webhookWait * shareOfPrompt));
    if (late) throw cameOnceAsked(late);
    throw missed(context, order, announcesExpiry, what);
  }
  countJudged(heard);
  expectThat(hasEnded(view), view, {
    expected: `data.status = ${unpaidStatuses.join(' or ')}, as was announced`,
    actual: seenAt(view, 'data.status'),
  });
}

/** The judgement of a webhook that did not come by itself, but did once a query had asked for the order. */
function cameOnceAsked({ exchange }: Webhook): Broken {
  return new Broken('a webhook of an order that has expired came only once a query had asked for the order', {
    expected: 'a webhook of the order that has expired, although nobody asks for the order',
    actual: `none came, ${thoughTimePassed}, until a query asked for the order: the target seems to end an order only when it is asked for`,
    exchange,
  });
}

/** An amount that no order of a check has. */
const anotherAmount = '11';

/**
 * What is done to some of the orders before they expire, and moves none of them: their create is sent again, alike and with another amount, they
 * are asked for, and a payment is confirmed that nobody has made, of which a driver may make one.
 */
const disturbances: readonly ((context: CheckContext, order: NotifiedOrder) => Promise<unknown>)[] = [
  (_, { repeat }) => repeat(),
  (_, { repeat }) => repeat(anotherAmount),
  (_, { query }) => query(),
  async (context, { merchant, orderId }) =>
    context.has('order-events') && context.orderEvent(merchant, orderId, { type: 'payment_confirmed' }),
];

const unseenChecks: readonly CheckDeclaration[] = products.map(({ product, noun, idPrefix }) => ({
  id: `${idPrefix}.expired-unseen`,
  title: `Each ${noun} of several that expire while nobody asks for them is announced, also where its create was sent again before, and has ended when it is asked for later`,
  calls: [product],
  requirements: ['webhooks.order.expired', 'webhooks.order.post'],
  long: true,
  async run(context) {
    const first = await makeNeighbouredOrder(context, product, await context.mailbox(awkwardQuery), 'short');
    const { merchant } = first;
    /** One that is still to be paid when the others have expired. How far off that may be is open for hosted orders. */
    const makeLasting = async () => {
      const hours = product === 'orders' ? 400 * 24 : 23;
      const expiresAt = new Date(context.businessTime(merchant) + hours * 3_600_000).toISOString();
      await ifTaken(makeNotifiedOrder(context, product, await context.mailbox(), { merchant, expiresAt }));
    };
    await makeLasting();
    const further = Array.from({ length: context.isThrifty ? 1 : unseenOrders - 1 }, async () =>
      makeNotifiedOrder(context, product, await context.mailbox(), { merchant, lifetime: 'short' }),
    );
    const made = [first, ...(await sideBySide(further))];
    await makeLasting();
    await sideBySide(
      disturbances.map(async (disturb, place) => {
        const order = made[place + 1];
        if (order) await disturb(context, order);
      }),
    );
    const paid = made[disturbances.length];
    const isPaid = paid && context.has('order-events') && statusOf(await paid.query()) !== 'INIT';
    const orders = isPaid ? made.filter((order) => order !== paid) : made;
    await passSoon(context, merchant);
    // A query could be what makes an order expire, so the webhooks are awaited first.
    const isHeard = ({ mailbox }: NotifiedOrder) => mailbox.webhooks.some(announcesExpiry);
    const mailboxes = orders.flatMap(({ mailbox, others = [] }) => [mailbox, ...others]);
    await awaitNews(context, merchant, mailboxes, () => orders.every(isHeard) || undefined);
    await sideBySide(orders.map((order) => expectAnnounced(context, order)));
  },
}));

/** An order without a callbackUrl. */
const makeNameless = async (context: CheckContext, product: Product, merchant: Parameters<typeof makeOrder>[1]) =>
  product === 'orders' ? makeOrder(context, merchant) : makeCheckoutOrder(context, merchant);

/** The mailbox of another merchant's order that has the same merchantOrderId. Whether there can be one is open where ids are shared. */
async function makeNamesake(context: CheckContext, product: Product, { merchantOrderId }: NotifiedOrder) {
  const [merchant, mailbox] = [await context.ownMerchant(), await context.mailbox()];
  const make = product === 'orders' ? makeOrder : makeCheckoutOrder;
  await make(context, merchant, { merchantOrderId, callbackUrl: mailbox.url });
  return mailbox;
}

/** Fails when a webhook of an order, which was announced, has come to the address of another merchant's order with the same id. */
function expectNothingThere({ orderId }: NotifiedOrder, { webhooks, url }: Mailbox): void {
  const webhook = webhooks.find((each) => orderId.length >= shortestTellingId && namesOneOf(each, [orderId]));
  if (!webhook) return;
  expectThat(false, webhook, {
    expected: `no webhook of ${orderId} at ${url}, which another merchant has named for an order with the same merchantOrderId`,
    actual: 'one came there',
  });
}

/** A mailbox whose address has so many characters. */
async function longestMailbox(context: CheckContext, longest: number): Promise<Mailbox> {
  const mailbox = await context.mailbox('?a=');
  return { ...mailbox, url: mailbox.url.padEnd(longest, 'b') };
}

const addressChecks: readonly CheckDeclaration[] = products.map(({ product, other, noun, idPrefix, longest }) => ({
  id: `${idPrefix}.post`,
  title: `Each ${noun} of a merchant is announced by a POST to its own callbackUrl, whichever the merchant named last, and however long`,
  calls: [product],
  mayCall: [other],
  requirements: ['webhooks.order.post'],
  needs: ['order-events'],
  async run(context) {
    const first = await makeNotifiedOrder(context, product, await context.mailbox());
    const { merchant } = first;
    const second = await makeNotifiedOrder(context, product, await longestMailbox(context, longest), { merchant });
    const third = context.has(other)
      ? await ifTaken(makeNotifiedOrder(context, other, await context.mailbox(), { merchant }))
      : undefined;
    // The ids of the two products are apart, or this one is refused.
    const alike = { merchant, merchantOrderId: second.merchantOrderId };
    const namedAlike = context.has(other)
      ? await ifTaken(makeNotifiedOrder(context, other, await context.mailbox(), alike))
      : undefined;
    // The rules over the whole run see whether this one is announced somewhere.
    const nameless = await makeNameless(context, product, merchant);
    const namesake = context.has('own-merchant') ? await ifTaken(makeNamesake(context, product, first)) : undefined;
    const steps = unpaidEnds.underpaid;
    for (const order of [nameless, first, second, ...(namedAlike ? [namedAlike] : [])]) {
      await needEnd(context, order, steps, 'FAILED');
    }
    const mailboxes = [first, second, ...(third ? [third] : [])].map(({ mailbox }) => mailbox);
    for (const order of [first, second]) {
      const party = { ...order, others: mailboxes.filter((mailbox) => mailbox !== order.mailbox) };
      const webhook = await expectWebhook(
        context,
        party,
        mentionsStatus('FAILED'),
        'a webhook of the order that is now FAILED',
      );
      expectThat(webhook.method === 'POST', webhook, {
        expected: 'method = POST',
        actual: `method = ${webhook.method}`,
      });
    }
    if (namedAlike) {
      const what = 'a webhook of the order of the other product with the same merchantOrderId, which is FAILED too';
      await expectWebhook(context, namedAlike, mentionsStatus('FAILED'), what);
    }
    if (namesake) expectNothingThere(first, namesake);
  },
}));

/** Lets an order move to PROCESSING, and then, soon or at once, be paid, and reads whether the move was announced. `hostedAmount`: the price of a hosted order, where it is not the usual one. */
async function announcesProcessing(
  context: CheckContext,
  product: Product,
  move: (order: NotifiedOrder) => Promise<unknown>,
  { paid = 'soon', hostedAmount }: { paid?: 'soon' | 'at once'; hostedAmount?: OrderCreateRequest['orderAmount'] } = {},
): Promise<{ sent: boolean; last: Answer }> {
  const order = await makeNotifiedOrder(context, product, await context.mailbox(), hostedAmount && { hostedAmount });
  await move(order);
  // A webhook may show the order as it is when it is sent.
  if (paid === 'soon') await order.mailbox.first(() => true, context.webhookWait * shareOfPrompt);
  await bringOrderTo(context, order, 'SUCCEEDED');
  const last = await expectWebhook(context, order, mentionsStatus('SUCCEEDED'), 'a webhook of the paid order');
  const isOther = (webhook: Webhook) =>
    webhook !== last && (paid === 'at once' || mentionsStatus('PROCESSING')(webhook));
  // A later event may arrive before an earlier one.
  return { sent: (await awaitWebhook(context, order, isOther)) !== undefined, last };
}

/** Records whether the move of an order to PROCESSING is announced. */
function observeProcessing(context: CheckContext, noun: string, sent: boolean): void {
  const value = sent ? 'every-change' : 'outcomes-only';
  context.observe('webhook-trigger', `${noun} that moves to PROCESSING: ${sent ? 'sent' : 'not sent'}`, value);
}

/** Lets an order be paid by `payment`. Throws `Inconclusive` where the order does not move to PROCESSING. */
function payBy(context: CheckContext, payment: OrderStep) {
  return ({ product, merchant, orderId, query }: NotifiedOrder) =>
    bringTo(context, product, 'PROCESSING', query, [payment], (step) => context.orderEvent(merchant, orderId, step));
}

/** Throws `Inconclusive` where a checkout order that is paid is not announced although its create was not repeated. */
async function needPaidAnnounced(context: CheckContext, merchant: Credentials): Promise<void> {
  const order = await makeNotifiedOrder(context, 'checkout', await context.mailbox(), { merchant });
  await bringOrderTo(context, order, 'SUCCEEDED');
  await needWebhook(
    context,
    order,
    mentionsStatus('SUCCEEDED'),
    'a webhook of a paid checkout order',
    'webhooks.order.paid',
  );
}

const idempotent = 'checkout.create.idempotent' as const;

/** A check that repeats the create of a checkout order with another address, or without one, and then lets the order be paid. */
const repeatedCreate: CheckDeclaration = {
  id: 'webhooks.checkout-order.repeated-create',
  title:
    'A repeated create that names another callbackUrl, or none, does not change where a checkout order is announced',
  calls: ['checkout'],
  requirements: [idempotent],
  needs: ['order-events'],
  async run(context) {
    const merchant = await context.ownMerchant();
    const names = async (repeatNames: 'another' | 'none') => {
      const [mailbox, other] = [await context.mailbox(), await context.mailbox()];
      const order = await makeCheckoutOrder(context, merchant, { callbackUrl: mailbox.url });
      const { callbackUrl: _named, ...request } = order.request;
      await order.client.create(repeatNames === 'none' ? request : { ...request, callbackUrl: other.url });
      await bringCheckoutOrderTo(context, order, 'SUCCEEDED');
      const party = {
        merchant,
        mailbox,
        ids: [request.merchantOrderId],
        others: [other],
        address: idempotent,
      } as const;
      const announces = mentionsStatus('SUCCEEDED');
      const webhook = await awaitWebhook(context, party, announces);
      if (webhook) return countJudged(webhook);
      // One that comes nowhere may be missing whether or not the create is repeated.
      if (!other.webhooks.some(announces)) await needPaidAnnounced(context, merchant);
      const what = `a webhook of the order that is now SUCCEEDED, whose create was repeated with ${repeatNames === 'none' ? 'no' : 'another'} callbackUrl`;
      throw missed(context, party, announces, what, idempotent);
    };
    await sideBySide([names('another'), names('none')]);
  },
};

export const webhooksOrdersChecks: readonly CheckDeclaration[] = [
  repeatedCreate,
  ...causeChecks,
  ...unseenChecks,
  {
    id: 'webhooks.order.processing',
    title: 'A hosted order whose payment was seen is announced',
    calls: ['orders'],
    requirements: ['webhooks.order.processing'],
    openPoint: 'webhook-trigger',
    needs: ['order-events'],
    async run(context) {
      // As the driver pays by itself.
      const onChain = payBy(context, { type: 'transaction_detected' });
      const { sent, last } = await announcesProcessing(context, 'orders', onChain);
      observeProcessing(context, 'a hosted order', sent);
      const expectSent = (isSent: boolean, paid: Answer, by: string) =>
        expectThat(isSent, paid, {
          expected: `a webhook of the order that moved to PROCESSING by a payment ${by}`,
          actual: 'the first webhook is the one of the paid order',
        });
      expectSent(sent, last, 'on-chain');
      const means: { by: string; step: OrderStep }[] = [
        ...exchanges.map((exchange) => ({
          by: `from ${exchange}`,
          step: { type: 'transaction_detected', paymentMethod: exchange } as const,
        })),
        ...hostedNetworks.map((network) => ({
          by: `over ${network}`,
          step: paymentOver(context, network),
        })),
      ];
      const others = means.map(async ({ by, step }) => {
        const other = await ifTaken(announcesProcessing(context, 'orders', payBy(context, step)));
        if (other) expectSent(other.sent, other.last, by);
      });
      const inUsd = async () => {
        const hostedAmount = { ...ordinaryAmount, currency: 'USD' } as const;
        const other = await ifTaken(announcesProcessing(context, 'orders', onChain, { hostedAmount }));
        if (other) expectSent(other.sent, other.last, 'of a price in USD');
      };
      const detected = ({ merchant, orderId }: NotifiedOrder) =>
        context.orderEvent(merchant, orderId, { type: 'transaction_detected' });
      const quick = async () => {
        const other = await announcesProcessing(context, 'orders', detected, { paid: 'at once' });
        expectSent(other.sent, other.last, 'that was confirmed at once');
      };
      await sideBySide([...others, inUsd(), quick()]);
    },
  },
  {
    id: 'webhooks.checkout-order.processing',
    title: 'Whether a checkout order whose payment was seen is announced',
    calls: ['checkout'],
    requirements: ['webhooks.order.checkout-processing'],
    needs: ['order-events'],
    async run(context) {
      const onChain = (order: NotifiedOrder) => bringCheckoutOrderTo(context, order, 'PROCESSING');
      const { sent } = await announcesProcessing(context, 'checkout', onChain);
      observeProcessing(context, 'a checkout order', sent);
    },
  },
  {
    id: 'webhooks.checkout-order.cancelled',
    title: 'Whether a checkout order that is cancelled is announced',
    calls: ['checkout'],
    requirements: ['webhooks.order.checkout-cancelled'],
    needs: ['order-events'],
    async run(context) {
      const order = await makeNotifiedOrder(context, 'checkout', await context.mailbox());
      await bringCheckoutOrderTo(context, order, 'CLOSED');
      const sent = await order.mailbox.first(mentionsStatus('CLOSED'), Math.min(context.webhookWait, 1000));
      context.observe('webhook-trigger', `a checkout order that is cancelled: ${sent ? 'sent' : 'not sent'}`);
    },
  },
  ...addressChecks,
  {
    id: 'webhooks.order.identifies',
    title: 'An event names its order by acquiringOrderId or merchantOrderId',
    calls: ['orders'],
    requirements: ['webhooks.order.identifies'],
    needs: ['order-events'],
    async run(context) {
      const { order, webhook } = await makeCancelledOrder(context);
      const names = namesOneOf(webhook, [order.orderId, order.merchantOrderId]);
      expectThat(names, webhook, {
        expected: `${order.orderId} or ${order.merchantOrderId} in the body`,
        actual: `body = ${show(webhook.text)}`,
      });
    },
  },
];
