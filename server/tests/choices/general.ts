import { outcomeOf } from '../support/contract.ts';
import { newOrderId } from '../support/server.ts';
import type { Points } from './point.ts';

const broken = '%E0%A4%A';

/** How a time is written: with what it ends. */
const formOf = (time: unknown) => /\.[0-9]+(Z|[+-].*)$/.exec(String(time))?.[0].replace(/[0-9]/g, '0');

export const generalPoints: Points<
  'unknown-fields' | 'field-forms' | 'query-malformed-id' | 'time-forms' | 'id-namespaces'
> = {
  'unknown-fields': {
    seen: {
      ignored: ['200 00000', '200 00000', '200 00000', '404 ORDER_NOT_FOUND', '200 00000'],
      refused: ['200 10001', '200 10001', '200 10001', '400 INVALID_PARAMETER', '200 00000'],
    },
    observe: async ({ merchant, checkout, refunds }) => {
      const items = [{ name: 'Pen', quantity: 1, amount: { value: '1', currency: 'USDT' } }];
      const known = { ...merchant.body(), items, customer: { name: 'Ada' }, paymentMethodConfig: {} };
      return [
        outcomeOf(await merchant.post({ ...merchant.body(), assay: 1 }), 'orders.create'),
        outcomeOf(await merchant.post({ ...merchant.body(), items: [{ ...items[0], assay: 1 }] }), 'orders.create'),
        outcomeOf(await checkout.post({ ...checkout.body(), customer: { assay: null } }), 'checkout.create'),
        outcomeOf(await refunds.post({ ...refunds.body('ord.none'), assay: [] }), 'refunds.create'),
        outcomeOf(await merchant.post(known), 'orders.create'),
      ];
    },
  },
  'field-forms': {
    seen: {
      strict: { number: '200 10001', rest: '200 10001', nullRequired: '200 10001', ids: '400 INVALID_PARAMETER' },
      lenient: {
        number: '200 00000',
        amount: '8.123456789012345678',
        rest: '200 00000',
        nullRequired: '200 10001',
        ids: '200 00000',
      },
    },
    observe: async ({ merchant, refunds }) => {
      const post = async (body: string | object) => {
        const answer = await merchant.post(body);
        return { answer, outcome: outcomeOf(answer, 'orders.create') };
      };
      const amount = { value: '8.123456789012345678', currency: 'USDT' } as const;
      const asNumber = JSON.stringify(merchant.body({ orderAmount: amount })).replace(/"(8\.[0-9]+)"/, '$1');
      const number = await post(asNumber);
      const rest = await post({
        ...merchant.body(),
        userAgent: true,
        description: null,
        customer: { name: null, phone: 112 },
        items: [{ name: 'Pen', quantity: '2', amount: { value: 1, currency: 'USDT' }, description: null }],
      });
      const shown: unknown = Object(Object(number.answer.body).data).orderAmount;
      return {
        number: number.outcome,
        ...(typeof shown === 'object' && { amount: Object(shown).value }),
        rest: rest.outcome,
        nullRequired: (await post({ ...merchant.body(), returnUrl: null })).outcome,
        ids: outcomeOf(await refunds.batch([1, 'b']), 'refunds.batch-query'),
      };
    },
  },
  'query-malformed-id': {
    seen: {
      'not-found': {
        orders: '200 40001',
        refunds: '404 REFUND_NOT_FOUND',
        refundOf: '404 ORDER_NOT_FOUND',
        wellFormed: true,
      },
      'invalid-parameter': {
        orders: '200 10001',
        refunds: '400 INVALID_PARAMETER',
        refundOf: '400 INVALID_PARAMETER',
        wellFormed: true,
      },
    },
    observe: async ({ merchant, checkout, refunds }) => {
      const ids = ['x', 'a'.repeat(65), 'order%20000000000001', 'ord.short', broken];
      const orders = [
        ...(await Promise.all(ids.map(async (id) => outcomeOf(await merchant.get(id), 'orders.query')))),
        ...(await Promise.all(ids.map(async (id) => outcomeOf(await checkout.get(id), 'checkout.query')))),
      ];
      const queries = [
        'refundOrderId=x',
        'merchantRefundOrderId=a%00b',
        'acquiringOrderId=order-0000000001',
        ...['refundOrderId', 'merchantRefundOrderId', 'acquiringOrderId'].map((name) => `${name}=${broken}`),
      ];
      const answers = await Promise.all(
        queries.map(async (query) => outcomeOf(await refunds.get(query), 'refunds.query')),
      );
      const missing = [
        outcomeOf(await merchant.get(newOrderId()), 'orders.query'),
        outcomeOf(await merchant.get(`ord.${'a'.repeat(26)}`), 'orders.query'),
        outcomeOf(await checkout.get(newOrderId()), 'checkout.query'),
        outcomeOf(await refunds.get(`refundOrderId=ref.${'a'.repeat(26)}`), 'refunds.query'),
        outcomeOf(await refunds.get('merchantRefundOrderId=r-1&unknown=%E0'), 'refunds.query'),
        outcomeOf(await refunds.post(refunds.body(`ord.${'a'.repeat(26)}`)), 'refunds.create'),
      ];
      const [notFound, noRefund] = ['200 40001', '404 REFUND_NOT_FOUND'];
      return {
        orders: same(orders),
        refunds: same(answers),
        refundOf: outcomeOf(await refunds.post(refunds.body('order-0000000001')), 'refunds.create'),
        wellFormed: missing.join() === [notFound, notFound, notFound, noRefund, noRefund, '404 ORDER_NOT_FOUND'].join(),
      };
    },
  },
  'time-forms': {
    seen: { milliseconds: ['.000Z'], offset: ['.000+00:00'], microseconds: ['.000000Z'] },
    observe: async ({ merchant, checkout, refunds, paidOrder }) => {
      const order = await merchant.query(await paidOrder());
      const open = await checkout.create();
      const refund = await refunds.create(order.orderId);
      const times = [
        ...[order.createdAt, order.expiresAt, order.paidAt],
        ...[open.createdAt, open.expiresAt],
        ...[refund.createdTime, refund.estimatedCompletionTime],
      ];
      return [...new Set(times.map(formOf))];
    },
  },
  'id-namespaces': {
    seen: {
      separate: { hostedFirst: '200 00000', checkoutFirst: '200 00000', atOnce: 10 },
      'shared-products': { hostedFirst: '200 20001', checkoutFirst: '200 20001', atOnce: 5 },
    },
    observe: async ({ merchant, checkout }) => {
      const hosted = async (merchantOrderId: string) =>
        outcomeOf(await merchant.post(merchant.body({ merchantOrderId })), 'orders.create');
      const other = async (merchantOrderId: string) =>
        outcomeOf(await checkout.post(checkout.body({ merchantOrderId })), 'checkout.create');
      const [one, two] = [newOrderId(), newOrderId()];
      await hosted(one);
      await other(two);
      const pairs = Array.from({ length: 5 }, newOrderId).flatMap((id) => [hosted(id), other(id)]);
      const made = (await Promise.all(pairs)).filter((outcome) => outcome === '200 00000');
      return { hostedFirst: await other(one), checkoutFirst: await hosted(two), atOnce: made.length };
    },
  },
};

/** What all of them are; all of them where they differ. */
function same(outcomes: readonly string[]): string | readonly string[] {
  const [first] = outcomes;
  return first !== undefined && outcomes.every((each) => each === first) ? first : outcomes;
}
