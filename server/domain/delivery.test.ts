import { describe, expect, test } from 'vitest';
import {
  afterAttempt as afterAttemptOf,
  type Delivery,
  type DeliveryAttempt,
  dueAgain,
  recordAttempt as recordAttemptOf,
  retryDelays,
} from './delivery.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

function delivery(changes: Partial<Delivery> = {}): Delivery {
  return {
    deliveryId: 'd-1',
    eventId: 'evt-1',
    merchantId: 'm-1',
    subject: { orderId: 'ord-1' },
    url: 'https://shop.example/hooks',
    status: 'pending',
    attempts: [],
    createdAt: 0,
    dueAt: 0,
    claimedUntil: 30_000,
    ...changes,
  };
}

const afterAttempt = (before: Delivery, attempt: DeliveryAttempt, delays = retryDelays.growing) =>
  afterAttemptOf(before, attempt, delays);
const recordAttempt = (stored: Delivery, claimed: Delivery, attempt: DeliveryAttempt) =>
  recordAttemptOf(stored, claimed, attempt, retryDelays.growing);

const failed = (at: number): DeliveryAttempt => ({ at, httpStatus: 500 });
const received = (at: number): DeliveryAttempt => ({ at, httpStatus: 200 });

describe('after an attempt', () => {
  test.each([
    ['growing', [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour, null]],
    ['even', [minute, minute, minute, minute, null]],
  ] as const)('the next one is due by the %s schedule, until none is', (schedule, expected) => {
    const waits: (number | null)[] = [];
    let current = delivery();
    for (let at = 0; current.status === 'pending'; at = current.dueAt ?? at) {
      current = afterAttempt(current, failed(at), retryDelays[schedule]);
      waits.push(current.dueAt === null ? null : current.dueAt - at);
    }
    expect(waits).toEqual(expected);
    expect(current).toMatchObject({ status: 'exhausted', claimedUntil: null });
    expect(current.attempts).toHaveLength(expected.length);
  });

  test('exactly 200 counts as received', () => {
    expect(afterAttempt(delivery(), received(7))).toEqual(
      delivery({ status: 'delivered', attempts: [received(7)], dueAt: null, claimedUntil: null }),
    );
  });

  test.each([
    { httpStatus: 201 },
    { httpStatus: 202 },
    { httpStatus: 204 },
    { httpStatus: 302 },
    { httpStatus: 404 },
    { httpStatus: 500 },
    { error: 'no answer within 10 s' },
  ])('%o does not', (result) => {
    expect(afterAttempt(delivery(), { at: 7, ...result })).toMatchObject({ status: 'pending', dueAt: 7 + 5 * second });
  });
});

describe('a replay', () => {
  test('makes a delivered one due, with its attempts', () => {
    const done = delivery({ status: 'delivered', attempts: [received(7)], dueAt: null, claimedUntil: null });
    expect(dueAgain(done, 50)).toEqual({ ...done, status: 'pending', dueAt: 50 });
  });

  test('lets automatic retries go on from the number of attempts', () => {
    const tried = delivery({ attempts: [failed(0), failed(5 * second)], dueAt: 5 * minute });
    const again = afterAttempt(dueAgain(tried, 100_000), failed(100_000));
    expect(again).toMatchObject({ status: 'pending', dueAt: 100_000 + 30 * minute });
  });

  test('is a single attempt where the schedule is used up', () => {
    const exhausted = delivery({
      status: 'exhausted',
      attempts: Array.from({ length: 8 }, (_, n) => failed(n)),
      dueAt: null,
    });
    const replayed = dueAgain(exhausted, 100_000);
    expect(replayed).toMatchObject({ status: 'pending', dueAt: 100_000 });
    expect(afterAttempt(replayed, failed(100_000))).toMatchObject({ status: 'exhausted', dueAt: null });
    expect(afterAttempt(replayed, received(100_000))).toMatchObject({ status: 'delivered', dueAt: null });
  });

  test('during an attempt stands, however that ends', () => {
    const claimed = delivery({ attempts: [failed(0)], dueAt: 5_000 });
    const replayed = dueAgain(claimed, 6_000);
    for (const attempt of [received(6_100), failed(6_100)]) {
      expect(recordAttempt(replayed, claimed, attempt)).toEqual(
        delivery({ attempts: [failed(0), attempt], status: 'pending', dueAt: 6_000, claimedUntil: null }),
      );
    }
  });
});

describe('an outcome that comes after the claim has run out', () => {
  const claimed = delivery({ claimedUntil: 30_000 });

  test('is noted and leaves the work of the instance that took over alone', () => {
    const takenOver = delivery({ claimedUntil: 60_000 });
    expect(recordAttempt(takenOver, claimed, received(31_000))).toEqual({ ...takenOver, attempts: [received(31_000)] });
  });

  test('does not make what that one has delivered due again', () => {
    const delivered = delivery({ status: 'delivered', attempts: [received(30_500)], dueAt: null, claimedUntil: null });
    expect(recordAttempt(delivered, claimed, failed(31_000))).toEqual({
      ...delivered,
      attempts: [received(30_500), failed(31_000)],
    });
  });
});
