import { describe, expect, it } from 'vitest';
import { checkoutView, judged, orderRefusal, orderView, paths, request, success } from './testing/histories.ts';
import { unknownOrders } from './unknown-orders.ts';

const id = 'order-0000000001';
const refusal = (code: string) => ({ code, message: 'refused', data: null });
const hosted = (answered: unknown, change: object = {}) =>
  request({ method: 'GET', path: paths.order(id), answered, ...change });
const checkout = (answered: unknown) => request({ method: 'GET', path: paths.checkoutOrder(id), answered });

describe('a query that finds nothing', () => {
  it.each(['10004', '10005', '10011', '20001'])('is not refused with %s, which is about creates', (code) => {
    expect(judged(unknownOrders, hosted(orderRefusal(code)), checkout(refusal(code))).broken).toEqual([
      {
        rule: 'orders.query.refusals.unknown',
        expected: 'orders.query finds the order, or refuses with code = 40001',
        actual: `code = ${code}`,
      },
      {
        rule: 'checkout.query.refusals.unknown',
        expected: 'checkout.query finds the order, or refuses with code = 40001',
        actual: `code = ${code}`,
      },
    ]);
  });

  it.each(['40001', '10001', '50010', '99999', '77777'])('may be refused with %s', (code) => {
    expect(judged(unknownOrders, hosted(orderRefusal(code)), checkout(refusal(code))).broken).toEqual([]);
  });

  it('is not refused for the form of its id, where an order of the other product was made under that', () => {
    const sent = { merchantOrderId: id };
    const made = request({ method: 'POST', path: paths.checkoutOrders, sent, answered: success(checkoutView()) });
    expect(judged(unknownOrders, made, hosted(orderRefusal('10001'))).broken).toMatchObject([
      { rule: 'orders.query.refusals.unknown', actual: 'code = 10001' },
    ]);
    expect(judged(unknownOrders, made, hosted(orderRefusal('40001'))).broken).toEqual([]);
  });

  it('is not judged where something is found, or the request is wrongly signed', () => {
    const wrong = hosted(orderRefusal('20001'), { authentication: 'changed' });
    expect(judged(unknownOrders, hosted(success(orderView())), wrong)).toEqual({ broken: [], kept: [] });
  });
});
