import { describe, expect, it } from 'vitest';
import { contractOperation } from '../contract/operations.ts';
import { endedBeforeAnswer } from '../history/ended-target.ts';
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

describe('a request at which the target ends', () => {
  const emoji = { ...contractOperation('orders.create').examples[0], description: '🍵' };
  const end = (start: number, change: object = {}) =>
    create(start, undefined, {
      sent: emoji,
      check: 'orders.some',
      error: `${endedBeforeAnswer}, and came back after 5 s: the connection was closed`,
      ...change,
    });

  it('is found when it ends it again with nothing beside it', () => {
    expect(judged(failures, ...between, end(10, { end: 90 }), end(800)).broken).toMatchObject([
      { rule, actual: expect.stringContaining('this time with nothing beside it') },
    ]);
  });

  it('is found when its check sends several such requests at once', () => {
    const several = [end(10), end(10), end(800), end(800)];
    expect(judged(failures, ...between, ...several).broken).toMatchObject([{ rule }]);
  });

  it.each([
    ['ends it once', [end(10)]],
    ['ends it once with others of its check', [end(10), end(10), end(10)]],
    ['ends it again beside another', [end(10), end(800, { end: 900 }), ok(850)]],
    ['ends it in another check', [end(10), end(800, { check: 'orders.other' })]],
    ['breaks a rule of the contract', [10, 800].map((start) => end(start, { sent: { ...emoji, orderAmount: 9 } }))],
    ['is wrongly signed', [10, 800].map((start) => end(start, { authentication: 'changed' }))],
    ['is lost for another reason', [10, 800].map((start) => end(start, { error: 'the connection was closed' }))],
  ])('is none where it %s', (_what, records) => {
    expect(judged(failures, ...between, ...records).broken).toEqual([]);
  });

  it('is none where nothing was carried out in between', () => {
    expect(judged(failures, ok(1), end(10), end(800)).broken).toEqual([]);
  });
});
