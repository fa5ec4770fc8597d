import { makePaidCheckoutOrder } from '../../arrange/checkout-orders/paid-orders.ts';
import { type OrderCreateRequest, ordersClient } from '../../arrange/orders/client.ts';
import { noSubMerchants, splitInTwo } from '../../arrange/orders/orders.ts';
import type { PaidOrder } from '../../arrange/refunds/paid-order.ts';
import { makeOrderPaidByDriver, makeOverpaidOrder, makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import {
  bringRefundTo,
  type MadeRefund,
  makeRefund,
  makeRefundIn,
  type ReachableRefundState,
  refundIn,
  refundStateNeeds,
  refundStates,
  standingRefund,
} from '../../arrange/refunds/refunds.ts';
import { waysToAsk } from '../../arrange/refunds/ways-to-ask.ts';
import { ifTaken, sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAmount,
  expectField,
  expectSchema,
  expectThat,
  isAccepted,
  needText,
  seenAt,
  statusOf,
} from '../../check/expect.ts';
import { expectPresentTime, timeFormOf } from '../../check/times.ts';
import { addDecimals, compareDecimals, isDecimalText } from '../../contract/decimals.ts';
import { show } from '../../contract/show.ts';
import { NotApplicable, PermittedChoice } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { leftOut, ownFields } from '../support/refund-states.ts';

/** Fields that a record may leave out. Whether extraData that was never given is null or absent is open. */
const optional = ['estimatedCompletionTime', 'merchantDeductAmount'];

/** Fails when a field is null: a field that does not apply is left out. */
function expectNoNull(answer: Answer): void {
  for (const name of [...ownFields.flatMap(({ names }) => names), ...optional]) {
    expectThat(field(answer, `data.${name}`) !== null, answer, {
      expected: `data.${name} is left out, or has a value`,
      actual: `data.${name} = null`,
      requirement: 'refunds.record.omitted',
    });
  }
}

/** Fails when the record has a field that belongs to another state. */
function expectNothingElse(answer: Answer, status: ReachableRefundState): void {
  for (const { state, requirement, names } of ownFields) {
    for (const name of state === status ? [] : names) {
      const value = field(answer, `data.${name}`);
      expectThat(value === undefined, answer, {
        expected: `no data.${name}, since it belongs to ${state}`,
        actual: `data.${name} = ${show(value)}`,
        requirement,
      });
    }
  }
}

/** A check of the fields that the record of a query has in a state. */
function shapeCheck(state: ReachableRefundState): CheckDeclaration {
  const own = ownFields.find((each) => each.state === state)?.names;
  return {
    id: `refunds.record.${state.toLowerCase()}`,
    title: own
      ? `The record of a refund that is ${state} has ${own.join(', ')}, and what belongs to no other state`
      : `The record of a refund that is ${state} has nothing that belongs to a state at the end`,
    requirements: [
      'refunds.record.fields',
      'refunds.record.omitted',
      'refunds.record.completed',
      'refunds.record.failed',
      'refunds.record.closed',
      'refunds.record.times',
      'refunds.states.values',
      'refunds.envelope.success',
    ],
    needs: refundStateNeeds(state),
    async run(context) {
      const { created, query } = await refundIn(context, state);
      const queried = await query();
      // A refund that checks share may have been moved on by the platform since it was made.
      const hasMoved = refundStates.some((each) => each !== state && each === statusOf(queried));
      const answer = hasMoved && !context.has('order-events') ? created : queried;
      expectNoNull(answer);
      expectNothingElse(answer, state);
      expectSchema(answer, 'RefundSuccess');
    },
  };
}

/** Fails unless both the create and the query show what was paid of the order. */
async function expectPaidAmount({ created, query }: MadeRefund, { paid }: PaidOrder): Promise<void> {
  if (!paid) throw new NotApplicable('neither the run nor its driver knows what was paid of the order');
  for (const answer of [created, await query()]) {
    expectAmount(answer, 'data.refundAmount', paid.value);
    expectField(answer, 'data.refundCurrency', paid.currency);
  }
}

/**
 * Fails unless a refund of an overpaid order shows what was paid or what was ordered, and the same both times. Which of the
 * two it is, is open.
 */
async function observeOverpaid(
  context: CheckContext,
  { created, query }: MadeRefund,
  { paid, ordered }: Record<'paid' | 'ordered', string>,
): Promise<void> {
  for (const answer of [created, await query()]) {
    const amount = field(answer, 'data.refundAmount');
    const fits = (expected: string) => isDecimalText(amount) && compareDecimals(amount, expected) === 0;
    const value = fits(paid) ? 'paid' : fits(ordered) ? 'ordered' : null;
    context.observeIn(answer, 'refund-overpaid', `${show(amount)} where ${paid} was paid for ${ordered}`, value);
    expectThat(value !== null, answer, {
      expected: `data.refundAmount = ${paid}, which was paid, or ${ordered}, which was ordered`,
      actual: seenAt(answer, 'data.refundAmount'),
    });
  }
}

const refundOf = (context: CheckContext, order: PaidOrder) => makeRefund(context, order.merchant, { order });

/** A check that a refund is of the amount that was paid; `refund` makes it. */
function amountCheck(
  check: Pick<CheckDeclaration, 'id' | 'title' | 'needs'>,
  refund: (context: CheckContext) => Promise<MadeRefund>,
): CheckDeclaration {
  return {
    ...check,
    requirements: ['refunds.record.amount', 'refunds.create.whole-payment'],
    async run(context) {
      const made = await refund(context);
      await expectPaidAmount(made, made.order);
    },
  };
}

const priced = (value: string, currency: string): Pick<OrderCreateRequest, 'orderAmount'> => ({
  orderAmount: { value, currency: currency === 'USD' ? 'USD' : 'USDT' },
});

/** A rate at which the payment differs from the price, where the driver can set one. */
const usdRate = '1.07';

/** A price that every target takes. */
const ordinary = '10';

/** Prices that are small, large, or of more digits than the decimal numbers of many languages hold, which are 28. */
const unusualSizes = [
  '0.0000001',
  '0.000000000000000001',
  '100000000000000000000.5',
  '98765432109876.123456789012345678',
];

/** Prices of those sizes whose refunds come to an end in each way. */
const unusualSizesOfEnds = ['0.0000001', '98765432109876.123456789012345678'];

/** Brings a refund to its end, and asks for it in every way on the way there and then, and for its order. */
async function lookUntil(
  context: CheckContext,
  refund: MadeRefund,
  state: 'SUCCEEDED' | 'FAILED' | 'CLOSED',
): Promise<void> {
  const look = () => Promise.all(waysToAsk(refund).map(({ ask }) => ask()));
  // Whether a refund comes to PROCESSING, and whether it can be CLOSED, is open.
  const isWorkedOn =
    state === 'SUCCEEDED' && (await whereReached(bringRefundTo(context, refund, 'PROCESSING').then(() => true)));
  if (isWorkedOn) await look();
  await whereReached(bringRefundTo(context, refund, state, isWorkedOn ? 'PROCESSING' : 'PENDING'));
  await look();
  const { merchantOrderId, merchant } = refund.order;
  if (merchantOrderId !== undefined) await ordersClient(context, merchant).query(merchantOrderId);
}

/** A refund whose ids of the merchant's own have letters of both cases, and so has that of its order. */
async function withCapitalIds(context: CheckContext): Promise<MadeRefund> {
  const merchant = await context.merchant();
  const id = `${context.newOrderId()}-Ab`;
  const order = await makePaidOrder(context, merchant, { merchantOrderId: id });
  return makeRefund(context, merchant, { order, merchantRefundOrderId: `${id}-Re` });
}

const amounts: readonly CheckDeclaration[] = [
  amountCheck(
    {
      id: 'refunds.record.amount',
      title: 'refundAmount and refundCurrency are what was paid of the order',
      needs: ['paid-order'],
    },
    standingRefund,
  ),
  amountCheck(
    {
      id: 'refunds.record.amount.eighteen-decimals',
      title: 'refundAmount is what was paid, to the last of 18 decimal places',
      needs: ['order-events'],
    },
    async (context) =>
      refundOf(
        context,
        await makePaidOrder(context, await context.merchant(), priced('1234.000000000000000001', 'USDT')),
      ),
  ),
  {
    id: 'refunds.record.amount.sizes',
    mayCall: ['checkout'],
    long: true,
    title:
      'refundAmount is what was paid, however small or large that is, as plain decimal text, and such refunds are asked for in every state',
    requirements: ['refunds.record.amount', 'refunds.create.whole-payment'],
    needs: ['order-events', 'own-merchant'],
    async run(context) {
      const merchant = await context.ownMerchant({ balances: { USDT: `1${'0'.repeat(30)}` } });
      await sideBySide(
        [ordinary, ...unusualSizes].map(async (value) => {
          const paid = makePaidOrder(context, merchant, priced(value, 'USDT'));
          // How small and how large a price may be is open (open point orders-amount-limits).
          const order = value === ordinary ? await paid : await ifTaken(paid);
          if (order) await expectPaidAmount(await refundOf(context, order), order);
        }),
      );
      if (context.has('refund-events')) {
        // The rules over the whole run see how every amount is written.
        const lookAtRefundOf = async (value: string, state: 'SUCCEEDED' | 'FAILED' | 'CLOSED') => {
          const order = await ifTaken(makePaidOrder(context, merchant, priced(value, 'USDT')));
          const refund = order && (await ifTaken(refundOf(context, order)));
          if (refund) await lookUntil(context, refund, state);
        };
        await sideBySide([
          ...unusualSizes.map((value) => lookAtRefundOf(value, 'SUCCEEDED')),
          ...unusualSizesOfEnds.flatMap((value) => [lookAtRefundOf(value, 'FAILED'), lookAtRefundOf(value, 'CLOSED')]),
        ]);
      }
      if (!context.has('checkout')) return;
      // Their amounts lie between the bounds of a method, so that only their decimal places tell.
      await sideBySide(
        ['12.123456789', '12.000000000000000001'].map(async (value) => {
          const order = await ifTaken(makePaidCheckoutOrder(context, merchant, 'USDT', value));
          // What of a payment with a fee is given back is judged elsewhere.
          if (!order || field(order.created, 'data.cryptoPaymentAmount.value') !== value) return;
          const refund = await ifTaken(makeRefund(context, merchant, { order }));
          if (refund) await expectPaidAmount(refund, { ...refund.order, paid: { value, currency: 'USDT' } });
        }),
      );
    },
  },
  amountCheck(
    {
      id: 'refunds.record.amount.split',
      title: 'refundAmount is the whole of what was paid where an order is split among sub-merchants',
      needs: ['order-events'],
    },
    async (context) => {
      const order = await ifTaken(makePaidOrder(context, await context.merchant(), splitInTwo));
      if (!order) throw new PermittedChoice(noSubMerchants);
      return refundOf(context, order);
    },
  ),
  {
    id: 'refunds.record.amount.overpaid',
    title: 'refundAmount is what was paid, or what was ordered, where the two differ by the last decimal place',
    requirements: ['refunds.record.amount', 'refunds.create.whole-payment', 'refunds.record.overpaid'],
    openPoint: 'refund-overpaid',
    needs: ['order-events'],
    async run(context) {
      const ordered = '9.500000000000000001';
      const paid = addDecimals([ordered, '0.000000000000000001']);
      const order = await makeOverpaidOrder(context, await context.merchant(), priced(ordered, 'USDT'), paid);
      await observeOverpaid(context, await makeRefund(context, order.merchant, { order }), { paid, ordered });
    },
  },
  amountCheck(
    {
      id: 'refunds.record.amount.usd-price',
      title: 'The refund of an order that is priced in USD is of the stablecoin that was paid',
      needs: ['order-events'],
    },
    async (context) =>
      refundOf(context, await makePaidOrder(context, await context.ownMerchant({ usdRate }), priced('10', 'USD'))),
  ),
];

export const refundsRecordChecks: readonly CheckDeclaration[] = [
  ...refundStates.map(shapeCheck),
  {
    id: 'refunds.record.references',
    title: 'A refund shows the ids of its request, and the merchantOrderId of its order',
    requirements: ['refunds.record.references'],
    needs: ['paid-order'],
    async run(context) {
      const refunds = [await standingRefund(context)];
      if (context.has('order-events')) refunds.push(await withCapitalIds(context));
      for (const { created, query, request, order } of refunds) {
        for (const answer of [created, await query()]) {
          expectField(answer, 'data.merchantRefundOrderId', request.merchantRefundOrderId);
          expectField(answer, 'data.acquiringOrderId', order.orderId);
          if (order.merchantOrderId !== undefined) {
            expectField(answer, 'data.merchantOrderId', order.merchantOrderId);
          }
        }
      }
    },
  },
  {
    id: 'refunds.record.platform-id',
    title: 'Refunds have refundOrderIds of their own, those of different merchants too',
    requirements: ['refunds.record.platform-id'],
    needs: ['order-events', 'other-merchant'],
    async run(context) {
      const [merchant, other] = [await context.merchant(), await context.merchant('other')];
      const refunds = await Promise.all([merchant, merchant, other].map((each) => makeRefund(context, each)));
      const ids = refunds.map(({ refundOrderId }) => refundOrderId);
      for (const [index, { created, refundOrderId }] of refunds.entries()) {
        expectThat(!ids.slice(0, index).includes(refundOrderId), created, {
          expected: 'a refundOrderId that no other refund has',
          actual: `data.refundOrderId = ${refundOrderId}, which another refund has`,
        });
      }
      // A target that numbers the refunds of each merchant from 1 has given the same id to refunds of both by now.
      const [first, , third] = refunds;
      for (const [mine, theirs] of [
        [first, third],
        [third, first],
      ]) {
        if (!mine || !theirs) continue;
        const answer = await mine.client.query({ refundOrderId: theirs.refundOrderId });
        const shown = field(answer, 'data.merchantRefundOrderId');
        // refunds.query.other-merchant judges whether another merchant's refund may be shown at all.
        expectThat(!isAccepted(answer) || shown === theirs.request.merchantRefundOrderId, answer, {
          expected: 'no refund of this merchant under the refundOrderId of another merchant’s refund',
          actual: `the refund ${show(shown)}`,
        });
      }
    },
  },
  ...amounts,
  {
    id: 'refunds.record.deduct-amount',
    title: 'merchantDeductAmount is decimal text, once the refund has SUCCEEDED at the latest',
    requirements: ['refunds.record.deduct-amount'],
    openPoint: 'refund-deduct-amount',
    needs: ['paid-order', 'refund-events'],
    async run(context) {
      const { created, query } = await makeRefundIn(context, 'SUCCEEDED');
      for (const answer of [created, await query()]) {
        const amount = field(answer, 'data.merchantDeductAmount');
        const needed = statusOf(answer) === 'SUCCEEDED';
        expectThat(isDecimalText(amount) || (amount === undefined && !needed), answer, {
          expected: 'data.merchantDeductAmount is decimal text',
          actual: seenAt(answer, 'data.merchantDeductAmount'),
        });
        const refunded = needText(answer, 'data.refundAmount');
        if (!isDecimalText(amount) || !isDecimalText(refunded)) continue;
        const value = compareDecimals(amount, refunded) === 0 ? 'equal' : 'after-fee';
        context.observeIn(answer, 'refund-deduct-amount', `${amount} for a refund of ${refunded}`, value);
      }
    },
  },
  {
    id: 'refunds.record.never-given',
    title: 'Whether extraData that was never given is null or left out',
    requirements: ['refunds.record.never-given'],
    needs: ['paid-order'],
    async run(context) {
      const { query } = await makeRefund(context, await context.merchant());
      const answer = await query();
      const shown = field(answer, 'data.extraData');
      const value = shown === undefined ? 'absent' : shown === null ? 'null-value' : null;
      context.observeIn(answer, 'refund-null-or-absent', `data.extraData is ${show(shown)}`, value);
    },
  },
  {
    id: 'refunds.record.open-fields',
    title: 'In which states a refund shows estimatedCompletionTime and merchantDeductAmount',
    requirements: ['refunds.record.open-fields'],
    needs: ['paid-order', 'refund-events'],
    long: true,
    async run(context) {
      const shown: { state: ReachableRefundState; estimate: boolean; deducted: boolean }[] = [];
      const answers: Answer[] = [];
      for (const state of refundStates) {
        const refund = await refundIn(context, state).catch(leftOut);
        if (!refund) continue;
        const answer = await refund.query();
        const has = (name: string) => field(answer, `data.${name}`) !== undefined;
        shown.push({ state, estimate: has('estimatedCompletionTime'), deducted: has('merchantDeductAmount') });
        answers.push(answer);
      }
      const applies = shown.every(
        ({ state, estimate, deducted }) =>
          estimate === ['PENDING', 'PROCESSING'].includes(state) && deducted !== ['FAILED', 'CLOSED'].includes(state),
      );
      const always = shown.every(({ estimate, deducted }) => estimate && deducted);
      const statesWith = (name: 'estimate' | 'deducted') =>
        shown
          .filter((each) => each[name])
          .map(({ state }) => state)
          .join(', ') || 'no state';
      const missing = refundStates.filter((each) => shown.every(({ state }) => state !== each));
      const unseen = missing.length > 0 ? `; no refund comes to ${missing.join(', ')} here` : '';
      context.observeIn(
        answers,
        'refund-record-fields',
        `estimatedCompletionTime in ${statesWith('estimate')}; merchantDeductAmount in ${statesWith('deducted')}${unseen}`,
        applies ? 'where-they-apply' : always ? 'always' : undefined,
      );
    },
  },
  {
    id: 'refunds.record.payment-method',
    title: 'paymentMethod is the name of a payment method, each time the refund is shown',
    requirements: ['refunds.record.payment-method'],
    openPoint: 'refund-payment-method',
    needs: ['paid-order'],
    async run(context) {
      const merchant = await context.merchant();
      const { created, query } = context.has('order-events')
        ? await makeRefund(context, merchant, { order: await makeOrderPaidByDriver(context, merchant) })
        : await standingRefund(context);
      for (const answer of [created, await query()]) {
        const shown = field(answer, 'data.paymentMethod');
        expectThat(typeof shown === 'string' && shown !== '', answer, {
          expected: 'data.paymentMethod is a name',
          actual: seenAt(answer, 'data.paymentMethod'),
        });
      }
      const name = field(created, 'data.paymentMethod');
      const values: Record<string, string> = { ON_CHAIN_TRANSFER: 'on-chain-transfer', ON_CHAIN_PAY: 'on-chain-pay' };
      context.observeIn(created, 'refund-payment-method', show(name), values[String(name)] ?? null);
    },
  },
  {
    id: 'refunds.record.times',
    title: 'createdTime is the present time in ISO 8601',
    requirements: ['refunds.record.times'],
    openPoint: 'time-forms',
    needs: ['paid-order'],
    async run(context) {
      const { created, asked } = await standingRefund(context);
      const time = needText(created, 'data.createdTime');
      context.observeIn(created, 'time-forms', `data.createdTime = ${time}`, timeFormOf(time));
      // A time without a zone may be that of any zone.
      if (/(Z|[+-][0-9]{2}(:?[0-9]{2})?)$/.test(time)) expectPresentTime(created, 'data.createdTime', asked);
      expectSchema(created, 'RefundSuccess');
    },
  },
  {
    id: 'refunds.record.error-code',
    title: 'A refund that failed for want of funds at the exchange has the errorCode EXCHANGE_BALANCE_INSUFFICIENT',
    requirements: ['refunds.record.error-code'],
    needs: ['paid-order', 'refund-events'],
    async run(context) {
      const { query } = await makeRefundIn(context, 'FAILED');
      expectField(await query(), 'data.errorCode', 'EXCHANGE_BALANCE_INSUFFICIENT');
    },
  },
];
