import { describe, expect, it } from 'vitest';
import { createPace, type Pace, placesAtFirst } from './pace.ts';

const idle = () => 0;

/** Tells the pace of so many answers, all of which took equally long. */
function tell(pace: Pace, count: number, milliseconds: number): void {
  for (let told = 0; told < count; told += 1) pace.answered(milliseconds, false);
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
    const [late, quick] = [createPace(undefined, idle), createPace(undefined, idle)];
    tell(late, answersPerLook, 100);
    tell(quick, 400, 2);
    expect([late.places, quick.places]).toEqual([placesAtFirst * 2, placesAtFirst]);
  });

  it('asks more at once where a few answers are slow to come, which hold their places', () => {
    const pace = createPace(undefined, idle);
    tell(pace, answersPerLook - 10, 2);
    tell(pace, 10, 2000);
    expect(pace.places).toBe(placesAtFirst * 2);
  });

  it('asks no more at once while the runner itself has no time', () => {
    const pace = createPace(undefined, () => 0.9);
    tell(pace, 400, 100);
    expect(pace.places).toBe(placesAtFirst);
  });

  it('asks less at once when a request is refused for its rate, and never more than that again', () => {
    const pace = createPace(undefined, idle);
    pace.answered(5, true);
    tell(pace, 400, 100);
    expect(pace.places).toBe(placesAtFirst / 2);
  });

  it('has half as many places when it is asked to, not fewer than a small target serves, and more again when that is taken back', () => {
    const sizes: number[] = [];
    const pace = createPace(undefined, idle, (places) => sizes.push(places));
    pace.halve();
    pace.halve();
    pace.halve();
    expect(sizes).toEqual([placesAtFirst / 2, placesAtFirst / 4]);
    tell(pace, 10 * answersPerLook, 100);
    expect(pace.places).toBe(placesAtFirst / 4);
    pace.restore();
    expect(pace.places).toBe(placesAtFirst);
    const fixed = createPace(placesAtFirst);
    fixed.halve();
    expect(fixed.places).toBe(placesAtFirst);
  });
});
