import { describe, expect, it } from 'vitest';
import type { HistoryRecord, OrderEventRecord, RequestRecord, WebhookRecord } from '../history/records.ts';
import { isolation } from './isolation.ts';
import { orderEvent } from './testing/events.ts';
import {
  checkoutView,
  judged,
  orderRefusal,
  orderView,
  paths,
  payment,
  refundRefusal,
  refundView,
  request,
  success,
  trace,
} from './testing/histories.ts';

const judge = (...records: readonly HistoryRecord[]) => judged(isolation, ...records);
const brokenBy = (...records: readonly HistoryRecord[]) => judge(...records).broken.map(({ rule }) => rule);

const orderId = 'ord.0123456789abcdef';
const merchantOrderId = 'order-0000000001';
const other = '/api/v1/merchants/m2';
const callbackUrl = 'https://hooks.example/2?from=m2';

/** An order of m1. */
const mine = request({
  method: 'POST',
  path: paths.orders,
  sent: { merchantOrderId, callbackUrl: 'https://hooks.example/1' },
  answered: success(orderView({ orderId, checkoutUrl: `https://pay.example/${orderId}` })),
});

/** A request of m2, for an order of its own unless `change` says otherwise. */
const others = (change: Partial<RequestRecord> & { sent?: unknown; answered: unknown; status?: number }) =>
  request({ method: 'GET', path: `${other}/orders/order-0000000002`, as: 'm2', start: 100, ...change });

const theirs = request({
  method: 'POST',
  path: `${other}/orders`,
  as: 'm2',
  sent: { merchantOrderId: 'order-0000000002', callbackUrl },
  answered: success(
    orderView({ orderId: 'ord.fedcba9876543210', merchantId: 'm2', merchantOrderId: 'order-0000000002' }),
  ),
});

