import { describe, expect, it } from 'vitest';
import { echo } from './echo.ts';
import {
  checkoutView,
  judged,
  merchantId,
  orderView,
  paths,
  refundView,
  request,
  success,
  trace,
  type WrittenRequest,
} from './testing/histories.ts';

const merchantOrderId = 'order-0000000001';
const orderAmount = { value: '9.50', currency: 'USDT' };
const order = { merchantOrderId, orderAmount, expiresAt: '2026-01-01T11:00:00.000Z' };
const create = (view: object = {}, sent: unknown = order, rest: Partial<WrittenRequest> = {}) =>
  request({ method: 'POST', path: paths.orders, sent, answered: success(orderView(view)), ...rest });
const query = (view: object = {}, rest: Partial<WrittenRequest> = {}) =>
  request({
    method: 'GET',
    path: paths.order(merchantOrderId),
    answered: success(orderView(view)),
    start: 10,
    ...rest,
  });
const checkout = (view: object = {}, sent: object = {}) =>
  request({
    method: 'POST',
    path: paths.checkoutOrders,
    sent: { ...order, network: 'tron', ...sent },
    answered: success(checkoutView(view)),
  });
const refund = (view: object = {}, sent: object = {}) =>
  request({
    method: 'POST',
    path: paths.refunds,
    sent: { merchantRefundOrderId: 'refund-1', acquiringOrderId: 'ord.1', ...sent },
    answered: success(refundView(view), trace()),
  });

const rulesOf = (...records: Parameters<typeof judged>[1][]) => judged(echo, ...records).broken.map(({ rule }) => rule);

describe('an order that is shown as it was made', () => {
  it('keeps every rule', () => {
    const { broken, kept } = judged(echo, create(), query());
    expect(broken).toEqual([]);
    expect(kept).toEqual(
      ['orders.create', 'orders.query'].flatMap((operation) =>
        ['merchant-id', 'merchant-order-id', 'amount', 'currency', 'expires-at'].map(
          (name) => `${operation}.echo.${name}`,
        ),
      ),
    );
  });

  it('may write amounts with other zeros, and times in another zone or less precisely', () => {
    const sent = { ...order, expiresAt: '2026-01-01T13:00:00.250+02:00' };
    const shown = { orderAmount: { value: '9.5', currency: 'USDT' }, expiresAt: '2026-01-01T11:00:00Z' };
    expect(judged(echo, create(shown, sent), query({ ...shown, expiresAt: '20260101T110000,25Z' })).broken).toEqual([]);
  });

  it('is a fault in each field that is shown otherwise', () => {
    expect(judged(echo, create(), query({ orderAmount: { value: '9.5000001', currency: 'USDT' } })).broken).toEqual([
      {
        rule: 'orders.query.echo.amount',
        expected: 'data.orderAmount.value = 9.50',
        actual: 'data.orderAmount.value = 9.5000001',
      },
    ]);
    expect(rulesOf(create({ orderAmount: { value: '9.50', currency: 'USD' } }))).toEqual([
      'orders.create.echo.currency',
    ]);
    expect(rulesOf(create(), query({ merchantOrderId: merchantOrderId.toUpperCase() }))).toEqual([
      'orders.query.echo.merchant-order-id',
    ]);
    expect(rulesOf(create(), query({ expiresAt: '2026-01-01T12:00:00.000Z' }))).toEqual([
      'orders.query.echo.expires-at',
    ]);
    expect(rulesOf(create(), query({ merchantId: 'm2' }))).toEqual(['orders.query.echo.merchant-id']);
    expect(rulesOf(create({ expiresAt: null }))).toEqual(['orders.create.echo.expires-at']);
  });
});

describe('an order that may be that of more than one create', () => {
  const other = { ...order, orderAmount: { value: '11', currency: 'USDT' } };
  const asOther = { orderAmount: { value: '11', currency: 'USDT' } };

  it('may be that of a create whose answer was lost', () => {
    const lost = request({ method: 'POST', path: paths.orders, sent: other, start: -1 });
    expect(rulesOf(lost, create(asOther), query(asOther))).toEqual([]);
  });

  it('may be that of either of two creates that overlap', () => {
    const overlapping = create(asOther, other, { start: 0.5, end: 2 });
    expect(rulesOf(create(asOther), overlapping, query(asOther))).toEqual([]);
  });

  it('is not that of a later repeat', () => {
    const repeat = create(asOther, other, { start: 5 });
    expect(rulesOf(create(), repeat, query(asOther))).toEqual([
      'orders.create.echo.amount',
      'orders.query.echo.amount',
    ]);
    expect(judged(echo, create(), repeat).broken).toMatchObject([
      { expected: 'data.orderAmount.value = 9.50, as orderId ord.1 was made', actual: 'data.orderAmount.value = 11' },
    ]);
  });
});

