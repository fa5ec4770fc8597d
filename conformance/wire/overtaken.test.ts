import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createOvertakingWatch, type OvertakingWatch } from './overtaken.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** What the pace was told, in order. */
function createWatch(): { watch: OvertakingWatch; told: string[] } {
  const told: string[] = [];
  const watch = createOvertakingWatch({ halve: () => told.push('halve'), restore: () => told.push('restore') });
  return { watch, told };
}

/** Has so many requests answered that use a kept connection. */
function answer(watch: OvertakingWatch, operation: string, count: number): void {
  for (let each = 0; each < count; each += 1) watch.connected(operation, false)(true);
}

describe('the watch for overtaken requests', () => {
  it('asks for fewer checks at once where later requests overtake one over a new connection', () => {
    const { watch, told } = createWatch();
    const end = watch.connected('orders.query', true);
    answer(watch, 'orders.query', 10);
    vi.advanceTimersByTime(1000);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(told).toEqual(['halve']);
    // It takes a while until that is felt.
    vi.advanceTimersByTime(2000);
    expect(told).toEqual(['halve']);
    vi.advanceTimersByTime(1000);
    expect(told).toEqual(['halve', 'halve']);
    end(true);
    vi.advanceTimersByTime(60_000);
    expect(told).toEqual(['halve', 'halve']);
  });

  it('tries more at once again where none was overtaken for a while, which a busy moment looks like, but not for ever', () => {
    const { watch, told } = createWatch();
    const busyMoment = () => {
      const end = watch.connected('orders.query', true);
      answer(watch, 'orders.query', 10);
      vi.advanceTimersByTime(2000);
      end(true);
    };
    busyMoment();
    vi.advanceTimersByTime(7999);
    answer(watch, 'orders.query', 1);
    expect(told).toEqual(['halve']);
    vi.advanceTimersByTime(1);
    answer(watch, 'orders.query', 2);
    expect(told).toEqual(['halve', 'restore']);
    for (let moment = 0; moment < 3; moment += 1) {
      busyMoment();
      vi.advanceTimersByTime(8000);
      answer(watch, 'orders.query', 1);
    }
    expect(told).toEqual(['halve', 'restore', 'halve', 'restore', 'halve', 'halve']);
  });

  it.each([
    ['too few requests overtake it', true, 'orders.query', 9],
    ['they are requests to another operation', true, 'orders.create', 50],
    ['its connection is a kept one', false, 'orders.query', 50],
  ])('leaves the pace as it is where %s', (_, isNew, operation, count) => {
    const { watch, told } = createWatch();
    watch.connected('orders.query', isNew);
    answer(watch, operation, count);
    vi.advanceTimersByTime(9000);
    expect(told).toEqual([]);
  });

  it('does not count answers to requests that were under way before', () => {
    const { watch, told } = createWatch();
    const earlier = Array.from({ length: 50 }, () => watch.connected('orders.query', false));
    watch.connected('orders.query', true);
    for (const end of earlier) end(true);
    vi.advanceTimersByTime(9000);
    expect(told).toEqual([]);
  });

  it('leaves the pace as it is where the operation takes that long by nature, and comes in no exact order', () => {
    const { watch, told } = createWatch();
    const slow = Array.from({ length: 30 }, () => watch.connected('orders.create', false));
    vi.advanceTimersByTime(2000);
    for (const end of slow) end(true);
    watch.connected('orders.create', true);
    const later = Array.from({ length: 20 }, () => watch.connected('orders.create', false));
    vi.advanceTimersByTime(1999);
    for (const end of later) end(true);
    vi.advanceTimersByTime(1001);
    expect(told).toEqual([]);
  });

  it('takes it back, and asks no more, where an overtaken request is never answered', () => {
    const { watch, told } = createWatch();
    const end = watch.connected('orders.query', true);
    answer(watch, 'orders.query', 10);
    vi.advanceTimersByTime(2000);
    end(false);
    expect(told).toEqual(['halve', 'restore']);
    watch.connected('orders.query', true);
    answer(watch, 'orders.query', 50);
    vi.advanceTimersByTime(9000);
    expect(told).toEqual(['halve', 'restore']);
  });
});
