import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBell, untilRung } from './bell.ts';
import { createHoldUps } from './hold-ups.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** So many webhooks one after the other, and then so many that begin beside one more. */
function arrived(inTurn: number, beside: number) {
  const holdUps = createHoldUps();
  for (let count = 0; count < inTurn; count += 1) holdUps.began()();
  const overs = Array.from({ length: beside === 0 ? 0 : beside + 1 }, () => holdUps.began());
  for (const over of overs) over();
  return holdUps;
}

describe('a sender whose webhooks come one after the other', () => {
  it('may have a queue while they come, and a second later has none', () => {
    const { isHeldUp, began } = arrived(20, 0);
    expect(isHeldUp()).toBe(true);
    vi.advanceTimersByTime(900);
    const over = began();
    vi.advanceTimersByTime(900);
    over();
    vi.advanceTimersByTime(900);
    expect(isHeldUp()).toBe(true);
    vi.advanceTimersByTime(100);
    expect(isHeldUp()).toBe(false);
  });

  it('is told from one that sends several at once', () => {
    expect([arrived(30, 1).isHeldUp(), arrived(30, 2).isHeldUp()]).toEqual([true, false]);
  });

  it('is not known by the first few', () => {
    expect(arrived(19, 0).isHeldUp()).toBe(false);
  });
});

describe('a wait for a sender that is held up', () => {
  const wait = async (isHeldUp: () => boolean) => {
    let ended = -1;
    const began = performance.now();
    void untilRung([{ listen: createBell().listen, isHeldUp }], () => undefined, 5000).then(() => {
      ended = performance.now() - began;
    });
    await vi.advanceTimersByTimeAsync(100_000);
    return ended;
  };

  it('goes on until it is not', async () => {
    const until = performance.now() + 20_500;
    expect(await wait(() => performance.now() < until)).toBe(21_000);
  });

  it('goes on for a minute at most', async () => {
    expect(await wait(() => true)).toBe(65_000);
  });
});