describe('what cannot be told', () => {
  it('is not judged: orders that the run did not make, bodies that are no JSON, prices that are no plain decimals', () => {
    expect(judged(echo, query({ orderAmount: { value: '7', currency: 'USDT' } })).kept).toEqual([
      'orders.query.echo.merchant-id',
    ]);
    expect(rulesOf(create({}, '{"merchantOrderId": "ord'))).toEqual([]);
    const marked = create({ orderId: 'ord.2' }, `\uFEFF${JSON.stringify(order)}`, { start: 5 });
    expect(rulesOf(create(), marked)).toEqual([]);
    expect(rulesOf(create({}, { ...order, orderAmount: { value: '+9.50', currency: 'USDT' } }))).toEqual([]);
  });

  it('is how a text comes back that holds half of a pair of UTF-16, as no text with whole pairs does', () => {
    expect(rulesOf(checkout({ metadata: '"Two ?"' }, { metadata: '"Two \ud83e"' }))).toEqual([]);
    expect(rulesOf(checkout({ metadata: '"Two ?"' }, { metadata: '"Two \ud83e\uddfe"' }))).toEqual([
      'checkout.create.echo.metadata',
    ]);
  });
});

describe('a checkout order', () => {
  it('shows its network, and metadata byte for byte where it shows any', () => {
    const metadata = '{"a": 1}';
    expect(rulesOf(checkout({}, { metadata }))).toEqual([]);
    expect(rulesOf(checkout({ metadata }, { metadata }))).toEqual([]);
    expect(rulesOf(checkout({ metadata: '{"a":1}' }, { metadata }))).toEqual(['checkout.create.echo.metadata']);
    expect(rulesOf(checkout({ network: 'TRON' }))).toEqual(['checkout.create.echo.network']);
  });

  it('shows no metadata where its create gave none, other than an empty text', () => {
    for (const metadata of ['', '{}', 'null', null]) expect(rulesOf(checkout({ metadata }))).toEqual([]);
    expect(judged(echo, checkout({ metadata: '{"channel":"web"}' })).broken).toEqual([
      {
        rule: 'checkout.create.echo.metadata',
        expected: 'no text, or an empty one, as data.metadata: the create gave none',
        actual: 'data.metadata = {"channel":"web"}',
      },
    ]);
    expect(rulesOf(checkout({ metadata: '{"channel":"web"}' }, { metadata: 7 }))).toEqual([]);
  });
});

describe('a refund', () => {
  const batch = (...views: object[]) =>
    request({
      method: 'POST',
      path: paths.batchQuery,
      sent: { merchantRefundOrderIds: ['refund-1'] },
      answered: success(views, trace()),
      start: 10,
    });

  it('shows the ids and the extraData that it was made with, in a batch too', () => {
    const extraData = '{"b": 2}';
    expect(rulesOf(refund({ extraData }, { extraData }), batch(refundView({ extraData })))).toEqual([]);
    expect(rulesOf(refund({ extraData }, { extraData }), batch(refundView()))).toEqual([
      'refunds.batch-query.echo.extra-data',
    ]);
    expect(rulesOf(refund(), batch(refundView({ acquiringOrderId: merchantId })))).toEqual([
      'refunds.batch-query.echo.acquiring-order-id',
    ]);
    expect(rulesOf(refund({ merchantRefundOrderId: 'REFUND-1' }))).toEqual([
      'refunds.create.echo.merchant-refund-order-id',
    ]);
  });

  it("shows the merchant's own id of its order, of whichever product that is", () => {
    const other = { merchantOrderId: 'order-0000000002' };
    const ofCheckout = { acquiringOrderId: 'chk.1' };
    expect(rulesOf(create(), refund(), batch(refundView()))).toEqual([]);
    expect(rulesOf(create(), refund(other), batch(refundView(other)))).toEqual([
      'refunds.create.echo.merchant-order-id',
      'refunds.batch-query.echo.merchant-order-id',
    ]);
    expect(rulesOf(checkout(), refund(ofCheckout, ofCheckout))).toEqual([]);
    expect(rulesOf(checkout(), refund({ ...ofCheckout, ...other }, ofCheckout))).toEqual([
      'refunds.create.echo.merchant-order-id',
    ]);
  });

  it('may show any id of an order that the run did not make, or whose platform id both products have', () => {
    expect(rulesOf(refund({ merchantOrderId: 'another' }))).toEqual([]);
    const both = [create(), checkout({ orderId: 'ord.1' }, { merchantOrderId: 'order-0000000002' })];
    expect(rulesOf(...both.slice(1), refund({ merchantOrderId: 'another' }))).toContain(
      'refunds.create.echo.merchant-order-id',
    );
    expect(rulesOf(...both, refund({ merchantOrderId: 'another' }))).not.toContain(
      'refunds.create.echo.merchant-order-id',
    );
  });

  it('without extraData may show null or nothing', () => {
    expect(rulesOf(refund({ extraData: null }), batch(refundView()))).toEqual([]);
  });
});
