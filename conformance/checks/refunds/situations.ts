import { type MadeCheckoutOrder, makeCheckoutOrder, orderedBy } from '../../arrange/checkout-orders/checkout-orders.ts';
import { checkoutClient } from '../../arrange/checkout-orders/client.ts';
import {
  firstOfEachCurrency,
  type PaymentMethod,
  paymentMethodsOf,
} from '../../arrange/checkout-orders/payment-methods.ts';
import { type OrderCreateRequest, ordersClient } from '../../arrange/orders/client.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { confirmed, exchanges, overpaid, paymentOver } from '../../arrange/orders/payments.ts';
import { type RefundQuery, refundsClient } from '../../arrange/refunds/client.ts';
import type { PaidOrder } from '../../arrange/refunds/paid-order.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { type MadeRefund, makeRefund, refundRequest } from '../../arrange/refunds/refunds.ts';
import { completing, failingOtherwise, refundEnds, stepOn } from '../../arrange/refunds/steps.ts';
import { furtherMeans, type Means, means } from '../../arrange/situations/means.ts';
import { ifTaken, letHappen, needEnd, pauses, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectThat, statusOf } from '../../check/expect.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { show } from '../../contract/show.ts';
import { isFinalStatus } from '../../contract/statuses.ts';
import type { Credentials, OrderStep, RefundStep } from '../../drivers/driver.ts';
import { Inconclusive, NotApplicable } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { askedAgain } from '../support/failures.ts';

const requirements = ['refunds.create.accepted'] as const;

/** How the orders were paid that are refunded: in both currencies, by every payment method. */
const payments: readonly { currency: 'USDT' | 'USD'; value: string; paymentMethod: string; network?: string }[] = [
  { currency: 'USDT', value: '12.345678901234567891', paymentMethod: 'ON_CHAIN_TRANSFER' },
  { currency: 'USD', value: '9.99', paymentMethod: 'ON_CHAIN_TRANSFER' },
  { currency: 'USDT', value: '100', paymentMethod: 'EXCHANGE_ONE' },
  { currency: 'USD', value: '1234.5600', paymentMethod: 'EXCHANGE_TWO' },
  { currency: 'USDT', value: '7.250000123456789012', paymentMethod: 'EXCHANGE_ONE', network: 'eth' },
];

/** Data of its own for each refund of a list, so that a batch cannot show one refund's for another's. */
const ownData = (index: number) => ({ extraData: `{"refund": ${index + 1}}` });

const isFinal = (answer: Answer) => isFinalStatus('refunds', statusOf(answer));

/** Lets one thing after the other happen to a refund, and waits until it ends where it should. Where it ends is not judged. */
async function letHappenTo(context: CheckContext, refund: MadeRefund, steps: readonly RefundStep[]): Promise<void> {
  let done = false;
  for (const step of steps) done = (await stepOn(context, refund, step)).done;
  if (done && steps.at(-1)?.type !== 'processing_started') await context.poll(refund.query, isFinal);
}

/** Lets one thing after the other happen to a refund, and asks for it, and for its order by `askForOrder`, in between. */
async function lookAtEachStep(
  context: CheckContext,
  refund: MadeRefund,
  steps: readonly RefundStep[],
  askForOrder?: () => Promise<Answer>,
) {
  for (const [index, step] of steps.entries()) {
    if (index > 0) await Promise.all([look(context, refund), askForOrder?.()]);
    await letHappenTo(context, refund, [step]);
  }
}

/** The ways to ask for one refund, each by one id alone. */
const idsOf = ({ refundOrderId, request, order }: MadeRefund): RefundQuery[] => [
  { refundOrderId },
  { merchantRefundOrderId: request.merchantRefundOrderId },
  { acquiringOrderId: order.orderId },
];

/** Asks for refunds of one merchant by each of their ids alone, and for all of them in one batch. */
async function look(context: CheckContext, ...refunds: readonly MadeRefund[]): Promise<void> {
  const [first] = refunds;
  if (!first) return;
  const { client } = first;
  const batch = () => client.batchQuery(refunds.map(({ request }) => request.merchantRefundOrderId));
  await Promise.all([
    ...refunds.flatMap((refund) => idsOf(refund).map((by) => askedAgain(context, () => client.query(by), batch))),
    batch(),
  ]);
}

