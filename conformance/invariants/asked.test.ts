import { describe, expect, it } from 'vitest';
import { asked } from './asked.ts';
import {
  checkoutView,
  judged,
  orderView,
  paths,
  refundRefusal,
  refundView,
  request,
  success,
  trace,
  type WrittenRequest,
} from './testing/histories.ts';

const id = 'order-0000000001';
const create = (path: string, sent: unknown, rest: Partial<WrittenRequest> = {}) =>
  request({ method: 'POST', path, sent, answered: success(orderView()), ...rest });
const made = create(paths.orders, { merchantOrderId: id });
const query = (asking: string, view: object, start = 10) =>
  request({ method: 'GET', path: paths.order(asking), answered: success(orderView(view)), start });
const refundQuery = (by: string, view: object) =>
  request({
    method: 'GET',
    path: paths.refunds,
    query: by,
    answered: success(refundView(view), trace()),
    start: 10,
  });
const refundMade = request({
  method: 'POST',
  path: paths.refunds,
  sent: { merchantRefundOrderId: 'refund-1', acquiringOrderId: 'ord.1' },
  answered: success(refundView(), trace()),
});

const brokenBy = (...records: Parameters<typeof judged>[1][]) =>
  judged(asked, ...records).broken.map(({ rule }) => rule);

describe('the id that was asked for', () => {
  it('is one of the ids of the order that is shown', () => {
    const { broken, kept } = judged(asked, made, query(id, {}), query('ord.1', {}));
    expect(broken).toEqual([]);
    expect(kept).toEqual(['orders.query.asked.id', 'orders.query.asked.made']);
  });

  it('is not that of another order', () => {
    expect(judged(asked, made, query('order-0000000002', {})).broken).toEqual([
      {
        rule: 'orders.query.asked.id',
        expected: 'data.merchantOrderId or data.orderId = order-0000000002, as asked',
        actual: 'data.merchantOrderId = order-0000000001, data.orderId = ord.1',
      },
    ]);
  });

  it('stands in the field that a refund query names, where it names one', () => {
    expect(brokenBy(refundMade, refundQuery('merchantRefundOrderId=refund-1', {}))).toEqual([]);
    expect(brokenBy(refundMade, refundQuery('refundOrderId=refund-1', {}))).toEqual(['refunds.query.asked.id']);
    expect(brokenBy(refundMade, refundQuery('refundOrderId=ref.2&merchantRefundOrderId=refund-1', {}))).toEqual([]);
  });

  it('is not judged where it must be escaped, or in a refusal', () => {
    expect(brokenBy(refundMade, refundQuery('refundOrderId=a%20b', {}))).toEqual([]);
    const refusal = request({
      method: 'GET',
      path: paths.refunds,
      query: 'refundOrderId=ref.9',
      status: 404,
      answered: refundRefusal('REFUND_NOT_FOUND'),
      start: 10,
    });
    expect(judged(asked, refundMade, refusal)).toEqual({ broken: [], kept: [] });
  });
});

describe('what a merchant never asked to make', () => {
  const checkout = create(paths.checkoutOrders, { merchantOrderId: id }, { answered: success(checkoutView()) });

  it('is shown by no query, be it an order of the other product', () => {
    expect(brokenBy(checkout, query(id, {}))).toEqual(['orders.query.asked.made']);
    expect(brokenBy(query(id, {}), { ...made, start: 20, end: 21 })).toEqual(['orders.query.asked.made']);
  });

  it('may have been made by a create that was refused, lost, under way, or that is no JSON', () => {
    expect(brokenBy(create(paths.orders, { merchantOrderId: id }, { answered: undefined }), query(id, {}))).toEqual([]);
    expect(brokenBy(create(paths.orders, `{"merchantOrderId": "${id}"`, {}), query(id, {}))).toEqual([]);
    expect(brokenBy(query(id, {}), { ...made, start: 10.5, end: 12 })).toEqual([]);
  });
});
