import { describe, expect, test } from 'vitest';
import type { HistoryRecord, OrderEventRecord } from '../../history/records.ts';
import { clockMove, orderEvent, refundEvent } from '../testing/events.ts';
import { checkoutView, judged, orderView, paths, payment, refundView, request, success } from '../testing/histories.ts';
import { transitions } from './index.ts';

const orderId = 'order-0000000001';
const created = request({ method: 'POST', path: paths.orders, sent: orderView(), answered: success(orderView()) });
const seen = (start: number, change: object, end = start + 1) =>
  request({ method: 'GET', path: paths.order(orderId), start, end, answered: success(orderView(change)) });
const detected = (start: number, amount?: string, change: Partial<OrderEventRecord> = {}) =>
  orderEvent(start, { type: 'transaction_detected', ...(amount !== undefined && { amount }) }, change);
const confirmed = (start: number, change: Partial<OrderEventRecord> = {}) =>
  orderEvent(start, { type: 'payment_confirmed' }, change);
const refused = { result: { done: false, message: 'it is no move' } } as const;

const broken = (...records: readonly HistoryRecord[]) => judged(transitions, ...records).broken.map(({ rule }) => rule);
const kept = (...records: readonly HistoryRecord[]) => judged(transitions, ...records).kept;

describe('the first answer', () => {
  const answered = (status: string) =>
    request({ method: 'POST', path: paths.orders, sent: orderView(), answered: success(orderView({ status })) });

  test('shows an order as INIT', () => {
    expect(broken(answered('PROCESSING'))).toEqual(['orders.create.transitions.initial']);
    expect(kept(answered('INIT'))).toEqual(['orders.create.transitions.initial']);
  });

  test('may be PENDING as in the example of the contract, and no other status that it does not have', () => {
    expect(judged(transitions, answered('PENDING'))).toEqual({ broken: [], kept: [] });
    expect(broken(answered('NEW'))).toEqual(['orders.create.transitions.initial']);
  });

  test('is not known where an earlier create under the same id was lost', () => {
    const lost = request({ method: 'POST', path: paths.orders, sent: orderView(), start: -10 });
    expect(judged(transitions, lost, answered('PROCESSING'))).toEqual({ broken: [], kept: [] });
  });
});

describe('states seen one after the other', () => {
  test('never lead away from a final one', () => {
    expect(broken(seen(10, { status: 'CLOSED' }), seen(20, { status: 'INIT' }))).toEqual([
      'orders.query.transitions.final',
    ]);
  });

  test('may be behind in a query by another id, for as long as a target may lag', () => {
    const byPlatformId = (start: number) =>
      request({ method: 'GET', path: paths.order('o-1'), start, answered: success(orderView({ orderId: 'o-1' })) });
    const closed = seen(10, { orderId: 'o-1', status: 'CLOSED' });
    expect(broken(closed, byPlatformId(300))).toEqual([]);
    expect(broken(closed, byPlatformId(2000))).toEqual(['orders.query.transitions.final']);
  });

  test('have no order where the requests overlap', () => {
    expect(broken(seen(10, { status: 'CLOSED' }, 20), seen(15, { status: 'INIT' }, 30))).toEqual([]);
  });

  test('are no present states in the answer to a repeated create', () => {
    const repeat = { ...created, start: 30, end: 31 };
    expect(broken(created, detected(5), confirmed(7), seen(10, payment), repeat)).toEqual([]);
  });

  test('are ends that have come, where the answer to a repeated create shows one', () => {
    const answered = success(orderView({ status: 'CLOSED' }));
    const repeat = request({ method: 'POST', path: paths.orders, sent: orderView(), start: 10, answered });
    expect(broken(created, repeat, seen(2000, { status: 'INIT' }))).toEqual(['orders.query.transitions.final']);
    expect(broken(created, repeat, seen(20, { status: 'INIT' }))).toEqual([]);
  });

  test('follow the table of a hosted order, though some may not have been seen', () => {
    expect(broken(seen(10, { status: 'PROCESSING' }), seen(20, { status: 'INIT' }))).toEqual([
      'orders.query.transitions.no-other-moves',
    ]);
    expect(broken(seen(10, { status: 'INIT' }), seen(20, payment))).toEqual([]);
  });

  test('are no states where the contract does not have them', () => {
    for (const status of ['EXPIRED', 'closed', '']) {
      expect(broken(created, seen(10, { status: 'CLOSED' }), seen(20, { status }))).toEqual([
        'orders.query.transitions.waits',
      ]);
      expect(broken(created, seen(10, { status }), seen(20, {}))).toEqual([]);
    }
    // A status of refunds is none of orders.
    expect(broken(created, seen(10, { status: 'PENDING' }), seen(20, {}))).toEqual([]);
  });

  test('are free for a checkout order on its way', () => {
    const shows = (start: number, status: string) =>
      request({
        method: 'GET',
        path: paths.checkoutOrder(orderId),
        start,
        answered: success(checkoutView({ status })),
      });
    expect(broken(shows(10, 'PROCESSING'), shows(20, 'INIT'))).toEqual([]);
    expect(broken(shows(10, 'FAILED'), shows(20, 'INIT'))).toEqual(['checkout.query.transitions.final']);
  });
});

