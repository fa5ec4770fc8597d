import { expect, it } from 'vitest';
import { refunded } from './refunded.ts';
import {
  judged,
  orderView,
  paths,
  payment,
  refundRefusal,
  refundView,
  request,
  success,
  trace,
} from './testing/histories.ts';

const id = 'order-0000000001';
const query = (start: number, view: object = {}) =>
  request({ method: 'GET', path: paths.order(id), answered: success(orderView(view)), start });
const refund = (start: number, view: object = {}) =>
  request({
    method: 'POST',
    path: paths.refunds,
    sent: { merchantRefundOrderId: 'refund-1', acquiringOrderId: 'ord.1' },
    answered: success(refundView(view), trace()),
    start,
  });

it('an order whose refund was accepted is shown as SUCCEEDED', () => {
  expect(judged(refunded, query(0, payment), refund(100), query(5000, payment))).toEqual({
    broken: [],
    kept: ['orders.query.refunded.status'],
  });
  expect(judged(refunded, query(0, payment), refund(100), query(5000)).broken).toEqual([
    {
      rule: 'orders.query.refunded.status',
      expected: 'data.status = SUCCEEDED of an order whose refund was accepted before',
      actual: 'data.status = INIT',
    },
  ]);
});

it('an order that has come to another end has not succeeded, however soon that is shown', () => {
  expect(judged(refunded, query(0, payment), refund(100), query(200, { status: 'CLOSED' })).broken).toMatchObject([
    { rule: 'orders.query.refunded.status', actual: 'data.status = CLOSED' },
  ]);
});

it('an answer may lag a little, and one from before the refund, or beside a refused one, proves nothing', () => {
  expect(judged(refunded, query(0, payment), refund(100), query(900)).broken).toEqual([]);
  expect(judged(refunded, query(50), refund(100)).broken).toEqual([]);
  const refused = request({
    method: 'POST',
    path: paths.refunds,
    sent: { merchantRefundOrderId: 'refund-1', acquiringOrderId: 'ord.1' },
    status: 400,
    answered: refundRefusal('ORDER_NOT_REFUNDABLE'),
  });
  expect(judged(refunded, refused, query(5000)).kept).toEqual([]);
});

it('the answer to a repeat for another order says nothing of this one', () => {
  expect(judged(refunded, refund(0, { acquiringOrderId: 'ord.2' }), query(5000)).broken).toEqual([]);
});

it('where the order was not paid before, it may be the refund that is wrong, which other rules judge', () => {
  expect(judged(refunded, query(0), refund(100), query(5000, { status: 'PROCESSING' }))).toEqual({
    broken: [],
    kept: [],
  });
});
