import { expect, test } from 'vitest';
import { createLanes, type LaneLimits } from './lanes.ts';

/** Lanes whose work ends when it is told to. Items are named after their lane. */
function given(limits: Partial<LaneLimits> = {}) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  let ended = 0;
  const lanes = createLanes<string>(
    { perLane: 2, overall: 4, waitingPerLane: 10, ...limits },
    (item) => {
      started.push(item);
      return new Promise((resolve) => ends.set(item, resolve));
    },
    () => {
      ended += 1;
    },
  );
  return {
    lanes,
    started,
    ended: () => ended,
    add: (...items: string[]) => items.map((item) => lanes.add(item.charAt(0), item)),
    async end(item: string) {
      ends.get(item)?.();
      await new Promise(setImmediate);
    },
  };
}

test('a full lane leaves the places of others alone', async () => {
  const { add, started, end } = given();
  add('a1', 'a2', 'a3', 'a4', 'b1');
  expect(started).toEqual(['a1', 'a2', 'b1']);
  await end('a2');
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
});

test('no more than the places of all, and lanes take turns for them', async () => {
  const { add, started, end, lanes } = given({ overall: 2 });
  expect(lanes.hasPlace()).toBe(true);
  add('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1');
  expect(started).toEqual(['a1', 'a2']);
  expect(lanes.hasPlace()).toBe(false);
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1']) await end(item);
  // Every lane once, before any comes a second time.
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2']);
});

test('takes no more than may wait in a lane', async () => {
  const { add, started, end, lanes } = given({ perLane: 1, waitingPerLane: 2 });
  expect(add('a1', 'a2', 'a3', 'a4', 'b1')).toEqual([true, true, true, false, true]);
  await end('a1');
  expect(add('a5')).toEqual([true]);
  expect(lanes.clear()).toEqual(['a3', 'a5']);
  await end('a2');
  expect(started).toEqual(['a1', 'b1', 'a2']);
});

test('is idle when nothing is under way and nothing waits', async () => {
  const { add, end, ended, lanes } = given({ perLane: 1 });
  await lanes.idle();
  add('a1', 'a2');
  let idle = false;
  const becomesIdle = lanes.idle().then(() => {
    idle = true;
  });
  await end('a1');
  expect({ idle, busy: lanes.isBusy(), ended: ended() }).toEqual({ idle: false, busy: true, ended: 1 });
  await end('a2');
  await becomesIdle;
  expect({ busy: lanes.isBusy(), ended: ended() }).toEqual({ busy: false, ended: 2 });
});
