import type { CheckoutOrderCreateRequest } from '../../domain/order.ts';
import { checkoutClient } from '../support/checkout.ts';
import { outcomeOf } from '../support/contract.ts';
import type { Answer } from '../support/http.ts';
import { advance, newMerchant, newOrderId } from '../support/server.ts';
import { moveOrder, type Points } from './point.ts';

const created = (answer: Answer) => outcomeOf(answer, 'checkout.create');
const exists = '200 20001';
const usdt = (value: string) => ({ value, currency: 'USDT' as const });
const paymentFields = ['cryptoPaidAmount', 'cryptoPaymentDetail', 'paidAt'];

export const checkoutPoints: Points<
  | 'checkout-repeat'
  | 'checkout-http-status'
  | 'checkout-amount-range'
  | 'checkout-expiry-limit'
  | 'checkout-overlapping-codes'
  | 'checkout-transitions'
  | 'checkout-null-or-absent'
  | 'checkout-metadata'
> = {
  'checkout-repeat': {
    seen: {
      'same-terms': { open: ['existing', 'existing', exists], final: ['existing', 'existing', exists] },
      'always-existing': { open: ['existing', 'existing', 'existing'], final: ['existing', 'existing', 'existing'] },
      'same-request': { open: ['existing', exists, exists], final: ['existing', exists, exists] },
      'while-open': { open: ['existing', 'existing', 'existing'], final: [exists, exists, exists] },
      'always-refused': { open: [exists, exists, exists], final: [exists, exists, exists] },
    },
    observe: async ({ server, checkout }) => {
      const request = checkout.body();
      const first = await checkout.create(request);
      const repeats: Partial<CheckoutOrderCreateRequest>[] = [
        {},
        { description: 'another' },
        { orderAmount: usdt('11') },
      ];
      const answers = () =>
        Promise.all(
          repeats.map(async (change) => {
            const answer = await checkout.post({ ...request, ...change });
            const outcome = created(answer);
            return outcome.endsWith('00000') && Object(answer.body).data.orderId === first.orderId
              ? 'existing'
              : outcome;
          }),
        );
      const open = await answers();
      // Its time runs out, so that the repeats come after the expiry that they ask for.
      await advance(server, checkout.merchantId, 3600);
      return { open, final: await answers() };
    },
  },
  'checkout-http-status': {
    seen: {
      '200': ['200 10001', '200 10011', '200 50010', '200 40001', '200 10007', '200 20001'],
      '4xx': ['400 10001', '400 10011', '403 50010', '404 40001', '404 10007', '409 20001'],
    },
    observe: async ({ server, checkout }) => {
      const disabled = checkoutClient(server, await newMerchant(server, { checkoutEnabled: false }));
      const nobodys = checkoutClient(server, { ...checkout, merchantId: 'M-nobody' });
      const request = checkout.body();
      await checkout.create(request);
      return [
        created(await checkout.post(checkout.body({ customerIp: '1'.repeat(65) }))),
        created(await checkout.post(checkout.body({ network: 'nowhere' }))),
        outcomeOf(await disabled.methods(), 'checkout.payment-methods'),
        outcomeOf(await checkout.get(newOrderId()), 'checkout.query'),
        outcomeOf(await nobodys.get(newOrderId()), 'checkout.query'),
        created(await checkout.post({ ...request, orderAmount: usdt('11') })),
      ];
    },
  },
  'checkout-amount-range': {
    seen: { '10004': ['200 10004', '200 10004', '200 10004'], '10001': ['200 10001', '200 10001', '200 10004'] },
    observe: ({ checkout }) =>
      Promise.all(
        ['0.99', '1000001', '0'].map(async (value) =>
          created(await checkout.post(checkout.body({ orderAmount: usdt(value) }))),
        ),
      ),
  },
  'checkout-expiry-limit': {
    seen: { '10005': ['200 10005', '200 10005'], '10001': ['200 10001', '200 10005'] },
    observe: async ({ server, checkout }) => {
      const at = (hours: number) => new Date(server.clock() + hours * 3_600_000).toISOString();
      return Promise.all(
        [25, -1].map(async (hours) => created(await checkout.post(checkout.body({ expiresAt: at(hours) })))),
      );
    },
  },
  'checkout-overlapping-codes': {
    seen: {
      'own-row': ['200 10004', '200 10011', '200 10011', '200 10005', '200 10011', '200 10001'],
      'invalid-parameter': ['200 10001', '200 10001', '200 10001', '200 10001', '200 10011', '200 10001'],
    },
    observe: ({ server, checkout }) =>
      Promise.all(
        [
          { orderAmount: usdt('0') },
          { orderAmount: { value: '10', currency: 'EUR' } },
          { network: 'nowhere' },
          { expiresAt: new Date(server.clock() - 1000).toISOString() },
          // The platform has both, but not together.
          { orderAmount: { value: '10', currency: 'USD1' }, network: 'tron' },
          { expiresAt: '2030-02-30T00:00:00Z' },
        ].map(async (change) => created(await checkout.post({ ...checkout.body(), ...change }))),
      ),
  },
  'checkout-transitions': {
    seen: { 'as-hosted': ['CLOSED', 'CLOSED', 'CLOSED'], 'expiry-fails': ['FAILED', 'CLOSED', 'CLOSED'] },
    observe: async ({ server, merchant, checkout }) => {
      const [expired, cancelled, hosted] = [await checkout.create(), await checkout.create(), await merchant.create()];
      await moveOrder(server, cancelled, { type: 'cancelled' });
      await advance(server, checkout.merchantId, 7200);
      return [
        (await checkout.query(expired.merchantOrderId)).status,
        (await checkout.query(cancelled.merchantOrderId)).status,
        (await merchant.query(hosted.orderId)).status,
      ];
    },
  },
  'checkout-null-or-absent': {
    seen: {
      absent: { created: [undefined, undefined, undefined], queried: [undefined, undefined, undefined], paid: true },
      'null-value': { created: [undefined, undefined, undefined], queried: [null, null, null], paid: true },
    },
    observe: async ({ server, checkout }) => {
      const order = await checkout.create();
      const fieldsOf = (view: object) => paymentFields.map((name) => Reflect.get(view, name));
      const queried = fieldsOf(await checkout.query(order.merchantOrderId));
      await moveOrder(server, order, { type: 'transaction_detected' }, { type: 'payment_confirmed' });
      const paid = fieldsOf(await checkout.query(order.merchantOrderId));
      return { created: fieldsOf(order), queried, paid: paid.every((each) => each !== undefined && each !== null) };
    },
  },
  'checkout-metadata': {
    seen: { returned: ['{"a":1}', '{"a":1}'], 'not-returned': [undefined, undefined] },
    observe: async ({ checkout }) => {
      const order = await checkout.create({ metadata: '{"a":1}' });
      return [order.metadata, (await checkout.query(order.merchantOrderId)).metadata];
    },
  },
};
