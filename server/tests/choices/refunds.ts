import { outcomeOf } from '../support/contract.ts';
import { newRefundId, refundClient, refundOf } from '../support/refunds.ts';
import { advance, merchantClient, newMerchant } from '../support/server.ts';
import { type Chosen, moveOrder, type Points } from './point.ts';

const day = 86_400;
const expired = '400 REFUND_PERIOD_EXPIRED';
const [accepted, conflict, alreadyRefunded] = ['200 00000', '400 IDEMPOTENCY_CONFLICT', '400 ORDER_ALREADY_REFUNDED'];

async function create({ refunds }: Chosen, body: object): Promise<string> {
  return outcomeOf(await refunds.post(body), 'refunds.create');
}

/** A paid checkout order's platform id. */
async function paidCheckoutOrder({ server, checkout }: Chosen): Promise<string> {
  const order = await checkout.create();
  await moveOrder(server, order, { type: 'transaction_detected' }, { type: 'payment_confirmed' });
  return order.orderId;
}

/** Refunds an order of 10 USDT of a merchant that has this much. */
async function createWith({ server }: Chosen, balance: string): Promise<string> {
  const credentials = await newMerchant(server, { balances: { USDT: balance } });
  const order = await merchantClient(server, credentials).create();
  await moveOrder(server, order, { type: 'transaction_detected' }, { type: 'payment_confirmed' });
  const refunds = refundClient(server, credentials);
  return outcomeOf(await refunds.post(refunds.body(order.orderId)), 'refunds.create');
}

export const refundsPoints: Points<
  | 'refund-error-codes'
  | 'refund-second'
  | 'refund-repeat-different'
  | 'refund-query-priority'
  | 'refund-batch-unknown'
  | 'refund-period'
  | 'refund-checkout-orders'
  | 'refund-deduct-amount'
  | 'refund-payment-method'
  | 'refund-overpaid'
  | 'refund-record-fields'
  | 'refund-null-or-absent'