describe("what is only one merchant's", () => {
  it('is the address of a payer whom the run made up, once its payment is made', () => {
    const fromAddress = 'TPayerOfTheFirstMerchantAlone';
    const paid = (result: OrderEventRecord['result']) =>
      orderEvent(5, { type: 'transaction_detected', fromAddress }, { orderId, result });
    const detail = { cryptoPaymentDetail: { ...payment.cryptoPaymentDetail, fromAddress } };
    const shown = others({
      answered: success(
        orderView({ orderId: 'ord.2', merchantId: 'm2', merchantOrderId: 'order-0000000002', ...payment, ...detail }),
      ),
    });
    expect(judge(mine, paid({ done: true }), shown).broken).toMatchObject([
      { actual: `the answer to merchant m2 has ${fromAddress}, the payer's address of an order of merchant m1` },
    ]);
    expect(brokenBy(mine, paid({ done: false, message: 'no' }), shown)).toEqual([]);
  });

  it('is not in the view that another one is shown', () => {
    const leak = others({
      answered: success(orderView({ orderId, merchantId: 'm2', merchantOrderId: 'order-0000000002' })),
    });
    expect(judge(mine, leak).broken).toEqual([
      {
        rule: 'orders.query.isolation.other-merchant',
        expected: 'the answer to merchant m2 has nothing of merchant m1',
        actual: `the answer to merchant m2 has ${orderId}, the orderId of an order of merchant m1`,
      },
    ]);
  });

  it.each([
    ['message', orderRefusal('40001', { message: `order ${orderId}: belongs to someone else.` })],
    ['address', orderRefusal('40001', { message: `see https://pay.example/${orderId}.` })],
    ['merchant id', orderRefusal('40001', { message: `"${merchantOrderId}" is taken` })],
    ['answer that is no JSON', `<p>there is ${orderId}</p>`],
  ])('is not in the %s of a refusal', (_, answered) => {
    expect(brokenBy(mine, others({ answered }))).toEqual(['orders.query.isolation.other-merchant']);
  });

  it('may come back to a merchant that sent it, now or before', () => {
    const path = `${other}/orders/${merchantOrderId}`;
    const answered = orderRefusal('40001');
    expect(brokenBy(mine, others({ path, answered }))).toEqual([]);
    const before = others({ path, answered });
    const later = others({ start: 200, answered: orderRefusal('40001', { message: `not ${merchantOrderId} again` }) });
    expect(brokenBy(mine, before, later)).toEqual([]);
    expect(brokenBy(mine, others({ start: 50, answered: later.answer?.body.text ?? '' }), before)).toEqual([
      'orders.query.isolation.other-merchant',
    ]);
  });

  it('is not shown to a merchant that signs rightly for the path of the first, beyond the id that it asked for', () => {
    const path = paths.order(merchantOrderId);
    expect(brokenBy(mine, others({ path, answered: orderRefusal('90003') }))).toEqual([]);
    expect(brokenBy(mine, others({ path, answered: success(orderView({ orderId })) }))).toEqual([
      'orders.query.isolation.other-merchant',
    ]);
  });

  it('is not judged where the authentication was changed, or the value is too short to be told apart', () => {
    const answered = success(orderView({ orderId, merchantId: 'm2' }));
    expect(brokenBy(mine, others({ authentication: 'changed', answered }))).toEqual([]);
    const counted = request({
      method: 'POST',
      path: paths.orders,
      sent: { merchantOrderId },
      answered: success(orderView({ orderId: '17', checkoutUrl: 'https://p/17' })),
    });
    expect(
      brokenBy(
        counted,
        others({ answered: success(orderView({ orderId: '17', merchantOrderId: 'order-0000000002' })) }),
      ),
    ).toEqual([]);
  });

  it('has a transaction of its own', () => {
    const txHash = 'ab'.repeat(32);
    const cryptoPaymentDetail = { ...payment.cryptoPaymentDetail, txHash };
    const paid = request({
      method: 'GET',
      path: paths.order(merchantOrderId),
      answered: success(orderView({ orderId, ...payment, cryptoPaymentDetail })),
    });
    const leak = others({
      answered: success(
        orderView({ orderId: 'x', merchantOrderId: 'order-0000000002', ...payment, cryptoPaymentDetail }),
      ),
    });
    expect(brokenBy(mine, paid, leak)).toEqual(['orders.query.isolation.other-merchant']);
  });

  it('may be a receiving address of several orders', () => {
    const depositAddress = 'TSharedDepositAddress';
    const order = (merchant: string, own: string) =>
      request({
        method: 'POST',
        path: `/api/v1/merchants/${merchant}/checkout/orders`,
        as: merchant,
        sent: { merchantOrderId: own },
        answered: success(
          checkoutView({ orderId: `chk.${own}`, merchantId: merchant, merchantOrderId: own, depositAddress }),
        ),
      });
    const list = others({ path: `${other}/checkout/payment-methods`, answered: success({ note: depositAddress }) });
    expect(brokenBy(order('m1', merchantOrderId), list)).toEqual(['checkout.payment-methods.isolation.other-merchant']);
    expect(brokenBy(order('m1', merchantOrderId), order('m2', 'order-0000000002'), list)).toEqual([]);
  });

  it('is not in refunds that another merchant asks for or makes', () => {
    const refundOrderId = 'ref.0123456789abcdef';
    const refund = request({
      method: 'POST',
      path: paths.refunds,
      sent: { merchantRefundOrderId: 'refund-0000000001', acquiringOrderId: orderId },
      answered: success(refundView({ refundOrderId, merchantRefundOrderId: 'refund-0000000001' }), trace()),
    });
    const asked = others({
      path: `${other}/refunds`,
      query: 'merchantRefundOrderId=refund-0000000001',
      answered: success(refundView({ refundOrderId, merchantRefundOrderId: 'refund-0000000001' }), trace()),
    });
    expect(brokenBy(refund, asked)).toEqual(['refunds.query.isolation.other-merchant']);
    const made = others({
      method: 'POST',
      path: `${other}/refunds`,
      sent: { merchantRefundOrderId: 'refund-0000000001', acquiringOrderId: 'ord.fedcba9876543210' },
      answered: refundRefusal('IDEMPOTENCY_CONFLICT', { details: `refund of ${orderId}` }),
    });
    expect(brokenBy(mine, refund, made)).toEqual(['refunds.create.isolation.other-merchant']);
  });
});

describe('a webhook', () => {
  const webhook = (address: string, body: object): WebhookRecord => ({
    kind: 'webhook',
    start: 50,
    end: 51,
    address,
    target: '/',
    method: 'POST',
    headers: {},
    body: { text: JSON.stringify(body) },
    answered: 200,
  });

  it("tells the merchant that named its address of that merchant's orders only", () => {
    expect(brokenBy(mine, theirs, webhook('https://hooks.example/1', { acquiringOrderId: orderId }))).toEqual([]);
    expect(brokenBy(mine, theirs, webhook(callbackUrl, { acquiringOrderId: orderId }))).toEqual([
      'webhooks.order.isolation.other-merchant',
    ]);
  });

  it('at an address that nobody named is not judged', () => {
    expect(brokenBy(mine, theirs, webhook('https://hooks.example/3', { acquiringOrderId: orderId }))).toEqual([]);
  });
});