describe('what a final order shows', () => {
  test('keeps its times and its transaction', () => {
    const detail = { ...payment.cryptoPaymentDetail, txHash: '0xdef' };
    const paidAt = '2026-01-01T11:10:00Z';
    for (const change of [{ paidAt }, { cryptoPaymentDetail: detail }]) {
      expect(broken(seen(10, payment), seen(20, { ...payment, ...change }))).toEqual([
        'orders.query.transitions.final-view',
      ]);
    }
  });

  test('is told with what lay between the two answers', () => {
    const refunded = request({
      method: 'POST',
      path: paths.refunds,
      sent: { acquiringOrderId: 'ord.1', merchantRefundOrderId: 'refund-1' },
      start: 12,
      answered: success(refundView()),
    });
    const records = [refunded, refundEvent(14, 'completed'), clockMove(16, 3 * 86_400), clockMove(18, 60)];
    const later = { ...payment, paidAt: '2026-01-01T11:10:00Z' };
    const [fault] = judged(transitions, seen(10, payment), ...records, seen(20, later)).broken;
    expect(fault?.actual).toBe(
      'data.paidAt = 2026-01-01T10:10:00Z in one answer, 2026-01-01T11:10:00Z in a later one; between the two: ' +
        'refund ref.1 made, completed of refund ref.1, business time moved by 3 days, business time moved by 60 seconds',
    );
  });

  test('may count confirmations, write a hash in capitals and a time more precisely', () => {
    const detail = { ...payment.cryptoPaymentDetail, txHash: '0xABC', confirmations: 40 };
    const later = { ...payment, paidAt: '2026-01-01T10:10:00.999+00:00', cryptoPaymentDetail: detail };
    expect(broken(seen(10, payment), seen(20, later))).toEqual([]);
  });

  test('holds for refunds in a batch', () => {
    const done = (start: number, completedTime: string) =>
      request({
        method: 'POST',
        path: paths.batchQuery,
        sent: { merchantRefundOrderIds: ['refund-1'] },
        start,
        answered: success([refundView({ status: 'SUCCEEDED', completedTime })]),
      });
    expect(broken(done(10, '2026-01-01T10:30:00Z'), done(20, '2026-01-01T10:31:00Z'))).toEqual([
      'refunds.batch-query.transitions.final-view',
    ]);
  });
});

