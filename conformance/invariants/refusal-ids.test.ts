import { describe, expect, it } from 'vitest';
import { refusalIds } from './refusal-ids.ts';
import { judged, orderRefusal, orderView, paths, request, success } from './testing/histories.ts';

const [own, other] = ['order-0000000001', 'order-0000000002'];
const made = (id: string) =>
  request({
    method: 'POST',
    path: paths.orders,
    sent: { merchantOrderId: id },
    answered: success({ ...orderView(), merchantOrderId: id, orderId: `ord.${id}` }),
  });
const query = (data: object) => {
  const refusal = orderRefusal('40001');
  return request({
    method: 'GET',
    path: paths.order(own),
    answered: { ...refusal, data: { ...refusal.data, ...data } },
  });
};

describe('a refusal of a hosted order', () => {
  it('names no other order than the request', () => {
    expect(judged(refusalIds, made(other), query({ merchantOrderId: other })).broken).toEqual([
      {
        rule: 'orders.query.refusals.ids',
        expected: 'a refusal that names what the request names',
        actual: `data.merchantOrderId = ${other}, which the request does not name`,
      },
    ]);
  });

  it('names no other merchant than the request', () => {
    const ofAnother = request({
      method: 'GET',
      path: paths.order(other).replace(/merchants\/[^/]+/, 'merchants/M-9'),
      answered: success(orderView()),
    });
    expect(judged(refusalIds, ofAnother, query({ merchantId: 'M-9' })).broken).toMatchObject([
      { rule: 'orders.query.refusals.ids', actual: 'data.merchantId = M-9, which the request does not name' },
    ]);
  });

  it.each([
    ['the ids of the request', { merchantOrderId: own }],
    ['no order', { merchantOrderId: null }],
    ['an id that nobody has', { merchantOrderId: 'order-0000000003', merchantId: 'M-unknown' }],
    ['the ids of the request in other letters', { merchantOrderId: own.toUpperCase() }],
  ])('may name %s', (_, data) => {
    expect(judged(refusalIds, made(own), made(other), query(data)).broken).toEqual([]);
  });
});
