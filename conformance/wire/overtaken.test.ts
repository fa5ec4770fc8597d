import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createOvertakingWatch, type OvertakingWatch } from './overtaken.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** What the connections and the pace were told, in order. */
function createWatch(): { watch: OvertakingWatch; told: string[] } {
  const told: string[] = [];
  const connections = { keepNone: () => told.push('keep none'), keepAgain: () => told.push('keep again') };
  const pace = { halve: () => told.push('halve'), restore: () => told.push('restore') };
  return { watch: createOvertakingWatch(connections, pace), told };
}

/** Has so many requests answered that use a kept connection. */
function answer(watch: OvertakingWatch, operation: string, count: number): void {
  for (let each = 0; each < count; each += 1) watch.connected(operation, false)(true);
}

/** Sends three requests over new connections; returns what to call when they are over. */
function waitForConnections(watch: OvertakingWatch): (isAnswered: boolean) => void {
  const ends = Array.from({ length: 3 }, () => watch.connected('orders.query', true));
  return (isAnswered) => {
    for (const end of ends) end(isAnswered);
  };
}

describe('the watch for overtaken requests', () => {
  it('has no connection kept, and then fewer checks at once, where later requests overtake several over new connections', () => {
    const { watch, told } = createWatch();
    const end = waitForConnections(watch);
    answer(watch, 'orders.query', 12);
    vi.advanceTimersByTime(2000);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(told).toEqual(['keep none']);
    // It takes a while until that is felt.
    vi.advanceTimersByTime(1000);
    expect(told).toEqual(['keep none']);
    vi.advanceTimersByTime(1000);
    expect(told).toEqual(['keep none', 'halve']);
    vi.advanceTimersByTime(2000);
    expect(told).toEqual(['keep none', 'halve', 'halve']);
    end(true);
    vi.advanceTimersByTime(60_000);
    expect(told).toEqual(['keep none', 'halve', 'halve']);
  });

  it.each([
    ['too few requests overtake them', 3, true, 9],
    ['no more than two are overtaken', 2, true, 50],
    ['their connections are kept ones', 3, false, 50],
  ])('leaves all as it is where %s', (_, overtaken, isNew, count) => {
    const { watch, told } = createWatch();
    for (let each = 0; each < overtaken; each += 1) watch.connected('orders.query', isNew);
    answer(watch, 'orders.query', count);
    vi.advanceTimersByTime(9000);
    expect(told).toEqual([]);
  });

  it('leaves all as it is where requests over later new connections are answered, as in no exact order', () => {
    const { watch, told } = createWatch();
    waitForConnections(watch);
    for (let each = 0; each < 3; each += 1) watch.connected('orders.create', true)(true);
    answer(watch, 'orders.query', 50);
    vi.advanceTimersByTime(9000);
    expect(told).toEqual([]);
  });

  it('leaves all as it is where the target goes on taking new connections, one after the other', () => {
    const { watch, told } = createWatch();
    const earlier = Array.from({ length: 20 }, () => watch.connected('orders.create', true));
    waitForConnections(watch);
    for (const end of earlier) {
      answer(watch, 'orders.query', 50);
      vi.advanceTimersByTime(900);
      end(true);
    }
    expect(told).toEqual([]);
  });

  it('has no connection kept where it has taken some, and takes none any more', () => {
    const { watch, told } = createWatch();
    for (let each = 0; each < 8; each += 1) watch.connected('orders.create', true)(true);
    vi.advanceTimersByTime(1000);
    waitForConnections(watch);
    answer(watch, 'orders.query', 50);
    vi.advanceTimersByTime(3000);
    expect(told).toEqual(['keep none']);
  });

  it('has no fewer checks at once where the requests that overtake them are of another kind', () => {
    const { watch, told } = createWatch();
    waitForConnections(watch);
    answer(watch, 'orders.create', 50);
    vi.advanceTimersByTime(9000);
    expect(told).toEqual(['keep none']);
  });

  it('does not count answers to requests that were under way before', () => {
    const { watch, told } = createWatch();
    const earlier = Array.from({ length: 50 }, () => watch.connected('orders.query', false));
    waitForConnections(watch);
    for (const end of earlier) end(true);
    vi.advanceTimersByTime(9000);
    expect(told).toEqual([]);
  });

  it('leaves all as it is where the operation takes that long by nature, and comes in no exact order', () => {
    const { watch, told } = createWatch();
    const slow = Array.from({ length: 30 }, () => watch.connected('orders.create', false));
    vi.advanceTimersByTime(2000);
    for (const end of slow) end(true);
    for (let each = 0; each < 3; each += 1) watch.connected('orders.create', true);
    const later = Array.from({ length: 20 }, () => watch.connected('orders.create', false));
    vi.advanceTimersByTime(2999);
    for (const end of later) end(true);
    vi.advanceTimersByTime(1001);
    expect(told).toEqual([]);
  });

  it('takes it back, and asks no more, where an overtaken request is never answered', () => {
    const { watch, told } = createWatch();
    const end = waitForConnections(watch);
    answer(watch, 'orders.query', 12);
    vi.advanceTimersByTime(3000);
    end(false);
    const all = ['keep none', 'keep again', 'restore'];
    expect(told).toEqual(all);
    waitForConnections(watch);
    answer(watch, 'orders.query', 50);
    vi.advanceTimersByTime(9000);
    expect(told).toEqual(all);
  });
});
