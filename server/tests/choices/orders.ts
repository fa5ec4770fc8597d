import type { OrderCreateRequest } from '../../domain/order.ts';
import { failureOf, outcomeOf } from '../support/contract.ts';
import type { Answer } from '../support/http.ts';
import type { MerchantClient } from '../support/server.ts';
import { moveOrder, type Points } from './point.ts';

const created = (answer: Answer) => outcomeOf(answer, 'orders.create');
const [accepted, invalid, invalidAmount, unsupported, exists] = ['00000', '10001', '10004', '10011', '20001'].map(
  (code) => `200 ${code}`,
);

const usdt = (value: string) => ({ value, currency: 'USDT' as const });
const isoIn = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
const day = 86_400_000;

/** The answer to a create that differs from a right one. */
async function create(merchant: MerchantClient, changes: object): Promise<string> {
  return created(await merchant.post({ ...merchant.body(), ...changes }));
}

function eachCreated(merchant: MerchantClient, changes: readonly object[]): Promise<string[]> {
  return Promise.all(changes.map((each) => create(merchant, each)));
}

const priced = (value: string) => ({ items: [{ name: 'Pen', quantity: 1, amount: usdt(value) }] });
const split = (settlementRatio: string) => ({
  subMerchants: [{ subMerchantId: 's', name: 'S', amount: '10', settlementRatio }],
});

export const ordersPoints: Points<
  | 'orders-error-codes'
  | 'orders-duplicate-id'
  | 'orders-amount-limits'
  | 'orders-metadata-json'
  | 'orders-currency'
  | 'item-currency'
  | 'orders-expiry-past'
  | 'orders-query-id'
  | 'settlement-ratio-edges'
  | 'failure-envelope-ids'
  | 'exchange-payment-detail'
> = {
  'orders-error-codes': {
    seen: { 'as-checkout': [invalidAmount, invalid], 'only-known': [invalid, invalid] },
    observe: ({ merchant }) => eachCreated(merchant, [{ orderAmount: usdt('0') }, { userAgent: 'a'.repeat(513) }]),
  },
  'orders-duplicate-id': {
    seen: {
      'same-terms': ['existing', 'existing', 'existing', exists],
      'always-refused': [exists, exists, exists, exists],
      'same-request': ['existing', 'existing', exists, exists],
      'always-existing': ['existing', 'existing', 'existing', 'existing'],
    },
    observe: async ({ merchant }) => {
      const request = merchant.body();
      const first = await merchant.create(request);
      const repeats: Partial<OrderCreateRequest>[] = [
        {},
        { orderAmount: usdt('10.00') },
        { description: 'another' },
        { orderAmount: usdt('11') },
      ];
      return Promise.all(
        repeats.map(async (change) => {
          const answer = await merchant.post({ ...request, ...change });
          const outcome = created(answer);
          return outcome === accepted && Object(answer.body).data.orderId === first.orderId ? 'existing' : outcome;
        }),
      );
    },
  },
  'orders-amount-limits': {
    seen: {
      'above-zero': [invalidAmount, accepted, accepted, accepted, accepted, accepted],
      bounded: [invalidAmount, invalidAmount, accepted, accepted, invalidAmount, accepted],
      'zero-accepted': [accepted, accepted, accepted, accepted, accepted, accepted],
    },
    observe: ({ merchant }) =>
      eachCreated(merchant, [
        ...['0', '0.009', '0.01', '1000000', '1000000.01'].map((value) => ({ orderAmount: usdt(value) })),
        priced('0'),
      ]),
  },
  'orders-metadata-json': {
    seen: { refused: [invalid, accepted, invalid], accepted: [accepted, accepted, invalid] },
    observe: ({ merchant }) =>
      eachCreated(merchant, [{ metadata: 'no {JSON' }, { metadata: '{}' }, { metadata: 'a'.repeat(4097) }]),
  },
  'orders-currency': {
    seen: { '10001': [invalid, invalid], '10011': [unsupported, invalid] },
    observe: ({ merchant }) =>
      eachCreated(
        merchant,
        ['EUR', 'eur'].map((currency) => ({ orderAmount: { value: '10', currency } })),
      ),
  },
  'item-currency': {
    seen: { any: [accepted, accepted, accepted, invalid], 'of-the-order': [accepted, invalid, invalid, invalid] },
    observe: ({ merchant }) =>
      eachCreated(
        merchant,
        ['USDT', 'USD', 'EUR', 'eur'].map((currency) => ({
          items: [{ name: 'Pen', quantity: 1, amount: { value: '0', currency } }],
        })),
      ),
  },
  'orders-expiry-past': {
    seen: {
      'past-refused': { past: invalid, beforeAllTime: invalid, farAhead: accepted, status: undefined },
      'past-accepted': { past: accepted, beforeAllTime: invalid, farAhead: accepted, status: 'CLOSED' },
      bounded: { past: invalid, beforeAllTime: invalid, farAhead: invalid, status: undefined },
    },
    observe: async ({ merchant }) => {
      const request = merchant.body({ expiresAt: isoIn(-day) });
      const past = await create(merchant, request);
      const status = past === accepted ? (await merchant.query(request.merchantOrderId)).status : undefined;
      const [beforeAllTime, farAhead] = await eachCreated(merchant, [
        { expiresAt: '0000-01-01T00:00:00+23:59' },
        { expiresAt: isoIn(2 * day) },
      ]);
      return { past, beforeAllTime, farAhead, status };
    },
  },
  'orders-query-id': {
    seen: { both: ['200 00000', '200 00000'], 'merchant-order-id-only': ['200 00000', '200 40001'] },
    observe: async ({ merchant }) => {
      const { merchantOrderId, orderId } = await merchant.create();
      const answers = [await merchant.get(merchantOrderId), await merchant.get(orderId)];
      return answers.map((answer) => outcomeOf(answer, 'orders.query'));
    },
  },
  'settlement-ratio-edges': {
    seen: {
      inclusive: [accepted, accepted, accepted, invalid],
      exclusive: [invalid, accepted, invalid, invalid],
    },
    observe: ({ merchant }) => eachCreated(merchant, ['0', '0.5', '1', '1.000000000000000001'].map(split)),
  },
  'failure-envelope-ids': {
    seen: { 'null-id': null, 'empty-text': '' },
    observe: async ({ merchant }) => failureOf(await merchant.post('{')).data.merchantOrderId,
  },
  'exchange-payment-detail': {
    seen: {
      'as-on-chain': { onChain: { confirmations: 19, height: true }, exchange: { confirmations: 19, height: true } },
      'exchange-reference': {
        onChain: { confirmations: 19, height: true },
        exchange: { confirmations: 0, height: false, reference: true },
      },
    },
    observe: async ({ server, merchant }) => {
      const detailOf = async (paymentMethod: string) => {
        const order = await merchant.create();
        await moveOrder(server, order, { type: 'transaction_detected', paymentMethod }, { type: 'payment_confirmed' });
        const { confirmations, blockNumber, txHash } = Object(
          (await merchant.query(order.orderId)).cryptoPaymentDetail,
        );
        const reference = String(txHash).startsWith(paymentMethod);
        return { confirmations, height: blockNumber > 0, ...(reference && { reference }) };
      };
      return { onChain: await detailOf('ON_CHAIN_TRANSFER'), exchange: await detailOf('EXCHANGE_ONE') };
    },
  },
};
