import { describe, expect, it } from 'vitest';
import { failures } from './failures.ts';
import { judged, orderRefusal, orderView, paths, request, success } from './testing/histories.ts';

const id = 'order-0000000001';
const rule = 'orders.create.failures.lasting';
const sent = { merchantOrderId: id, orderAmount: { value: '9.50', currency: 'USDT' } };
const create = (start: number, answered: unknown, change: object = {}) =>
  request({ method: 'POST', path: paths.orders, sent, answered, start, ...change });
const failure = orderRefusal('99999');
const ok = (start: number) => request({ method: 'GET', path: paths.order(id), answered: success(orderView()), start });
const failed = (...starts: number[]) => starts.map((start) => create(start, failure));
const between = [ok(100), ok(500)];

describe('a request that fails for good', () => {
  it('is found when it fails three times in a row while others are carried out', () => {
    expect(judged(failures, create(0, success(orderView())), ...failed(10, 400, 800), ...between).broken).toMatchObject(
      [{ rule, actual: expect.stringContaining('failed 3 times in a row') }],
    );
    const crashes = [10, 400, 800].map((start) => create(start, 'oops', { status: 500 }));
    expect(judged(failures, ...crashes, ...between).broken).toMatchObject([{ rule }]);
  });

  it.each([
    ['fails twice', [...failed(10, 400), ...between]],
    [
      'was carried out or refused in between',
      [...failed(10, 800, 1200), create(400, orderRefusal('20001')), ...between, ok(1000)],
    ],
    [
      'is refused for the rate of requests, and told when to come again',
      [10, 400, 800].map((start) => create(start, failure, { answerHeaders: { 'retry-after': '1' } })).concat(between),
    ],
    ['fails while nothing else is carried out', failed(10, 400, 800)],
    ['fails while everything else fails or is carried out later', [...failed(10, 400, 800), ok(500), ok(900)]],
    ['is sent again at once', [...failed(10, 12, 14), ok(11), ok(13)]],
    [
      'differs each time',
      [10, 400, 800].map((start) => create(start, failure, { sent: { ...sent, start } })).concat(between),
    ],
    [
      'is wrongly signed',
      [10, 400, 800].map((start) => create(start, failure, { authentication: 'changed' })).concat(between),
    ],
    [
      'is refused for too many requests',
      [10, 400, 800].map((start) => create(start, orderRefusal('10429'), { status: 429 })).concat(between),
    ],
  ])('is none where it %s', (_what, records) => {
    expect(judged(failures, ...records).broken).toEqual([]);
  });
});
