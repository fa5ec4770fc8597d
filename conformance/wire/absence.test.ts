import { createServer } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listen } from '../tests/support/loopback.ts';
import { createAbsenceWatch, type Look } from './absence.ts';

const origin = 'http://127.0.0.1:9';
afterEach(() => {
  vi.useRealTimers();
});

/** A watch of an address that has answered, whose looks show what `seen` says, and how often it was looked at and came back. */
function watched(seen: { look: Look }) {
  vi.useFakeTimers();
  const counts = { looks: 0, back: 0 };
  const watch = createAbsenceWatch({
    stopping: new AbortController().signal,
    onBack: () => {
      counts.back += 1;
    },
    look: async () => {
      counts.looks += 1;
      return seen.look;
    },
  });
  watch.answered(origin);
  return { watch, counts };
}

describe('an address that refuses connections', () => {
  it('is waited for by all that ask, until it takes them again', async () => {
    const seen: { look: Look } = { look: 'refuses' };
    const { watch, counts } = watched(seen);
    const waiting = [watch.refused(origin), watch.refused(origin), watch.brokenOff(origin)];
    const over = watch.over(origin);
    await vi.advanceTimersByTimeAsync(5000);
    seen.look = 'takes connections';
    await vi.advanceTimersByTimeAsync(250);
    for (const absence of await Promise.all(waiting)) {
      expect(absence).toMatchObject({ isBack: true });
      expect(absence?.milliseconds).toBeGreaterThanOrEqual(5000);
    }
    await over;
    expect([watch.count, counts.back]).toEqual([1, 1]);
    expect(watch.mayAwaitAnother).toBe(true);
  });

  it('is waited for 15 s at most, and then no more until it answers', async () => {
    const { watch } = watched({ look: 'refuses' });
    const first = watch.refused(origin);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await first).toMatchObject({ isBack: false });
    expect(await watch.refused(origin)).toEqual({ milliseconds: 0, isBack: false });
    expect(watch.mayAwaitAnother).toBe(false);
    watch.beginAlone();
    expect(watch.mayAwaitAnother).toBe(false);
    watch.answered(origin);
    const again = watch.refused(origin);
    await vi.advanceTimersByTimeAsync(15_000);
    expect((await again)?.milliseconds).toBeGreaterThan(14_000);
  });

  it('is waited for a minute in all, and for some time more when checks run alone', async () => {
    const { watch } = watched({ look: 'refuses' });
    const waited = async () => {
      watch.answered(origin);
      const absence = watch.refused(origin);
      await vi.advanceTimersByTimeAsync(15_000);
      return (await absence)?.milliseconds ?? 0;
    };
    let sum = 0;
    for (let each = 0; each < 6; each += 1) sum += await waited();
    expect(sum).toBeLessThanOrEqual(60_000);
    expect(sum).toBeGreaterThan(58_000);
    watch.beginAlone();
    expect(watch.mayAwaitAnother).toBe(true);
    expect(await waited()).toBeGreaterThan(14_000);
  });

  it.each([
    ['has never answered', 'http://127.0.0.1:10', () => undefined],
    ['is ended on purpose', origin, (watch: ReturnType<typeof createAbsenceWatch>) => watch.endOnPurpose()],
  ])('is not waited for where it %s', async (_what, address, prepare) => {
    const { watch, counts } = watched({ look: 'refuses' });
    prepare(watch);
    expect(await watch.refused(address)).toBeUndefined();
    expect(await watch.brokenOff(address)).toBeUndefined();
    expect(counts.looks).toBe(0);
  });
});

describe('an address that breaks connections off', () => {
  it('is no absence where it takes others, and after a few of them it is looked at once only', async () => {
    const { watch, counts } = watched({ look: 'takes connections' });
    for (let each = 0; each < 5; each += 1) {
      const absence = watch.brokenOff(origin);
      await vi.advanceTimersByTimeAsync(250);
      expect(await absence).toBeUndefined();
    }
    expect([watch.count, counts.looks]).toEqual([0, 3 * 3 + 2]);
  });
});

it('looks at an address by a connection', async () => {
  vi.useRealTimers();
  const { port, close } = await listen(createServer());
  const watch = createAbsenceWatch({ stopping: new AbortController().signal });
  const there = `http://127.0.0.1:${port}`;
  watch.answered(there);
  expect(await watch.brokenOff(there)).toBeUndefined();
  await close();
  const away = watch.refused(there);
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  expect(await away).toMatchObject({ isBack: true });
  server.close();
});