> = {
  'refund-error-codes': {
    seen: {
      'by-cause': {
        open: [
          '400 INVALID_PARAMETER',
          '400 ORDER_NOT_REFUNDABLE',
          '400 ORDER_ALREADY_REFUNDED',
          '400 IDEMPOTENCY_CONFLICT',
          '404 ORDER_NOT_FOUND',
          '401 INVALID_SIGNATURE',
          '401 TIMESTAMP_EXPIRED',
          '401 INVALID_API_KEY',
          '401 INVALID_API_KEY',
        ],
        named: ['404 REFUND_NOT_FOUND', '400 INSUFFICIENT_BALANCE'],
      },
      'by-status': {
        open: [
          '400 INVALID_PARAMETER',
          '400 INVALID_PARAMETER',
          '400 INVALID_PARAMETER',
          '400 INVALID_PARAMETER',
          '404 ORDER_NOT_FOUND',
          '401 INVALID_SIGNATURE',
          '401 INVALID_SIGNATURE',
          '401 INVALID_SIGNATURE',
          '401 INVALID_SIGNATURE',
        ],
        named: ['404 REFUND_NOT_FOUND', '400 INSUFFICIENT_BALANCE'],
      },
    },
    observe: async (chosen) => {
      const { server, merchant, refunds, paidOrder } = chosen;
      const unpaid = await merchant.create();
      const [one, two] = [await paidOrder(), await paidOrder()];
      const { merchantRefundOrderId } = await refunds.create(one);
      const nobodys = refundClient(server, { ...refunds, merchantId: 'M-nobody' });
      const query = async (...with_: Parameters<typeof refunds.get>) =>
        outcomeOf(await refunds.get(...with_), 'refunds.query');
      return {
        open: [
          await create(chosen, { ...refunds.body(two), notifyUrl: 'nowhere' }),
          await create(chosen, refunds.body(unpaid.orderId)),
          await create(chosen, refunds.body(one)),
          await create(chosen, refunds.body(two, { merchantRefundOrderId })),
          await create(chosen, refunds.body('ord.none')),
          await query('refundOrderId=x', { headers: { 'X-Signature': `${'A'.repeat(43)}=` } }),
          await query('refundOrderId=x', { timestamp: '1000000000000' }),
          await query('refundOrderId=x', { headers: { 'X-Api-Key': 'ak_that-nobody-has' } }),
          outcomeOf(await nobodys.get('refundOrderId=x', { as: refunds }), 'refunds.query'),
        ],
        named: [await query('refundOrderId=x'), await createWith(chosen, '5')],
      };
    },
  },
  'refund-second': {
    seen: {
      'after-failure': { pending: alreadyRefunded, closed: accepted, failed: accepted, succeeded: alreadyRefunded },
      never: { pending: alreadyRefunded, closed: alreadyRefunded, failed: alreadyRefunded, succeeded: alreadyRefunded },
    },
    observe: async (chosen) => {
      const { refunds, paidOrder } = chosen;
      const after = async (...events: string[]) => {
        const order = await paidOrder();
        const { refundOrderId } = await refunds.create(order);
        await refunds.move(refundOrderId, ...events);
        return create(chosen, refunds.body(order));
      };
      return {
        pending: await after(),
        closed: await after('closed'),
        failed: await after('failed'),
        succeeded: await after('processing_started', 'completed'),
      };
    },
  },
  'refund-repeat-different': {
    seen: {
      'by-order': ['existing', 'existing', conflict],
      'always-existing': ['existing', 'existing', 'existing'],
      'same-request': ['existing', conflict, conflict],
    },
    observe: async ({ refunds, paidOrder }) => {
      const [one, two] = [await paidOrder(), await paidOrder()];
      const request = refunds.body(one);
      const first = refundOf(await refunds.post(request));
      const repeats = [{}, { refundReason: 'Another' }, { acquiringOrderId: two }];
      return Promise.all(
        repeats.map(async (change) => {
          const answer = await refunds.post({ ...request, ...change });
          const outcome = outcomeOf(answer, 'refunds.create');
          return outcome === accepted && refundOf(answer).refundOrderId === first.refundOrderId ? 'existing' : outcome;
        }),
      );
    },
  },
  'refund-query-priority': {
    seen: {
      'merchant-refund-order-id': { both: 'of one', matching: 'of one', idMisses: 'none', orderMisses: 'of one' },
      'acquiring-order-id': { both: 'of two', matching: 'of one', idMisses: 'of two', orderMisses: 'none' },
      'both-must-match': { both: 'none', matching: 'of one', idMisses: 'none', orderMisses: 'none' },
    },
    observe: async ({ refunds, paidOrder }) => {
      const [one, two] = [await paidOrder(), await paidOrder()];
      const [ofOne, ofTwo] = [await refunds.create(one), await refunds.create(two)];
      const ask = async (merchantRefundOrderId: string, acquiringOrderId: string) => {
        const answer = await refunds.get(new URLSearchParams({ merchantRefundOrderId, acquiringOrderId }).toString());
        if (outcomeOf(answer, 'refunds.query') === '404 REFUND_NOT_FOUND') return 'none';
        return refundOf(answer).refundOrderId === ofOne.refundOrderId ? 'of one' : 'of two';
      };
      return {
        both: await ask(ofOne.merchantRefundOrderId, ofTwo.acquiringOrderId),
        matching: await ask(ofOne.merchantRefundOrderId, one),
        idMisses: await ask(newRefundId(), two),
        orderMisses: await ask(ofOne.merchantRefundOrderId, `ord.${'a'.repeat(26)}`),
      };
    },
  },
  'refund-batch-unknown': {
    seen: {
      'left-out': { some: '200 00000', found: 1, known: '200 00000' },
      'not-found': { some: '404 REFUND_NOT_FOUND', found: undefined, known: '200 00000' },
    },
    observe: async ({ refunds, paidOrder }) => {
      const { merchantRefundOrderId } = await refunds.create(await paidOrder());
      const some = await refunds.batch([merchantRefundOrderId, newRefundId(), merchantRefundOrderId]);
      return {
        some: outcomeOf(some, 'refunds.batch-query'),
        found: Object(some.body).data?.length,
        known: outcomeOf(await refunds.batch([merchantRefundOrderId]), 'refunds.batch-query'),
      };
    },
  },
  'refund-period': {
    seen: {
      '30-days': [accepted, accepted, accepted, expired, expired, expired],
      shorter: [accepted, expired, expired, expired, expired, expired],
      longer: [accepted, accepted, accepted, accepted, accepted, expired],
    },
    observe: async (chosen) => {
      const { server, refunds, paidOrder } = chosen;
      const orders: string[] = [];
      const outcomes: string[] = [];
      // 13, 15, 29, 31, 89 and 91 days after the payment.
      const steps = [13, 2, 14, 2, 58, 2];
      while (orders.length < steps.length) orders.push(await paidOrder());
      for (const [index, days] of steps.entries()) {
        await advance(server, refunds.merchantId, days * day);
        outcomes.push(await create(chosen, refunds.body(orders[index] ?? '')));
      }
      return outcomes;
    },
  },
  'refund-checkout-orders': {
    seen: {
      allowed: { checkout: accepted, hosted: accepted },
      refused: { checkout: '400 ORDER_NOT_REFUNDABLE', hosted: accepted },
    },
    observe: async (chosen) => ({
      checkout: await create(chosen, chosen.refunds.body(await paidCheckoutOrder(chosen))),
      hosted: await create(chosen, chosen.refunds.body(await chosen.paidOrder())),
    }),
  },
  'refund-deduct-amount': {
    seen: {
      equal: { refundAmount: '10', merchantDeductAmount: '10', with: [accepted, '400 INSUFFICIENT_BALANCE'] },
      'after-fee': { refundAmount: '10', merchantDeductAmount: '9.9', with: [accepted, accepted] },
    },
    observe: async (chosen) => {
      const { refundAmount, merchantDeductAmount } = await chosen.refunds.create(await chosen.paidOrder());
      const outcomes = [await createWith(chosen, '10'), await createWith(chosen, '9.9')];
      return { refundAmount, merchantDeductAmount, with: outcomes };
    },
  },
  'refund-overpaid': {
    seen: {
      paid: { more: '12.5', exact: '10', checkout: '11', usd: '12' },
      ordered: { more: '10', exact: '10', checkout: '10', usd: '12' },
    },
    observe: async ({ server, merchant, checkout, refunds }) => {
      const refunded = async (order: { merchantId: string; orderId: string }, amount?: string) => {
        const detected = { type: 'transaction_detected', ...(amount !== undefined && { amount }) };
        await moveOrder(server, order, detected, { type: 'payment_confirmed' });
        return (await refunds.create(order.orderId)).refundAmount;
      };
      const usd = { value: '10', currency: 'USD' as const };
      return {
        more: await refunded(await merchant.create(), '12.5'),
        exact: await refunded(await merchant.create()),
        checkout: await refunded(await checkout.create(), '11'),
        usd: await refunded(await merchant.create({ orderAmount: usd }), '12'),
      };
    },
  },
  'refund-record-fields': {
    seen: {
      'where-they-apply': {
        PENDING: ['estimatedCompletionTime', 'merchantDeductAmount'],
        PROCESSING: ['estimatedCompletionTime', 'merchantDeductAmount'],
        SUCCEEDED: ['merchantDeductAmount'],
        FAILED: [],
        CLOSED: [],
      },
      always: Object.fromEntries(
        ['PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED', 'CLOSED'].map((status) => [
          status,
          ['estimatedCompletionTime', 'merchantDeductAmount'],
        ]),
      ),
    },
    observe: async ({ refunds, paidOrder }) => {
      const shown: Record<string, string[]> = {};
      const ways = [[], ['processing_started'], ['processing_started', 'completed'], ['failed'], ['closed']];
      for (const way of ways) {
        const { refundOrderId } = await refunds.create(await paidOrder());
        await refunds.move(refundOrderId, ...way);
        const refund = await refunds.query(refundOrderId);
        shown[refund.status] = ['estimatedCompletionTime', 'merchantDeductAmount'].filter((name) => name in refund);
      }
      return shown;
    },
  },
  'refund-null-or-absent': {
    seen: { absent: [undefined, '{"a":1}'], 'null-value': [null, '{"a":1}'] },
    observe: async ({ refunds, paidOrder }) => [
      (await refunds.create(await paidOrder())).extraData,
      (await refunds.create(await paidOrder(), { extraData: '{"a":1}' })).extraData,
    ],
  },
  'refund-payment-method': {
    seen: {
      'on-chain-transfer': ['ON_CHAIN_TRANSFER', 'EXCHANGE_TWO_PAY'],
      'on-chain-pay': ['ON_CHAIN_PAY', 'EXCHANGE_TWO_PAY'],
    },
    observe: async ({ refunds, paidOrder }) => {
      const orders = [await paidOrder(), await paidOrder({ paymentMethod: 'EXCHANGE_TWO' })];
      return Promise.all(orders.map(async (order) => (await refunds.create(order)).paymentMethod));
    },
  },
};
