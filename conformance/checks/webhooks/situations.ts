import { type CurrencyCode, currencies } from '../../../generated/catalogue.ts';
import { makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { makePaidCheckoutOrder } from '../../arrange/checkout-orders/paid-orders.ts';
import { type AnyMadeOrder, expectSoonAccepted, type Product, passSoon, soon } from '../../arrange/orders/any-order.ts';
import type { OrderCreateRequest } from '../../arrange/orders/client.ts';
import {
  type Acceptance,
  isRefusedSplit,
  type MadeOrder,
  makeOrder,
  orderRequest,
} from '../../arrange/orders/orders.ts';
import { confirmed, exchanges, overpaid } from '../../arrange/orders/payments.ts';
import type { PaidOrder } from '../../arrange/refunds/paid-order.ts';
import { makeOrderPaidFrom, makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { type MadeRefund, makeRefund } from '../../arrange/refunds/refunds.ts';
import { failingOtherwise, refundEnds, stepOn } from '../../arrange/refunds/steps.ts';
import { waysToAsk } from '../../arrange/refunds/ways-to-ask.ts';
import { awaitEnd, ifTaken, isFinal, letHappen, sideBySide, unpaidEnds } from '../../arrange/situations/situations.ts';
import { awkwardQuery } from '../../arrange/webhooks/queries.ts';
import {
  awaitNews,
  awaitShortly,
  awaitWebhook,
  mentionsStatus,
  shareOfPrompt,
  upToAnHour,
} from '../../arrange/webhooks/waiting.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, needAccepted, statusOf } from '../../check/expect.ts';
import type { Credentials, OrderStep, RefundStep } from '../../drivers/driver.ts';
import type { Answer } from '../../wire/exchange.ts';
import type { Mailbox } from '../../wire/mailbox.ts';

/** What addresses end with, each a part of what a rewritten query loses. */
const queries = [awkwardQuery, '?path=%2fhook%3F&b=x+y&=z', '?flag', undefined] as const;

const queryOf = (index: number) => queries[index % queries.length];

/** Every other address has an unusual path. */
const folderOf = (index: number) => (index % 2 === 0 ? 'usual' : 'unusual');

/** Every third address begins with capital letters, which name the same scheme. */
const writtenAddress = (url: string, index: number) => (index % 3 === 2 ? url.replace(/^https/, 'HTTPS') : url);

/** What an order of either product may name beside its address. */
const furtherFields = {
  customer: { customerId: 'c-1', email: 'payer@shop.example', name: 'Ada' },
  customerIp: '203.0.113.7',
  userAgent: 'Mozilla/5.0',
  description: 'Two tickets',
  metadata: '{"cart":"7f3a"}',
};

/** A hosted order may name what is bought, and to whom the money goes. */
const bought = (orderAmount: OrderCreateRequest['orderAmount']) => ({
  items: [{ name: 'Ticket', quantity: 1, amount: orderAmount, description: 'Row 7' }],
});
const split = ({ value }: OrderCreateRequest['orderAmount']) => ({
  subMerchants: [{ subMerchantId: 'sub-1', name: 'Shop', amount: value }],
});

/** Makes a hosted order with every further field. A merchant that may send no sub-merchants makes it without them. */
async function makeFullOrder(
  context: CheckContext,
  merchant: Credentials,
  changes: Partial<OrderCreateRequest>,
  acceptance: Acceptance,
): Promise<MadeOrder> {
  const { orderAmount } = orderRequest(context, changes);
  const full = { ...furtherFields, ...bought(orderAmount), ...changes, orderAmount };
  const made = await ifTaken(
    makeOrder(context, merchant, { ...full, ...split(orderAmount) }, (created, what) => {
      const judged = isRefusedSplit(created) ? needAccepted : acceptance;
      judged(created, what);
    }),
  );
  return made ?? makeOrder(context, merchant, full, acceptance);
}

/** An order whose webhooks go to an address of its own. */
interface NotifiedOrder {
  order: AnyMadeOrder;
  mailbox: Mailbox;
  /** Sends its create again, with another callbackUrl where one is given. */
  repeat(callbackUrl?: string): Promise<Answer>;
}

/** An address to which the customer of a hosted order returns, and at which the rules over the whole run see a webhook. */
const returning = async (context: CheckContext) => ({ returnUrl: (await context.mailbox()).url });

async function make(
  context: CheckContext,
  product: Product,
  index: number,
  { orderAmount, ...times }: { expiresAt?: string; orderAmount?: OrderCreateRequest['orderAmount'] } = {},
): Promise<NotifiedOrder> {
  const mailbox = await context.mailbox(queryOf(index), folderOf(index));
  const changes = { callbackUrl: writtenAddress(mailbox.url, index), ...times };
  const acceptance = times.expiresAt === undefined ? expectAccepted : expectSoonAccepted(context);
  // The address configured for the merchant is for refunds. The rules over the whole run see a webhook of an order there.
  const merchant = await context.ownMerchant({ defaultNotifyUrl: (await context.mailbox()).url });
  const made =
    product === 'orders'
      ? await makeFullOrder(
          context,
          merchant,
          { ...changes, ...(await returning(context)), ...(orderAmount && { orderAmount }) },
          acceptance,
        )
      : await makeCheckoutOrder(context, merchant, { ...furtherFields, ...changes }, acceptance);
  const { client, request } = made;
  const repeat = (callbackUrl = changes.callbackUrl) => client.post(client.createPath, { ...request, callbackUrl });
  return { order: made, mailbox, repeat };
}

/** Waits until a webhook tells of the end that an answer shows, by steps of the driver or by time. Whether one comes is not judged here. */
async function hear(
  context: CheckContext,
  { order, mailbox }: NotifiedOrder,
  answer: Answer,
  by: string,
): Promise<void> {
  if (!isFinal(answer)) return;
  const { merchant, product } = order;
  const status = String(statusOf(answer));
  const what = `a webhook of ${product} that is ${status} by ${by}`;
  await awaitShortly(context, { mailbox, merchant }, mentionsStatus(status), what);
}

/** A way in which an order comes to an end, by a payment or without one, and the price of the order where that matters. */
interface Cause {
  steps: readonly OrderStep[];
  /** A step before them. They happen when the time to pay is over then. Only where a clock can be moved. */
  inTime?: OrderStep;
  orderAmount?: OrderCreateRequest['orderAmount'];
}

const detected = { type: 'transaction_detected' } as const;

const causes: readonly Cause[] = [
  { steps: [detected, confirmed] },
  ...Object.values(unpaidEnds).map((steps) => ({ steps })),
  { steps: [detected, { type: 'payment_failed', reason: 'timeout' }] },
  { steps: [detected, { type: 'payment_failed', reason: 'error' }] },
  { steps: [overpaid, confirmed] },
];

/** A payment that was seen in time, and comes to its end after the expiry. */
const causesAfterExpiry: readonly Cause[] = [confirmed, { type: 'payment_failed' } as const].map((step) => ({
  inTime: detected,
  steps: [step],
}));

/** Only hosted orders are priced in USD or paid by an exchange. */
const inUsd = { value: '9.50', currency: 'USD' } as const;
const hostedCauses: readonly Cause[] = [
  { steps: [detected, confirmed], orderAmount: inUsd },
  ...exchanges.map((paymentMethod) => ({ steps: [{ ...detected, paymentMethod }, confirmed] })),
];

/** Makes an order that names no address, of a merchant that has one configured for its refunds. The rules over the whole run see a webhook of it. */
async function makeNameless(
  context: CheckContext,
  product: Product,
  times: { expiresAt?: string } = {},
): Promise<AnyMadeOrder> {
  const merchant = await context.ownMerchant({ defaultNotifyUrl: (await context.mailbox()).url });
  const acceptance = times.expiresAt === undefined ? expectAccepted : expectSoonAccepted(context);
  return product === 'orders'
    ? makeOrder(context, merchant, { ...times, ...(await returning(context)) }, acceptance)
    : makeCheckoutOrder(context, merchant, times, acceptance);
}

/** Ways in which orders end that name no address, one for each status. */
const namelessEnds: readonly (readonly OrderStep[])[] = [
  [detected, confirmed],
  unpaidEnds.underpaid,
  [{ type: 'cancelled' }],
];

/** Events of the driver that come too late for an order that has ended. */
const tooLate: readonly OrderStep[] = [confirmed, { type: 'payment_failed' }, detected];

/** Checks of the orders of a product: their area, for the ids, and words for the titles. */
function orderSituations(product: Product, noun: string, name: string): CheckDeclaration[] {
  const requirements = [product === 'orders' ? 'orders.create.accepted' : 'checkout.create.accepted'] as const;
  return [
    {
      id: `webhooks.situations.${name}`,
      title: `${noun} that name an address with a query are made and come to an end for each cause`,
      calls: [product],
      requirements,
      needs: ['order-events'],
      async run(context) {
        const end = async ({ steps, inTime, ...given }: Cause, index: number, repeated = false) => {
          const notified = await make(context, product, index, given);
          const { merchant, orderId } = notified.order;
          // What a second create of a hosted order may change is open, and so it names the same address.
          if (repeated) await notified.repeat(product === 'checkout' ? (await context.mailbox()).url : undefined);
          if (inTime) {
            await context.orderEvent(merchant, orderId, inTime);
            await passSoon(context, merchant);
          }
          await hear(context, notified, await letHappen(context, notified.order, steps), 'steps');
          return notified;
        };
        const all = [
          ...causes,
          ...(context.has('clock') ? causesAfterExpiry : []),
          ...(product === 'orders' ? hostedCauses : []),
        ];
        const ended = await sideBySide([
          ...all.map((cause, index) => end(cause, index)),
          ...causes.map((cause, index) => end(cause, index, true)),
        ]);
        await sideBySide(
          namelessEnds.map(async (steps) => ifTaken(letHappen(context, await makeNameless(context, product), steps))),
        );
        // Nothing more can happen to them, and no webhook may say that it has: the rules over the whole run see it.
        await sideBySide(
          ended.flatMap(({ order }) =>
            tooLate.map((step) => ifTaken(context.orderEvent(order.merchant, order.orderId, step))),
          ),
        );
        // Once this one is announced, webhooks about the others have come too.
        await end({ steps: unpaidEnds.failed }, ended.length, true);
      },
    },
    {
      id: `webhooks.situations.${name}.expired`,
      title: `${noun} that name an address with a query are made and expire while nobody asks for them`,
      calls: [product],
      requirements,
      long: true,
      async run(context) {
        const nameless = await makeNameless(context, product, soon(context));
        await passSoon(context, nameless.merchant);
        const prices = product === 'orders' ? [undefined, undefined, inUsd] : [undefined, undefined];
        await sideBySide(
          prices.map(async (orderAmount, index) => {
            const notified = await make(context, product, index, {
              ...soon(context),
              ...(orderAmount && { orderAmount }),
            });
            await passSoon(context, notified.order.merchant);
            // It is not asked for before its webhook has come: the question could be what makes it expire.
            const { mailbox, order } = notified;
            const hasCome = () => mailbox.webhooks.at(0);
            await awaitNews(context, order.merchant, [mailbox], hasCome, shareOfPrompt, upToAnHour);
            await hear(context, notified, await awaitEnd(context, order), 'time');
          }),
        );
        await awaitEnd(context, nameless);
      },
    },
  ];
}

/** How the order of a refund is paid, where it is no hosted order that is paid on-chain: a hosted one by an exchange, or a checkout order in a currency. */
type OtherPayment = (typeof exchanges)[number] | { currency: CurrencyCode };

/** Asks for a refund in every way and sends its create again, alike and with another address. What that is answered with is judged elsewhere. */
async function askAndRepeat(refund: MadeRefund, notifyUrl: string): Promise<void> {
  for (const { ask } of waysToAsk(refund)) await ask();
  await refund.client.create(refund.request);
  await refund.client.create({ ...refund.request, notifyUrl });
}

/** Other checks look at the same ends of on-chain payments. */
const paymentsByEnd: readonly (OtherPayment | undefined)[] = ['EXCHANGE_ONE', undefined, 'EXCHANGE_TWO'];

export const webhooksSituationsChecks: readonly CheckDeclaration[] = [
  ...orderSituations('orders', 'Hosted orders', 'orders'),
  ...orderSituations('checkout', 'Checkout orders', 'checkout-orders'),
  {
    id: 'webhooks.situations.refunds',
    mayCall: ['checkout'],
    title: 'Refunds that name an address with a query, or rely on the default one, are made and come to each end',
    calls: ['refunds'],
    requirements: ['refunds.create.accepted'],
    needs: ['paid-order', 'order-events', 'refund-events'],
    async run(context) {
      const paidOtherwise = (merchant: Credentials, payment: OtherPayment, callbackUrl: string) =>
        typeof payment === 'string'
          ? makeOrderPaidFrom(context, merchant, payment, { callbackUrl })
          : makePaidCheckoutOrder(context, merchant, payment.currency, undefined, { callbackUrl });
      /** A refund that names an address; beside a default one, where merchants can be made with one. */
      const refund = async (
        index: number,
        steps: readonly RefundStep[],
        names: 'own' | 'default',
        payment?: OtherPayment,
      ) => {
        const mailbox = await context.mailbox(queryOf(index), folderOf(index));
        const byDefault = await context.mailbox(queryOf(index + 1), folderOf(index + 1));
        const merchant = await context.ownMerchant({ defaultNotifyUrl: byDefault.url });
        // The order has an address too, where no result of its refund may come.
        const { url: callbackUrl } = await context.mailbox();
        const refundOf = (order: PaidOrder) => {
          const changes = { order, ...(names === 'own' && { notifyUrl: mailbox.url }) };
          return makeRefund(context, merchant, changes, payment ? needAccepted : expectAccepted);
        };
        // Refunds of hosted orders that are paid on-chain are made all the same where nothing else can be paid or refunded.
        const made = payment
          ? await ifTaken(paidOtherwise(merchant, payment, callbackUrl).then(refundOf))
          : await refundOf(await makePaidOrder(context, merchant, { callbackUrl }));
        if (!made) return;
        // Others have been asked for in no way and sent once before they end.
        if (names === 'own') await askAndRepeat(made, (await context.mailbox()).url);
        for (const step of steps) await stepOn(context, made, step);
        const fits = mentionsStatus(String(statusOf(await made.query())));
        const named = names === 'own' ? mailbox : byDefault;
        // Whether a refund is announced that was closed is open, so that none may come.
        if (steps.some(({ type }) => type === 'closed')) await named.first(fits, context.webhookWait * shareOfPrompt);
        else await awaitWebhook(context, { mailbox: named, merchant }, fits);
      };
      const ofCheckout = context.has('checkout') ? currencies.map(({ code }) => ({ currency: code })) : [];
      const ends = [...refundEnds, failingOtherwise];
      const byDefault = context.has('own-merchant') ? ends : [];
      await sideBySide([
        ...ends.map((steps, index) => refund(index, steps, 'own', paymentsByEnd[index])),
        ...byDefault.map((steps, index) => refund(index, steps, 'default', paymentsByEnd[index])),
        ...ofCheckout.flatMap((payment) =>
          refundEnds
            .slice(0, 2)
            .flatMap((steps, index) => [
              refund(index, steps, 'own', payment),
              ...(context.has('own-merchant') ? [refund(index, steps, 'default', payment)] : []),
            ]),
        ),
      ]);
    },
  },
];
