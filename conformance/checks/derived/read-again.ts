import { checkoutRequest, makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import type { AnyMadeOrder } from '../../arrange/orders/any-order.ts';
import { makeOrder, orderRequest } from '../../arrange/orders/orders.ts';
import { confirmed } from '../../arrange/orders/payments.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { makeRefund, refundRequest } from '../../arrange/refunds/refunds.ts';
import { waysToAsk } from '../../arrange/refunds/ways-to-ask.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, isAccepted, statusOf } from '../../check/expect.ts';
import type { Answer } from '../../wire/exchange.ts';
import { askedAgain } from '../support/failures.ts';

/** A little longer than answers may lag behind one another, in milliseconds. */
const laterOn = 1200;

/** One after the other, because only an answer that has come orders what is asked next. `other` is asked where one fails. */
async function askAll(
  context: CheckContext,
  questions: readonly (() => Promise<Answer>)[],
  other: () => Promise<Answer>,
): Promise<void> {
  for (const ask of questions) await askedAgain(context, ask, other);
}

const isSucceeded = (answer: Answer) => statusOf(answer) === 'SUCCEEDED';

/**
 * An order is asked for by every id, paid, and refunded where it can be; it is asked for again when the refund's acceptance has shown
 * that the payment is complete, and by every id once one of them shows it.
 */
async function readAgainWhenPaid(
  context: CheckContext,
  order: AnyMadeOrder,
  questions: readonly (() => Promise<Answer>)[],
  other: () => Promise<Answer>,
): Promise<void> {
  const { merchant, orderId } = order;
  const askThem = () => askAll(context, questions, other);
  await askThem();
  for (const step of [{ type: 'transaction_detected' }, confirmed] as const) {
    await context.orderEvent(merchant, orderId, step);
  }
  if (context.has('refunds')) {
    const { create } = refundsClient(context, merchant);
    // A target may refuse it, or not know yet that the payment is complete.
    const refund = await create(refundRequest(context, orderId));
    if (isAccepted(refund)) {
      await context.pause(laterOn);
      await askThem();
    }
  }
  await context.poll(order.query, isSucceeded);
  await askThem();
}

export const readAgainChecks: readonly CheckDeclaration[] = [
  {
    id: 'orders.situations.read-again',
    title: 'An order is asked for by each of its ids before and after it is paid and refunded',
    requirements: ['orders.create.accepted'],
    needs: ['order-events'],
    long: true,
    async run(context) {
      const order = await makeOrder(context, await context.ownMerchant(), {}, expectAccepted);
      const { client, request, orderId, query } = order;
      const questions = [query, () => client.query(orderId), () => client.query(request.merchantOrderId)];
      await readAgainWhenPaid(context, order, questions, () => client.create(orderRequest(context)));
    },
  },
  {
    id: 'checkout.situations.read-again',
    title: 'A checkout order is asked for before and after it is paid and, where it can be, refunded',
    requirements: ['checkout.create.accepted'],
    needs: ['order-events'],
    long: true,
    async run(context) {
      const order = await makeCheckoutOrder(context, await context.ownMerchant(), {}, expectAccepted);
      const { client, method } = order;
      await readAgainWhenPaid(context, order, [order.query], () => client.create(checkoutRequest(context, method)));
    },
  },
  {
    id: 'refunds.situations.read-again',
    title: 'A refund is asked for in every way before and after it is made and ends',
    requirements: ['refunds.create.accepted'],
    needs: ['order-events', 'refund-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const again = async (end: 'completed' | 'failed') => {
        const order = await makePaidOrder(context, merchant);
        const client = refundsClient(context, merchant);
        const merchantRefundOrderId = context.newOrderId();
        const other = async () => (await makeRefund(context, merchant)).created;
        const ask = (questions: readonly (() => Promise<Answer>)[]) => askAll(context, questions, other);
        await ask([
          () => client.query({ merchantRefundOrderId }),
          () => client.query({ acquiringOrderId: order.orderId }),
          () => client.batchQuery([merchantRefundOrderId]),
        ]);
        const refund = await makeRefund(context, merchant, { order, merchantRefundOrderId }, expectAccepted);
        const questions = waysToAsk(refund).map(({ ask: askBy }) => askBy);
        await ask(questions);
        for (const type of ['processing_started', end] as const) {
          await context.refundEvent(merchant, refund.refundOrderId, { type });
        }
        const ended = end === 'completed' ? 'SUCCEEDED' : 'FAILED';
        await context.poll(refund.query, (answer) => statusOf(answer) === ended);
        await ask(questions);
      };
      await sideBySide([again('completed'), again('failed')]);
    },
  },
];
