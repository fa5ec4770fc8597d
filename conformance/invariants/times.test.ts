import { describe, expect, test } from 'vitest';
import type { HistoryRecord } from '../history/records.ts';
import { clockMove, orderEvent, refundEvent } from './testing/events.ts';
import { judged, orderView, paths, payment, refundView, request, success } from './testing/histories.ts';
import { timesOfEvents } from './times.ts';

const broken = (...records: readonly HistoryRecord[]) =>
  judged(timesOfEvents, ...records).broken.map(({ rule }) => rule);
const kept = (...records: readonly HistoryRecord[]) => judged(timesOfEvents, ...records).kept;

const seen = (start: number, change: object) =>
  request({
    method: 'GET',
    path: paths.order('order-0000000001'),
    start,
    answered: success(orderView(change)),
  });
const createdAs = (createdAt: string, start = 0) =>
  request({
    method: 'POST',
    path: paths.orders,
    sent: orderView(),
    start,
    answered: success(orderView({ createdAt })),
  });
const created = createdAs('2026-01-01T10:00:00.000Z');

describe('createdAt', () => {
  test.each([
    ['is local time written as UTC', '2026-01-01T18:00:00.000Z'],
    ['takes seconds for milliseconds', '1970-01-21T11:12:00.000Z'],
    ['is ten seconds off', '2026-01-01T10:00:10.000Z'],
  ])('is wrong where it %s', (_, createdAt) => {
    expect(broken(createdAs(createdAt))).toEqual(['orders.create.times.created-at']);
  });

  test.each(['2026-01-01T12:00:00+02:00', '20260101T100000,5Z', '2026-01-01T10:00Z', '2026-01-01T10:00:04.999999Z'])(
    'may be written as %s',
    (createdAt) => {
      expect(broken(createdAs(createdAt))).toEqual([]);
      expect(kept(createdAs(createdAt))).toEqual(['orders.create.times.created-at']);
    },
  );

  test('is no time of the last change', () => {
    const changed = seen(3_600_000, { status: 'PROCESSING', createdAt: '2026-01-01T11:00:00Z' });
    expect(broken(created, changed)).toEqual(['orders.query.times.created-at']);
  });

  test("is on the merchant's own clock, whose move may have been under way", () => {
    const move = { ...clockMove(-5, 3600), end: 5 };
    expect(broken(move, createdAs('2026-01-01T11:00:00.000Z'))).toEqual([]);
    expect(broken(move, createdAs('2026-01-01T10:00:00.000Z'))).toEqual([]);
    expect(broken(clockMove(-5, 3600), createdAs('2026-01-01T10:00:00.000Z'))).toEqual([
      'orders.create.times.created-at',
    ]);
  });

  test('may be that of an earlier create that was lost or broke down', () => {
    const first = { method: 'POST', path: paths.orders, sent: orderView(), start: -60_000 };
    const again = createdAs('2026-01-01T09:59:00.000Z');
    expect(broken(request(first), again)).toEqual([]);
    expect(broken(request({ ...first, status: 500, answered: { code: '99999' } }), again)).toEqual([]);
    expect(broken(again)).toEqual(['orders.create.times.created-at']);
  });

  test('that is too early is told beside the refusal of a create that seems to have been carried out', () => {
    const refusal = { status: 429, answered: { code: '90005', message: 'too many requests' } };
    const refused = request({ method: 'POST', path: paths.orders, sent: orderView(), start: -60_000, ...refusal });
    const [fault] = judged(timesOfEvents, refused, createdAs('2026-01-01T09:59:00.000Z')).broken;
    expect(fault?.actual).toBe(
      'data.createdAt = 2026-01-01T09:59:00.000Z; a create with its id had been refused before, with HTTP 429 and code 90005',
    );
  });

  test('of an order that the run did not make cannot be told', () => {
    expect(broken(seen(10, { createdAt: '2020-01-01T10:00:00.000Z' }))).toEqual([]);
  });
});