describe('what the driver let happen', () => {
  test.each([
    ['an order that nobody paid is paid', [seen(10, payment)], 'waits'],
    ['a refused payment pays', [detected(5, '9.50', refused), seen(10, payment)], 'waits'],
    ['a detection is forgotten', [detected(5), seen(2000, {})], 'detected'],
    ['a detection is taken for a confirmation', [detected(5), seen(10, payment)], 'detected'],
    ['a confirmation is forgotten', [detected(5), confirmed(8), seen(2000, { status: 'PROCESSING' })], 'confirmed'],
    ['more than is due fails', [detected(5, '9.51'), confirmed(8), seen(10, { status: 'FAILED' })], 'confirmed'],
    [
      'more than is due fails, seen late on a busy machine',
      [detected(5, '9.51'), confirmed(1500), seen(9000, { status: 'FAILED' })],
      'confirmed',
    ],
    ['time alone confirms too little', [detected(5, '9.49'), clockMove(6, 3600), seen(10, payment)], 'detected'],
    ['too little succeeds', [detected(5, '9.499999999999999999'), confirmed(8), seen(10, payment)], 'underpaid'],
    [
      'a failed payment succeeds',
      [detected(5), orderEvent(8, { type: 'payment_failed' }), seen(10, payment)],
      'failed',
    ],
    ['a cancelled order fails', [orderEvent(5, { type: 'cancelled' }), seen(10, { status: 'FAILED' })], 'cancelled'],
  ])('is contradicted where %s', (_, records, rule) => {
    expect(broken(created, ...records)).toEqual([`orders.query.transitions.${rule}`]);
  });

  test('is told from the create on', () => {
    const repeat = { ...created, start: 5, end: 6 };
    const [fault] = judged(transitions, created, repeat, clockMove(8, 60), seen(10, { status: 'CLOSED' })).broken;
    expect(fault).toMatchObject({
      expected:
        'data.status = INIT of an order that nobody has paid and whose expiresAt, 2026-01-01T11:00:00.000Z, has not passed',
      actual: 'data.status = CLOSED; since its create: a create with its id again, business time moved by 60 seconds',
    });
  });

  test.each([
    ['a driver lags', [detected(5), seen(10, {})]],
    [
      'a driver failed and the payment came through',
      [detected(5, '9.50', { result: { failed: 'lost' } }), seen(10, { status: 'PROCESSING' })],
    ],
    ['a driver failed and nothing was paid', [detected(5, '9.50', { result: { failed: 'lost' } }), seen(2000, {})]],
    ['a payment times out', [detected(5), seen(16_000, { status: 'FAILED' })]],
    ['time alone confirms a payment', [detected(5), clockMove(6, 3600), seen(10, payment)]],
    [
      'a payment times out before its confirmation',
      [detected(5), clockMove(6, 3600), confirmed(8), seen(10, { status: 'FAILED' })],
    ],
    [
      'a payment that came in time is confirmed after expiry',
      [detected(5), clockMove(6, 7200), confirmed(8), seen(2000, payment)],
    ],
    [
      'two events overlap',
      [detected(5, '9.50', { end: 20 }), orderEvent(10, { type: 'cancelled' }), seen(2000, { status: 'CLOSED' })],
    ],
    ['a second transaction is let go by', [detected(5), detected(8, '1'), confirmed(12), seen(2000, payment)]],
  ])('is not contradicted where %s', (_, records) => {
    expect(broken(created, ...records)).toEqual([]);
  });

  test('is not all that happens to orders of an automatic merchant', () => {
    const automatic = {
      kind: 'driver',
      step: 'provisionMerchant',
      start: -1,
      end: 0,
      settings: { automatic: true },
      merchantId: 'm1',
    } as const;
    expect(broken(automatic, created, detected(5), seen(10, payment))).toEqual([]);
  });
});

describe('an expired order', () => {
  test('is CLOSED, though nobody asked for it in between', () => {
    expect(broken(created, clockMove(5, 7200), seen(2000, {}))).toEqual(['orders.query.transitions.expired']);
    expect(broken(created, clockMove(5, 7200), seen(2000, { status: 'FAILED' }))).toEqual([
      'orders.query.transitions.expired',
    ]);
    expect(kept(created, clockMove(5, 7200), seen(2000, { status: 'CLOSED' }))).toContain(
      'orders.query.transitions.expired',
    );
  });

  test('may be shown as INIT for as long as a target may lag, and near its expiry', () => {
    expect(broken(created, clockMove(5, 7200), seen(10, {}))).toEqual([]);
    expect(broken(created, clockMove(5, 3600), seen(2000, {}))).toEqual([]);
  });

  test('may be shown as INIT for as long after a creation that came too late', () => {
    const past = { expiresAt: '2026-01-01T09:00:00.000Z' };
    const late = request({
      method: 'POST',
      path: paths.orders,
      sent: orderView(past),
      answered: success(orderView(past)),
    });
    expect(broken(late, seen(10, past))).toEqual([]);
    expect(broken(late, seen(2000, past))).toEqual(['orders.query.transitions.expired']);
  });

  test('is not paid any more, though nobody asked for it in between', () => {
    const late = [created, clockMove(5, 7200), detected(10), confirmed(12)];
    expect(broken(...late, seen(20, payment))).toEqual(['orders.query.transitions.late-payment']);
    expect(broken(...late, seen(20, { status: 'CLOSED' }))).toEqual([]);
  });

  test('of the checkout may have FAILED', () => {
    const request1 = request({
      method: 'POST',
      path: paths.checkoutOrders,
      sent: checkoutView({ orderId: undefined }),
      answered: success(checkoutView()),
    });
    const shows = (status: string) =>
      request({
        method: 'GET',
        path: paths.checkoutOrder(orderId),
        start: 2000,
        answered: success(checkoutView({ status })),
      });
    expect(broken(request1, clockMove(5, 7200), shows('FAILED'))).toEqual([]);
    expect(broken(request1, clockMove(5, 7200), shows('INIT'))).toEqual(['checkout.query.transitions.expired']);
  });
});
