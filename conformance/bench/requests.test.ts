import { expect, it } from 'vitest';
import type { HistoryRecord } from '../history/records.ts';
import { countRequests } from './requests.ts';

const request = (check: string | undefined, operation: string | undefined): HistoryRecord => ({
  kind: 'request',
  start: 0,
  end: 1,
  ...(check !== undefined && { check }),
  ...(operation !== undefined && { operation }),
  as: 'M-1',
  authentication: 'right',
  method: 'GET',
  path: '/',
  headers: {},
});

it('counts requests by the area that they ask and the kind of check that asks, the largest kind first', () => {
  const { areas, kinds, steps } = countRequests({
    records: [
      request('auth.refunds.query.revoked-key', 'refunds.query'),
      request('orders.race.paid-while-expiring', 'orders.query'),
      request('orders.race.paid-while-expiring', 'orders.create'),
      request('orders.race.paid-while-expiring', undefined),
      request(undefined, 'checkout.create'),
      { kind: 'clock', start: 0, end: 1, merchantId: 'M-1', seconds: 5 },
    ],
  });
  expect(areas).toEqual(['orders', 'refunds', 'checkout', 'no operation']);
  expect(kinds).toEqual([
    { kind: 'race', counts: [2, 0, 0, 1], total: 3 },
    { kind: 'authentication', counts: [0, 1, 0, 0], total: 1 },
    { kind: 'other', counts: [0, 0, 1, 0], total: 1 },
  ]);
  expect(steps).toBe(1);
});