describe('paidAt', () => {
  const paid = (paidAt: string) => [
    created,
    clockMove(5, 600),
    orderEvent(10, { type: 'transaction_detected' }),
    clockMove(20, 600),
    orderEvent(30, { type: 'payment_confirmed' }),
    seen(40, { ...payment, paidAt }),
  ];

  test('may be any time between asking for the detection and seeing SUCCEEDED', () => {
    for (const paidAt of ['2026-01-01T10:10:00Z', '2026-01-01T10:15:00Z', '2026-01-01T10:20:00Z']) {
      expect(broken(...paid(paidAt))).toEqual([]);
    }
  });

  test.each([
    ['equals createdAt though time has passed', '2026-01-01T10:00:00Z'],
    ['is an hour off', '2026-01-01T11:20:00Z'],
    ['lies an hour back', '2026-01-01T09:20:00Z'],
  ])('is wrong where it %s', (_, paidAt) => {
    expect(broken(...paid(paidAt))).toEqual(['orders.query.times.paid-at']);
  });

  test('is not held against a createdAt that is wrong itself', () => {
    const late = { ...payment, createdAt: '2026-01-01T10:30:00Z', paidAt: '2026-01-01T10:20:00Z' };
    expect(broken(...paid('2026-01-01T10:20:00Z').slice(0, -1), seen(40, late))).toEqual([
      'orders.query.times.created-at',
    ]);
  });

  test('is not before createdAt, whoever made the order', () => {
    const before = { ...payment, createdAt: '2026-01-01T09:00:00Z', paidAt: '2026-01-01T08:59:58Z' };
    expect(broken(seen(10, before))).toEqual(['orders.query.times.paid-at']);
    expect(broken(seen(10, { ...before, paidAt: '2026-01-01T09:00Z' }))).toEqual([]);
  });
});

describe('the times of a refund', () => {
  const createdRefund = (change: object = {}) =>
    request({
      method: 'POST',
      path: paths.refunds,
      sent: refundView(),
      answered: success(refundView({ createdTime: '2026-01-01T10:00:00.000Z', ...change })),
    });
  const shows = (start: number, change: object) =>
    request({
      method: 'GET',
      path: paths.refunds,
      start,
      answered: success(refundView({ createdTime: '2026-01-01T10:00:00.000Z', ...change })),
    });

  test('that ends by itself may lie before a move of the clock behind which a view lags', () => {
    const ended = (...between: readonly HistoryRecord[]) => [
      createdRefund(),
      clockMove(5000, 72_000),
      shows(5010, { status: 'PENDING' }),
      ...between,
      shows(6000, { status: 'SUCCEEDED', completedTime: '2026-01-01T10:00:03.000Z' }),
    ];
    expect(broken(...ended())).toEqual([]);
    expect(broken(...ended(refundEvent(5500, 'completed')))).toEqual(['refunds.query.times.end-time']);
  });

  test('estimate no end before the creation', () => {
    expect(broken(createdRefund({ estimatedCompletionTime: '2026-01-01T09:00:00Z' }))).toEqual([
      'refunds.create.times.estimated-completion',
    ]);
    expect(broken(createdRefund({ estimatedCompletionTime: '2026-01-01T10:00Z' }))).toEqual([]);
  });

  test.each([
    ['completed', { status: 'SUCCEEDED' }, 'completedTime'],
    ['failed', { status: 'FAILED' }, 'failedTime'],
    ['closed', { status: 'CLOSED' }, 'closedTime'],
  ])('tell when it was %s', (type, change, field) => {
    const at = (time: string) => [
      createdRefund(),
      clockMove(5, 3600),
      refundEvent(10, type),
      shows(20, { ...change, [field]: time }),
    ];
    expect(broken(...at('2026-01-01T11:00:00Z'))).toEqual([]);
    expect(broken(...at('2026-01-01T10:00:00Z'))).toEqual(['refunds.query.times.end-time']);
    expect(broken(...at('2026-01-01T19:00:00Z'))).toEqual(['refunds.query.times.end-time']);
  });

  test('lie after the last sight of another state where nobody drives it', () => {
    const done = (completedTime: string) => [
      createdRefund(),
      shows(600_000, {}),
      shows(700_000, { status: 'SUCCEEDED', completedTime }),
    ];
    expect(broken(...done('2026-01-01T10:10:30Z'))).toEqual([]);
    expect(broken(...done('2026-01-01T10:05:00Z'))).toEqual(['refunds.query.times.end-time']);
  });
});
