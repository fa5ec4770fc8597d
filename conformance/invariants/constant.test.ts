import { describe, expect, it } from 'vitest';
import { constant } from './constant.ts';
import {
  checkoutView,
  judged,
  orderView,
  paths,
  refundView,
  request,
  success,
  trace,
  type WrittenRequest,
} from './testing/histories.ts';

const merchantOrderId = 'order-0000000001';
const create = (view: object = {}, rest: Partial<WrittenRequest> = {}) =>
  request({
    method: 'POST',
    path: paths.orders,
    sent: { merchantOrderId },
    answered: success(orderView(view)),
    ...rest,
  });
const query = (view: object = {}, id = merchantOrderId) =>
  request({ method: 'GET', path: paths.order(id), answered: success(orderView(view)), start: 10 });
const checkout = (view: object = {}) =>
  request({
    method: 'POST',
    path: paths.checkoutOrders,
    sent: { merchantOrderId },
    answered: success(checkoutView(view)),
  });
const checkoutQuery = (view: object = {}) =>
  request({
    method: 'GET',
    path: paths.checkoutOrder(merchantOrderId),
    answered: success(checkoutView(view)),
    start: 10,
  });
const refund = (view: object = {}) =>
  request({
    method: 'POST',
    path: paths.refunds,
    sent: { merchantRefundOrderId: 'refund-1' },
    answered: success(refundView(view), trace()),
  });
const refundQuery = (by: string, view: object = {}) =>
  request({ method: 'GET', path: paths.refunds, query: by, answered: success(refundView(view), trace()), start: 10 });
const batch = (...views: object[]) =>
  request({
    method: 'POST',
    path: paths.batchQuery,
    sent: { merchantRefundOrderIds: ['refund-1', 'refund-2'] },
    answered: success(views, trace()),
    start: 20,
  });

const rulesOf = (...records: Parameters<typeof judged>[1][]) =>
  judged(constant, ...records).broken.map(({ rule }) => rule);

describe('a hosted order that is shown twice', () => {
  it('keeps every rule as long as it is shown alike, by whichever id', () => {
    const { broken, kept } = judged(constant, create(), query({}, 'ord.1'));
    expect(broken).toEqual([]);
    expect(kept).toEqual(
      ['merchant-order-id', 'created-at', 'expires-at', 'checkout-url', 'amount'].map(
        (name) => `orders.query.constant.${name}`,
      ),
    );
  });

  it('may be shown more or less precisely, and change in its state', () => {
    const later = {
      status: 'SUCCEEDED',
      createdAt: '2026-01-01T10:00:00Z',
      expiresAt: '2026-01-01T12:00+01:00',
      orderAmount: { value: '9.5', currency: 'USDT' },
    };
    expect(rulesOf(create({ createdAt: '2026-01-01T10:00:00.999Z' }), query(later))).toEqual([]);
  });

  it('is a fault in each field that has changed, and the message names both answers', () => {
    expect(judged(constant, create(), query({ createdAt: '2026-01-01T10:00:01.000Z' })).broken).toEqual([
      {
        rule: 'orders.query.constant.created-at',
        expected: 'data.createdAt is the same in both answers',
        actual:
          'data.createdAt = 2026-01-01T10:00:00.000Z in the answer of orders.create, 2026-01-01T10:00:01.000Z in the later one of orders.query',
      },
    ]);
    expect(rulesOf(create(), query({ expiresAt: '2026-01-01T11:30:00Z' }))).toEqual([
      'orders.query.constant.expires-at',
    ]);
    expect(rulesOf(create(), query({ checkoutUrl: 'https://pay.example/ord.1?t=2' }))).toEqual([
      'orders.query.constant.checkout-url',
    ]);
    expect(rulesOf(create(), query({ orderAmount: { value: '9.51', currency: 'USDT' } }))).toEqual([
      'orders.query.constant.amount',
    ]);
    expect(rulesOf(create(), query({ merchantOrderId: 'order-0000000002' }))).toEqual([
      'orders.query.constant.merchant-order-id',
    ]);
    expect(rulesOf(create(), create({ createdAt: '2026-01-01T10:05:00Z' }, { start: 5 }))).toEqual([
      'orders.create.constant.created-at',
    ]);
  });

  it('says nothing of another order, of one shown once, and of a field that is not shown', () => {
    expect(judged(constant, create())).toEqual({ broken: [], kept: [] });
    expect(rulesOf(create(), query({ orderId: 'ord.2', createdAt: '2026-01-02T10:00:00Z' }))).toEqual([]);
    expect(rulesOf(create({ checkoutUrl: undefined }), query())).toEqual([]);
  });

  it('is not the order of the same id of another merchant', () => {
    const other = request({
      method: 'GET',
      path: paths.order(merchantOrderId).replace('m1', 'm2'),
      as: 'm2',
      answered: success(orderView({ merchantId: 'm2', createdAt: '2026-01-02T10:00:00Z' })),
      start: 10,
    });
    expect(rulesOf(create(), other)).toEqual([]);
  });
});

describe('a checkout order', () => {
  it('keeps its deposit address and what is to be paid', () => {
    expect(rulesOf(checkout(), checkoutQuery({ status: 'PROCESSING' }))).toEqual([]);
    expect(rulesOf(checkout(), checkoutQuery({ depositAddress: 'TOther' }))).toEqual([
      'checkout.query.constant.deposit-address',
    ]);
    expect(rulesOf(checkout(), checkoutQuery({ cryptoPaymentAmount: { value: '9.60', currency: 'USDC' } }))).toEqual([
      'checkout.query.constant.payment-amount',
      'checkout.query.constant.payment-currency',
    ]);
  });

  it('keeps the display name of its network', () => {
    expect(rulesOf(checkout(), checkoutQuery({ status: 'SUCCEEDED', networkDisplayName: 'Tron (TRC20)' }))).toEqual([
      'checkout.query.constant.network-display-name',
    ]);
  });
});

describe('a refund', () => {
  it('is the same by each id and in a batch', () => {
    const alike = [refund(), refundQuery('refundOrderId=ref.1'), refundQuery('acquiringOrderId=ord.1')];
    expect(
      rulesOf(...alike, batch(refundView({ status: 'SUCCEEDED' }), refundView({ refundOrderId: 'ref.2' }))),
    ).toEqual([]);
  });

  it('is a fault where one way of asking shows another amount, currency, method, id or time', () => {
    const changed = {
      refundAmount: '9.40',
      refundCurrency: 'USDC',
      paymentMethod: 'BALANCE',
      merchantOrderId: 'order-0000000002',
      createdTime: '2026-01-01T10:25:00Z',
    };
    expect(rulesOf(refund(), batch(refundView(changed)))).toEqual(
      ['merchant-order-id', 'created-time', 'refund-amount', 'refund-currency', 'payment-method'].map(
        (name) => `refunds.batch-query.constant.${name}`,
      ),
    );
    expect(rulesOf(refund(), refundQuery('refundOrderId=ref.1', { acquiringOrderId: 'ord.2' }))).toEqual([
      'refunds.query.constant.acquiring-order-id',
    ]);
  });
});
