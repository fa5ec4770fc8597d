import { describe, expect, it } from 'vitest';
import type { RequestRecord } from './records.ts';
import { longestPrompt, meets, stallsIn } from './stalls.ts';

const asked = (operation: string | undefined, start: number, end: number): RequestRecord => ({
  kind: 'request',
  as: 'm1',
  authentication: 'right',
  method: 'GET',
  path: '/',
  headers: {},
  start,
  end,
  ...(operation !== undefined && { operation }),
});

describe('a target that keeps its callers waiting', () => {
  it('is stalled while two operations wait for longer than they should', () => {
    const records = [asked('orders.create', 0, 9000), asked('orders.query', 4000, 12_000)];
    expect(stallsIn(records, 5000)).toEqual([{ start: 4000, end: 9000 }]);
  });

  it('is not stalled by one operation that hangs, however often it is asked', () => {
    const records = [
      asked('orders.create', 0, 10_000),
      asked('orders.create', 3000, 13_000),
      asked('orders.query', 5, 9),
    ];
    expect(stallsIn(records, 5000)).toEqual([]);
  });

  it('is not stalled by slow answers that come one after the other', () => {
    expect(stallsIn([asked('orders.create', 0, 6000), asked('orders.query', 6000, 12_000)], 5000)).toEqual([]);
  });

  it('is not stalled by answers that are prompt, nor by requests that are none of the operations', () => {
    expect(stallsIn([asked('orders.create', 0, 5000), asked('orders.query', 0, 5000)], 5000)).toEqual([]);
    expect(stallsIn([asked(undefined, 0, 9000), asked('orders.query', 0, 9000)], 5000)).toEqual([]);
  });

  it('may be so more than once', () => {
    const records = [0, 50_000].flatMap((at) => [
      asked('orders.create', at, at + 9000),
      asked('refunds.query', at + 1, at + 8000),
      asked('refunds.create', at + 2, at + 9500),
    ]);
    expect(stallsIn(records, 5000)).toEqual([
      { start: 1, end: 9000 },
      { start: 50_001, end: 59_000 },
    ]);
  });
});

it('a time meets a stall that has a part of it', () => {
  const stalls = [{ start: 10, end: 20 }];
  expect(meets(stalls, { start: 0, end: 11 })).toBe(true);
  expect(meets(stalls, { start: 19, end: 30 })).toBe(true);
  expect(meets(stalls, { start: 0, end: 10 })).toBe(false);
  expect(meets(stalls, { start: 20, end: 30 })).toBe(false);
});

it('the longer a webhook is waited for, the longer may an answer take', () => {
  expect([1500, 20_000].map(longestPrompt)).toEqual([1000, 5000]);
});