/** A hosted order that was paid in some way. `undefined`: the driver lets nobody pay it in this way. */
async function makeOrderPaidBy(
  context: CheckContext,
  merchant: Credentials,
  { currency, value, paymentMethod, network }: (typeof payments)[number],
): Promise<PaidOrder | undefined> {
  const order = await makeOrder(context, merchant, { orderAmount: { value, currency } });
  const payment: OrderStep =
    paymentMethod === 'ON_CHAIN_TRANSFER'
      ? paymentOver(context, 'tron')
      : { type: 'transaction_detected', paymentMethod, ...(network !== undefined && { network }) };
  const paid = needEnd(context, order, [payment, confirmed], 'SUCCEEDED');
  // Whether a driver can name the network of an exchange's payment is its own matter.
  if ((await (network === undefined ? paid : ifTaken(paid))) === undefined) return undefined;
  return { merchant, orderId: order.orderId };
}

/**
 * A refund of an order that was paid a while ago. How long the refund period is stays open (open point refund-period), so where it is over
 * the refund is one of an order that is paid now.
 */
async function makeLateRefund(context: CheckContext, order: PaidOrder): Promise<MadeRefund> {
  const { merchant } = order;
  const late = await ifTaken(
    makeRefund(context, merchant, { order }, (created, what) => {
      if (field(created, 'code') === errorCode('refunds', 'REFUND_PERIOD_EXPIRED')) {
        throw new Inconclusive('the refund period is over');
      }
      expectAccepted(created, what);
    }),
  );
  if (late) return late;
  const expiresAt = new Date(context.now() + (pauses.beforeRefund + 3600) * 1000).toISOString();
  const present = await makePaidOrder(context, merchant, { expiresAt });
  return makeRefund(context, merchant, { order: present }, expectAccepted);
}

type PaymentMethodConfig = NonNullable<OrderCreateRequest['paymentMethodConfig']>;

/** Every way to pay a hosted order, as its create may name them. */
const byAnything: PaymentMethodConfig = {
  allowedPaymentMethodTypes: ['ON_CHAIN_TRANSFER', 'EXCHANGE_TRANSFER'],
  allowedPaymentMethods: [...exchanges],
};

/** The same the other way round: by what an order may be paid, and in which order this is said, does not say by what it was. */
const byAnythingTurned: PaymentMethodConfig = {
  allowedPaymentMethodTypes: ['EXCHANGE_TRANSFER', 'ON_CHAIN_TRANSFER'],
  allowedPaymentMethods: [...exchanges].reverse(),
};

/** The refund of an order, and the view of the order when it was paid. */
interface RefundOfPayment {
  refund: MadeRefund;
  paid: Answer;
}

/** Fails where refunds of two orders that were paid by the same means name different payment methods. */
function expectSameMethod(words: string, one: RefundOfPayment, other: RefundOfPayment): void {
  // Not every driver pays over the network that it is asked for.
  const networkOf = ({ paid }: RefundOfPayment) => field(paid, 'data.cryptoPaymentDetail.network');
  if (networkOf(one) !== networkOf(other)) return;
  const named = field(one.refund.created, 'data.paymentMethod');
  const shown = field(other.refund.created, 'data.paymentMethod');
  expectThat(shown === named, other.refund.created, {
    expected: `data.paymentMethod = ${show(named)}, as in the refund of another order ${words}, whose create lists the allowed payment methods the other way round`,
    actual: `data.paymentMethod = ${show(shown)}`,
    requirement: 'refunds.record.payment-method',
  });
}

/** A text of which every byte is escaped, in small digits. */
const escapedWholly = (text: string) => Buffer.from(text).toString('hex').replace(/../g, '%$&');

