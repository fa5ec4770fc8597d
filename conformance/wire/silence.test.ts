import { expect, it } from 'vitest';
import { createSilenceWatch } from './silence.ts';

/** A watch with a clock, and the reasons for which it has stopped the run. */
function watched() {
  const clock = { now: 0 };
  const reasons: string[] = [];
  const watch = createSilenceWatch(
    10_000,
    (reason) => reasons.push(reason),
    () => clock.now,
  );
  const leaveWaiting = (count: number) => {
    for (let each = 0; each < count; each += 1) watch.silent();
  };
  return { clock, reasons, watch, leaveWaiting };
}

it('stops a run whose target answers nothing any more', () => {
  const { clock, reasons, watch, leaveWaiting } = watched();
  watch.answered();
  clock.now = 40_000;
  leaveWaiting(30);
  expect(reasons).toEqual([
    'the target has answered nothing for 40 s, and left 30 requests waiting; see whether it still runs',
  ]);
});

it.each([
  ['so many requests were not left waiting', 40_000, 29],
  ['it was not that long', 39_999, 100],
])('lets it go on where %s', (_, now, count) => {
  const { clock, reasons, leaveWaiting } = watched();
  clock.now = now;
  leaveWaiting(count);
  expect(reasons).toEqual([]);
});

it('begins again with each answer', () => {
  const { clock, reasons, watch, leaveWaiting } = watched();
  clock.now = 40_000;
  leaveWaiting(29);
  watch.answered();
  leaveWaiting(100);
  clock.now = 80_000;
  leaveWaiting(1);
  expect(reasons).toHaveLength(1);
});
