import { describe, expect, it } from 'vitest';
import type { HistoryRecord } from '../history/records.ts';
import { identity } from './identity.ts';
import { checkoutView, judged, orderView, paths, refundView, request, success, trace } from './testing/histories.ts';

const judge = (...records: readonly HistoryRecord[]) => judged(identity, ...records);
const brokenBy = (...records: readonly HistoryRecord[]) => judge(...records).broken.map(({ rule }) => rule);

const ids = ['order-0000000001', 'order-0000000002'] as const;

const hosted = (merchantOrderId: string, orderId: string, start = 0) =>
  request({
    method: 'POST',
    path: paths.orders,
    sent: { merchantOrderId },
    answered: success(orderView({ merchantOrderId, orderId })),
    start,
  });

const checkout = (merchantOrderId: string, orderId: string, start = 0) =>
  request({
    method: 'POST',
    path: paths.checkoutOrders,
    sent: { merchantOrderId },
    answered: success(checkoutView({ merchantOrderId, orderId })),
    start,
  });

const refund = (merchantRefundOrderId: string, refundOrderId: string, merchant = 'm1', change: object = {}) =>
  request({
    method: 'POST',
    path: `/api/v1/merchants/${merchant}/refunds`,
    as: merchant,
    sent: { merchantRefundOrderId, acquiringOrderId: 'ord.1' },
    answered: success(refundView({ merchantRefundOrderId, refundOrderId, ...change }), trace()),
  });

describe("a merchant's own id", () => {
  it('makes one checkout order at most, and the finding names both', () => {
    const { kept } = judge(checkout(ids[0], 'chk.1'), checkout(ids[0], 'chk.1'));
    expect(kept).toContain('checkout.create.identity.one-for-each-id');
    expect(judge(checkout(ids[0], 'chk.1'), checkout(ids[0], 'chk.2')).broken).toEqual([
      {
        rule: 'checkout.create.identity.one-for-each-id',
        expected: `data.orderId is the same in both answers for merchantOrderId ${ids[0]}`,
        actual: 'data.orderId = chk.1 in the answer of checkout.create, chk.2 in that of checkout.create',
      },
    ]);
  });

  it('that stands twice in a body may be the one or the other', () => {
    const own = `"merchantOrderId":"${ids[0]}"`;
    const answered = success(checkoutView({ merchantOrderId: ids[1], orderId: 'chk.2' }));
    const broken = (sent: string) =>
      brokenBy(checkout(ids[0], 'chk.1'), request({ method: 'POST', path: paths.checkoutOrders, sent, answered }));
    expect(broken(`{${own}}`)).toContain('checkout.create.identity.one-for-each-id');
    expect(broken(`{"merchantOrderId":"${ids[1]}",${own}}`)).toEqual([]);
  });

  it('makes one refund at most, whichever operation shows it', () => {
    const batch = request({
      method: 'POST',
      path: paths.batchQuery,
      sent: { merchantRefundOrderIds: ['refund-2', 'refund-1'] },
      answered: success([refundView({ refundOrderId: 'ref.2' })], trace()),
    });
    expect(brokenBy(refund('refund-1', 'ref.1'), batch)).toEqual(['refunds.batch-query.identity.one-for-each-id']);
    const query = request({
      method: 'GET',
      path: paths.refunds,
      query: 'merchantRefundOrderId=refund%2D1',
      answered: success(refundView({ refundOrderId: 'ref.2' }), trace()),
    });
    expect(brokenBy(refund('refund-1', 'ref.1'), query)).toEqual(['refunds.query.identity.one-for-each-id']);
  });

  it('may make several hosted orders, and one order of each product', () => {
    expect(brokenBy(hosted(ids[0], 'ord.1'), hosted(ids[0], 'ord.2'))).toEqual([]);
    expect(brokenBy(hosted(ids[0], 'ord.1'), checkout(ids[0], 'chk.1'))).toEqual([]);
  });

  it('is that of the merchant: another one may have it too', () => {
    expect(brokenBy(refund('refund-1', 'ref.1'), refund('refund-1', 'ref.2', 'm2'))).toEqual([]);
  });
});

describe('a platform id', () => {
  it('is that of one order of a merchant and product', () => {
    expect(brokenBy(hosted(ids[0], 'ord.1'), hosted(ids[1], 'ord.1'))).toEqual(['orders.create.identity.platform-id']);
    expect(brokenBy(checkout(ids[0], 'chk.1'), checkout(ids[1], 'chk.1'))).toEqual([
      'checkout.create.identity.platform-id',
    ]);
    expect(brokenBy(hosted(ids[0], '1'), checkout(ids[1], '1'))).toEqual([]);
  });

  it('of a refund is that of one refund of all merchants', () => {
    expect(brokenBy(refund('refund-1', 'ref.1'), refund('refund-2', 'ref.1', 'm2'))).toEqual([
      'refunds.create.identity.platform-id',
    ]);
    expect(brokenBy(refund('refund-1', 'ref.1'), refund('refund-2', 'ref.1'))).toEqual([
      'refunds.create.identity.platform-id',
    ]);
  });

  it('may come back under another id of the merchant in the view of the refund that an order has already', () => {
    const existing = refund('refund-2', 'ref.1', 'm1', { merchantRefundOrderId: 'refund-1' });
    expect(brokenBy(refund('refund-1', 'ref.1'), existing)).toEqual([]);
  });

  it('of a refund that another merchant is only shown says nothing of identity', () => {
    const shown = request({
      method: 'GET',
      path: '/api/v1/merchants/m2/refunds',
      as: 'm2',
      query: 'merchantRefundOrderId=refund-1',
      answered: success(refundView(), trace()),
    });
    expect(brokenBy(refund('refund-1', 'ref.1'), shown)).toEqual([]);
  });
});