export const refundsSituationsChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.situations.repeated',
    title: 'A refund is made under an id that a refused request had, is asked for again and found by every id',
    requirements,
    needs: ['paid-order'],
    async run(context) {
      const merchant = await context.merchant();
      const order = await makePaidOrder(context, merchant);
      const client = refundsClient(context, merchant);
      const request = refundRequest(context, order.orderId, { extraData: '{"cart": "a b%20c+d", "lines": [1, 2]}' });
      const ask = () =>
        Promise.all([
          client.query({ merchantRefundOrderId: request.merchantRefundOrderId }),
          client.batchQuery([request.merchantRefundOrderId]),
        ]);
      await client.createAnything({ ...request, acquiringOrderId: context.newOrderId() });
      await client.createAnything({ ...request, refundReason: undefined });
      const body = Buffer.from(JSON.stringify(request));
      const timestamp = String(context.now() - 3_600_000);
      await client.send({ method: 'POST', path: client.refundsPath, body, timestamp });
      await ask();
      const created = await client.create(request);
      expectAccepted(created, 'making a refund under an id that a refused request had');
      const refundOrderId = field(created, 'data.refundOrderId');
      await ask();
      const query = () => client.query({ merchantRefundOrderId: request.merchantRefundOrderId });
      await askedAgain(context, () => client.create(request), query);
      await client.create({ ...request, refundReason: 'The customer changed their mind' });
      await client.create({ ...request, extraData: '{"cart": "another"}' });
      await client.createAnything({ ...request, acquiringOrderId: context.newOrderId() });
      await Promise.all([
        ask(),
        client.query({ acquiringOrderId: order.orderId }),
        ...(typeof refundOrderId === 'string' ? [client.query({ refundOrderId })] : []),
      ]);
    },
  },
  {
    id: 'refunds.situations.other-merchant',
    title: 'Two merchants make refunds that look alike, and each asks for those of the other',
    requirements,
    needs: ['paid-order', 'order-events', 'other-merchant'],
    async run(context) {
      const merchants = await Promise.all([context.merchant(), context.merchant('other')]);
      const refunds = await Promise.all(merchants.map((each) => makeRefund(context, each, {}, expectAccepted)));
      // Whether two merchants can have refunds of the same id is not said.
      const merchantRefundOrderId = context.newOrderId();
      const alike = await Promise.all(
        merchants.map((each) => ifTaken(makeRefund(context, each, { merchantRefundOrderId }))),
      );
      const all = [...refunds, ...alike].flatMap((each) => each ?? []);
      const ids = all.map(({ request }) => request.merchantRefundOrderId);
      await Promise.all(
        merchants.flatMap((each) => {
          const client = refundsClient(context, each);
          return [...all.flatMap(idsOf).map((by) => client.query(by)), client.batchQuery(ids)];
        }),
      );
    },
  },
  {
    id: 'refunds.situations.ended',
    title:
      'Refunds of orders in both currencies and paid by every method are made, brought to each final state and asked for a second time then',
    requirements,
    needs: ['paid-order', 'order-events', 'refund-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const refunds: MadeRefund[] = [];
      await sideBySide(
        payments.map(async (payment, index) => {
          const order = await makeOrderPaidBy(context, merchant, payment);
          if (!order) return;
          const refund = await makeRefund(context, merchant, { order, ...ownData(index) }, expectAccepted);
          refunds.push(refund);
          await look(context, refund);
          await lookAtEachStep(context, refund, refundEnds[index % refundEnds.length] ?? []);
          // Once for each end. A repeat may be refused then.
          if (index >= refundEnds.length) return;
          await look(context, refund);
          await refund.client.create(refund.request);
        }),
      );
      await look(context, ...refunds);
    },
  },
  {
    id: 'refunds.situations.converted',
    title: 'Refunds of orders in USD are made that were paid at a rate that asks for rounding, or more than was due',
    requirements,
    needs: ['paid-order', 'order-events', 'refund-events', 'own-merchant'],
    async run(context) {
      const merchant = await context.ownMerchant({ usdRate: '1.0003337' });
      const refund = async (value: string, currency: 'USD' | 'USDT', amount?: string) => {
        const order = await makeOrder(context, merchant, { orderAmount: { value, currency } });
        const payment = { type: 'transaction_detected', ...(amount !== undefined && { amount }) } as const;
        const view = await needEnd(context, order, [payment, confirmed], 'SUCCEEDED');
        const paid = { merchant, orderId: order.orderId, view };
        const made = await makeRefund(context, merchant, { order: paid }, expectAccepted);
        await look(context, made);
        await letHappenTo(context, made, completing);
        await look(context, made);
      };
      await sideBySide([
        refund('9.99', 'USD'),
        refund('1234.5678', 'USD'),
        refund('9.50', 'USDT', '1234.5600'),
        // Hardly more than is due, and much more.
        refund('100', 'USD', '100.2'),
        refund('100', 'USD', '250.4'),
      ]);
    },
  },
  {
    id: 'refunds.situations.of-every-payment',
    title:
      'Refunds of orders are made that were paid over each network and from each exchange, exactly and with more, and name the same payment method whatever others were allowed',
    requirements: [...requirements, 'refunds.record.payment-method'],
    needs: ['paid-order', 'order-events', 'refund-events', 'own-merchant'],
    async run(context) {
      const merchant = await context.ownMerchant({ usdRate: '1.5' });
      const refundOf = async (
        { currency, pay }: Means,
        paymentMethodConfig: PaymentMethodConfig,
        amount?: string,
      ): Promise<RefundOfPayment | undefined> => {
        const order = await makeOrder(context, merchant, {
          orderAmount: { value: '9.50', currency },
          paymentMethodConfig,
        });
        // What a second create is answered with is open; it takes nothing from the order.
        if (amount !== undefined) await order.client.create(order.request);
        const ended = await letHappen(context, order, [pay(context, amount), confirmed]);
        // Not every driver pays in every way.
        if (statusOf(ended) !== 'SUCCEEDED') return undefined;
        const paid = { merchant, orderId: order.orderId };
        const refund = await makeRefund(context, merchant, { order: paid }, expectAccepted);
        await letHappenTo(context, refund, [{ type: 'failed' }]);
        // Whether an order can be refunded again after that is not said.
        const further = await ifTaken(makeRefund(context, merchant, { order: paid }));
        const made = [refund, ...(further ? [further] : [])];
        await refund.client.batchQuery(made.map(({ request }) => request.merchantRefundOrderId));
        if (further) {
          await letHappenTo(context, further, completing);
          // However it was paid, the order stays as it is when its payment is given back.
          await order.query();
        }
        return { refund, paid: ended };
      };
      await sideBySide(
        [...means, ...furtherMeans].map(async (each) => {
          const [exactly, more] = await sideBySide([
            refundOf(each, byAnythingTurned),
            refundOf(each, byAnything, overpaid.amount),
          ]);
          if (exactly && more) expectSameMethod(each.words, exactly, more);
        }),
      );
    },
  },
  {
    id: 'refunds.situations.of-checkout-orders',
    mayCall: ['checkout'],
    title:
      'Refunds of checkout orders in every currency and over every network are asked for, brought to each final state where they are made, and asked for again after one that failed',
    calls: ['checkout'],
    requirements: ['checkout.create.accepted'],
    needs: ['paid-order', 'order-events', 'refund-events'],
    async run(context) {
      if (!context.has('checkout')) throw new NotApplicable('the target has no checkout orders');
      const merchant = await context.ownMerchant();
      const methods = await paymentMethodsOf(checkoutClient(context, merchant));
      const refunds: MadeRefund[] = [];
      const orders: MadeCheckoutOrder[] = [];
      const refund = async (method: PaymentMethod, steps: readonly RefundStep[]) => {
        const order = await makeCheckoutOrder(context, merchant, orderedBy(method), expectAccepted);
        await letHappen(context, order, [paymentOver(context, method.network), confirmed]);
        // Whether a checkout order can be refunded is not said.
        const made = await ifTaken(makeRefund(context, merchant, { order: { merchant, orderId: order.orderId } }));
        if (!made) return;
        refunds.push(made);
        orders.push(order);
        await lookAtEachStep(context, made, steps, order.query);
        if (!steps.some(({ type }) => type === 'failed')) return;
        // Whether an order can be refunded again after that is not said.
        const further = await ifTaken(makeRefund(context, merchant, { order: { merchant, orderId: order.orderId } }));
        if (further) refunds.push(further);
      };
      /** A hosted order and a checkout order of other prices under one id, which some targets refuse the second. */
      const refundNamesakes = async (method: PaymentMethod) => {
        const merchantOrderId = context.newOrderId();
        const orderAmount = { value: '23.75', currency: 'USDT' } as const;
        const hosted = await makeOrder(context, merchant, { merchantOrderId, orderAmount });
        const changes = { ...orderedBy(method), merchantOrderId };
        const checkout = await ifTaken(makeCheckoutOrder(context, merchant, changes));
        for (const order of [hosted, ...(checkout ? [checkout] : [])]) {
          await letHappen(context, order, [{ type: 'transaction_detected' }, confirmed]);
          const made = await ifTaken(makeRefund(context, merchant, { order }));
          await made?.query();
        }
      };
      const first = firstOfEachCurrency(methods);
      await sideBySide([
        ...first.slice(0, 1).map(refundNamesakes),
        ...first.flatMap((method) => refundEnds.map((steps) => refund(method, steps))),
        ...methods.filter((method) => !first.includes(method)).map((method) => refund(method, [])),
      ]);
      await Promise.all([look(context, ...refunds), ...orders.map(({ query }) => query())]);
    },
  },
  {
    id: 'refunds.situations.without-checkout',
    title: 'A merchant without API Checkout makes hosted orders, has them paid and refunds them',
    calls: ['orders'],
    requirements: [...requirements, 'orders.create.accepted'],
    needs: ['paid-order', 'order-events', 'own-merchant'],
    async run(context) {
      const merchant = await context.ownMerchant({ checkoutEnabled: false });
      const orders = await sideBySide(
        (['USDT', 'USD'] as const).map((currency) =>
          makeOrder(context, merchant, { orderAmount: { value: '9.50', currency } }, (created) =>
            expectAccepted(created, 'a hosted order of a merchant without API Checkout', 'orders.create.accepted'),
          ),
        ),
      );
      await sideBySide(
        orders.map(async (order) => {
          await needEnd(context, order, [{ type: 'transaction_detected' }, confirmed], 'SUCCEEDED');
          const refund = await makeRefund(context, merchant, { order }, (created) =>
            expectAccepted(created, 'a refund of a hosted order, of a merchant without API Checkout'),
          );
          await look(context, refund);
          if (!context.has('refund-events')) return;
          await letHappenTo(context, refund, completing);
          await look(context, refund);
        }),
      );
    },
  },
  {
    id: 'refunds.situations.escaped-ids',
    title:
      'Refunds are made and asked for whose ids have characters that a query must escape, or are long, or are escaped wholly',
    requirements: [
      ...requirements,
      'refunds.query.by-refund-order-id',
      'refunds.query.by-merchant-refund-order-id',
      'refunds.query.by-acquiring-order-id',
    ],
    needs: ['paid-order', 'order-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const plain = await makeRefund(context, merchant, {}, expectAccepted);
      const ends = [
        ' a+b',
        '&c=d',
        '&amp;m&#43;',
        '%20e',
        '/f?g#h',
        ':i;j,k',
        '"l"',
        ' żółć 日本',
        '-'.padEnd(100, 'm'),
      ];
      const ids = ends.map((end) => `${context.newOrderId()}${end}`);
      // No sentence says of which characters the id may be.
      const made = await Promise.all(
        ids.map((merchantRefundOrderId) => ifTaken(makeRefund(context, merchant, { merchantRefundOrderId }))),
      );
      const refunds = [plain, ...made.flatMap((each) => each ?? [])];
      await look(context, ...refunds);
      // Whichever ids are taken: what was made under one is found under it.
      for (const { client, request } of refunds) {
        const { merchantRefundOrderId } = request;
        const what = `a query for the refund that was made under the id ${show(merchantRefundOrderId)}`;
        expectAccepted(
          await client.query({ merchantRefundOrderId }),
          what,
          'refunds.query.by-merchant-refund-order-id',
        );
      }
      // What may stand as it is may be escaped as well, in digits of either case.
      const { client, refundOrderId, request } = plain;
      const { merchantRefundOrderId, acquiringOrderId } = request;
      const ways = [
        ['refundOrderId', refundOrderId, 'refunds.query.by-refund-order-id'],
        ['merchantRefundOrderId', merchantRefundOrderId, 'refunds.query.by-merchant-refund-order-id'],
        ['acquiringOrderId', acquiringOrderId, 'refunds.query.by-acquiring-order-id'],
      ] as const;
      await sideBySide(
        ways.flatMap(([name, id, requirement]) =>
          [escapedWholly(id), escapedWholly(id).toUpperCase()].map(async (escaped) => {
            const query = `${name}=${escaped}`;
            const answer = await client.send({ method: 'GET', path: client.refundsPath, query });
            expectAccepted(answer, `a query whose ${name} is escaped: ${query}`, requirement);
          }),
        ),
      );
    },
  },
  {
    id: 'refunds.situations.time-passes',
    title: 'An order is paid and refunded, and the refund ends, at times that lie well apart',
    requirements,
    needs: ['paid-order', 'order-events', 'refund-events', 'clock'],
    async run(context) {
      await sideBySide(
        [...refundEnds, failingOtherwise].map(async (steps) => {
          const merchant = await context.ownMerchant();
          const order = await makePaidOrder(context, merchant);
          const { merchantOrderId } = order;
          const ask = async () => merchantOrderId && ordersClient(context, merchant).query(merchantOrderId);
          await ask();
          await context.advanceClock(merchant, pauses.beforeRefund);
          const refund = await makeLateRefund(context, order);
          for (const step of steps) {
            await context.advanceClock(merchant, pauses.beforeConfirmation);
            await look(context, refund);
            await letHappenTo(context, refund, [step]);
            // What happens to a refund changes nothing of the order that was paid.
            await ask();
          }
          await context.advanceClock(merchant, pauses.beforePayment);
          await Promise.all([look(context, refund), ask()]);
          if (steps !== failingOtherwise) return;
          // The next one of the merchant fails for the usual reason.
          const next = await makeLateRefund(context, await makePaidOrder(context, merchant));
          await letHappenTo(context, next, [{ type: 'failed' }]);
          await look(context, next);
        }),
      );
    },
  },
];
