import { describe, expect, it } from 'vitest';
import { createPace, placesAtFirst } from './pace.ts';

const idle = () => 0;

const second = 1000;

/** A pace, and a function that tells it of so many answers that took equally long and came one after the other in a time, in milliseconds. */
function paceOver({
  busyShare = idle,
  onResize,
}: {
  busyShare?: () => number;
  onResize?: (places: number) => void;
} = {}) {
  let now = 0;
  const pace = createPace(undefined, busyShare, onResize, () => now);
  const tell = (count: number, milliseconds: number, { kind = 'a query', during = second } = {}): void => {
    for (let told = 0; told < count; told += 1) {
      now += during / count;
      pace.answered(kind, milliseconds);
    }
  };
  return { pace, tell };
}

/** True when a promise is fulfilled without any further event. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  await new Promise(setImmediate);
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}

/** After how many answers a pace is looked at first. */
const answersPerLook = placesAtFirst * 3;

describe('the pace of a run', () => {
  it('has no more places than are fixed', async () => {
    const pace = createPace(1);
    const first = await pace.enter();
    const second = pace.enter();
    expect(await isDone(second)).toBe(false);
    first.leave();
    expect(await isDone(second)).toBe(true);
  });

  it('lets another check ask while one waits, and serves the one that comes back before one that begins', async () => {
    const pace = createPace(1);
    const first = await pace.enter();
    let end = (): void => undefined;
    const wait = first.whileFree(() => new Promise<void>((resolve) => (end = resolve)));
    const second = await pace.enter();
    const third = pace.enter();
    end();
    expect(await isDone(wait)).toBe(false);
    second.leave();
    expect(await isDone(wait)).toBe(true);
    expect(await isDone(third)).toBe(false);
    first.leave();
    expect(await isDone(third)).toBe(true);
  });

  it('gives a place away once and takes it once, however many parts of its check wait side by side', async () => {
    const pace = createPace(1);
    const place = await pace.enter();
    const ends: (() => void)[] = [];
    const wait = () => place.whileFree(() => new Promise<void>((resolve) => ends.push(resolve)));
    const both = [wait(), wait()];
    const other = await pace.enter();
    for (const end of ends) end();
    other.leave();
    await Promise.all(both);
    const next = pace.enter();
    expect(await isDone(next)).toBe(false);
    place.leave();
    expect(await isDone(next)).toBe(true);
  });

  it('has its place free for others when a check has left of which a part still waits', async () => {
    const pace = createPace(1);
    const place = await pace.enter();
    let end = (): void => undefined;
    const wait = place.whileFree(() => new Promise<void>((resolve) => (end = resolve)));
    (await pace.enter()).leave();
    place.leave();
    end();
    await wait;
    expect(await isDone(pace.enter())).toBe(true);
  });

  it('asks more at once while answers are slow to come, and no more than before where answers are quick', () => {
    const [late, quick] = [paceOver(), paceOver()];
    late.tell(answersPerLook, 100);
    quick.tell(400, 2);
    expect([late.pace.places, quick.pace.places]).toEqual([placesAtFirst * 2, placesAtFirst]);
  });

  it('asks more at once where a few answers are slow to come, which hold their places', () => {
    const { pace, tell } = paceOver();
    tell(answersPerLook - 10, 2);
    tell(10, 2000);
    expect(pace.places).toBe(placesAtFirst * 2);
  });

  it('asks as much as before again when more at once only made the answers slower', () => {
    const { pace, tell } = paceOver();
    tell(answersPerLook, 100);
    tell(2 * answersPerLook, 200);
    expect(pace.places).toBe(placesAtFirst);
  });

  it('asks as much as before again when more at once got no more done in the same time', () => {
    const { pace, tell } = paceOver();
    tell(answersPerLook, 100);
    tell(2 * answersPerLook, 100, { during: 2 * second });
    expect(pace.places).toBe(placesAtFirst);
  });

  it('asks still more at once where the answers are no slower than before, though they are to slower requests', () => {
    const { pace, tell } = paceOver();
    tell(answersPerLook - 10, 2);
    tell(10, 400, { kind: 'a create' });
    tell(answersPerLook, 2);
    tell(answersPerLook, 400, { kind: 'a create' });
    expect(pace.places).toBe(placesAtFirst * 4);
  });

  it('asks as few as at first when an answer comes late, and waits longer each time before it asks more', () => {
    const { pace, tell } = paceOver();
    const untilMore = () => {
      for (let looks = 1; ; looks += 1) {
        tell(answersPerLook, 100);
        if (pace.places > placesAtFirst) return looks;
      }
    };
    const waits = [0, 1, 2].map(() => {
      const looks = untilMore();
      tell(1, 5000);
      expect(pace.places).toBe(placesAtFirst);
      return looks;
    });
    expect(waits).toEqual([1, 6, 11]);
  });

  it('takes no answer for late that takes as long as those of its kind usually do', () => {
    const { pace, tell } = paceOver();
    tell(answersPerLook, 3000);
    tell(1, 5000);
    expect(pace.places).toBe(placesAtFirst * 2);
  });

  it('does not take a burst of answers for a target that answers much', () => {
    const { pace, tell } = paceOver();
    tell(10 * answersPerLook, 100, { during: 100 });
    expect(pace.places).toBe(placesAtFirst);
  });

  it('asks no more at once while the runner itself has no time', () => {
    const { pace, tell } = paceOver({ busyShare: () => 0.9 });
    tell(400, 100);
    expect(pace.places).toBe(placesAtFirst);
  });

  it('asks less at once when a request is refused for its rate, and never more than that again', () => {
    const { pace, tell } = paceOver();
    pace.refusedForRate();
    tell(400, 100);
    expect(pace.places).toBe(placesAtFirst / 2);
  });

  it('has half as many places when it is asked to, not fewer than a small target serves, and more again when that is taken back', () => {
    const sizes: number[] = [];
    const { pace, tell } = paceOver({ onResize: (places) => sizes.push(places) });
    pace.halve();
    pace.halve();
    pace.halve();
    expect(sizes).toEqual([placesAtFirst / 2, placesAtFirst / 4]);
    tell(10 * answersPerLook, 100);
    expect(pace.places).toBe(placesAtFirst / 4);
    pace.restore();
    expect(pace.places).toBe(placesAtFirst);
    const fixed = createPace(placesAtFirst);
    fixed.halve();
    expect(fixed.places).toBe(placesAtFirst);
  });
});
