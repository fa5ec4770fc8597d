import { describe, expect, it } from 'vitest';
import { guardLimits, type LimitedRequest, LimitReached } from './limits.ts';

const origin = 'https://sandbox.example.com';

function create(value: unknown, target = '/api/v1/merchants/M-1/orders'): LimitedRequest {
  return { method: 'POST', origin, target, body: Buffer.from(JSON.stringify({ orderAmount: { value } })) };
}
const query: LimitedRequest = { method: 'GET', origin, target: '/api/v1/merchants/M-1/orders/order-0000000001' };

describe('limits', () => {
  it('allow everything where none is set', () => {
    const guard = guardLimits({});
    expect(guard.admit(create('1000000'), 0)).toBe(0);
    expect(guard.admit({ ...query, origin: 'http://elsewhere.example' }, 0)).toBe(0);
  });

  it.each([
    ['hosted orders', '/api/v1/merchants/M-1/orders'],
    ['checkout orders', '/api/v1/merchants/M-1/checkout/orders'],
    ['creates under a path prefix', '/payments/api/v1/merchants/M-1/orders'],
    ['creates whose path is oddly written', '/api/v1/merchants/M-1/%6Frders//?a=1'],
  ])('count %s', (_what, target) => {
    const guard = guardLimits({ maxOrders: 1 });
    guard.admit(create('1', target), 0);
    expect(() => guard.admit(create('1', target), 0)).toThrow(LimitReached);
  });

  it('count the orders that are still being made, and none that was refused', () => {
    const guard = guardLimits({ maxOrders: 2 });
    guard.admit(create('1'), 0);
    guard.admit(create('1'), 0);
    guard.refused(create('1'));
    guard.admit(query, 0);
    guard.admit(create('1'), 0);
    expect(() => guard.admit(create('1'), 0)).toThrow('limits.maxOrders allows, 2');
  });

  it.each([
    ['text', '10.000000000000000001'],
    ['an exponent', '1e3'],
    ['a number', 10.5],
    ['what is beyond every number', 'Infinity'],
    ['text with space around it', ' 11 '],
  ])('stop before a larger amount, given as %s', (_what, value) => {
    const request = { ...create(value), check: 'orders.large' };
    expect(() => guardLimits({ maxAmount: '10' }).admit(request, 0)).toThrow(
      `orders.large wants an order of ${value}, and limits.maxAmount is 10; raise the limit, or leave the check out with --check '!orders.large'`,
    );
  });

  it.each([['10.00'], ['9.999999999999999999'], ['-5'], ['ten'], [null], [{}]])('let %j pass', (value) => {
    expect(guardLimits({ maxAmount: '10' }).admit(create(value), 0)).toBe(0);
  });

  it('name the host that is not listed, whatever its port', () => {
    const guard = guardLimits({ allowHosts: ['Sandbox.example.com', '::1'] });
    guard.admit({ ...query, origin: 'https://sandbox.example.com:8443' }, 0);
    guard.admit({ ...query, origin: 'http://[::1]:8080' }, 0);
    expect(() => guard.admit({ ...query, origin: 'https://elsewhere.example' }, 0)).toThrow(
      'limits.allowHosts does not list elsewhere.example',
    );
  });

  it('let nothing pass any more once one was reached', () => {
    const guard = guardLimits({ maxOrders: 0 });
    expect(guard.reached).toBeUndefined();
    expect(() => guard.admit(create('1'), 0)).toThrow(LimitReached);
    expect(() => guard.admit(query, 0)).toThrow(LimitReached);
    expect(guard.reached).toContain('limits.maxOrders');
  });

  it('spread requests over the second', () => {
    const guard = guardLimits({ requestsPerSecond: 4 });
    const waits = [1000, 1000, 1100, 5000].map((now) => guard.admit(query, now));
    expect(waits).toEqual([0, 250, 400, 0]);
  });

  it('let the run wait for Retry-After until three minutes were in vain, and longer where a wait was not', () => {
    const guard = guardLimits({});
    const minute = 60_000;
    for (const turn of [0, 1, 2]) expect(guard.mayWait(minute, turn * minute)).toBe(true);
    expect(guard.mayWait(1000, 3 * minute)).toBe(false);
    guard.hasWaitedWell();
    expect(guard.mayWait(minute, 3 * minute)).toBe(true);
  });
});
