import { expect, test } from 'vitest';
import { createLanes, type LaneLimits } from './lanes.ts';

/** Lanes whose work ends when it is told to. Items are named after their owner and lane: `a1` is an item of a's only lane. */
function given(limits: Partial<LaneLimits> = {}) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  let ended = 0;
  const lanes = createLanes<string>(
    { perLane: 2, overall: 4, waitingPerLane: 10, waitingBytes: 1000, ...limits },
    (item) => {
      started.push(item);
      return new Promise((resolve) => ends.set(item, resolve));
    },
    () => {
      ended += 1;
    },
  );
  const addAs = (changes: object, item: string) => {
    const name = item.charAt(0);
    return lanes.add({ item, owner: name, lane: name, places: 1, bytes: 1, ...changes });
  };
  return {
    lanes,
    started,
    ended: () => ended,
    add: (...items: string[]) => items.map((item) => addAs({}, item)),
    addAs,
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

test('no more than the places of all, and owners take turns for them', async () => {
  const { add, started, end, lanes } = given({ overall: 2 });
  expect(lanes.hasPlace()).toBe(true);
  add('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
  expect(started).toEqual(['a1', 'b1']);
  expect(lanes.hasPlace()).toBe(false);
  for (const item of ['a1', 'b1', 'a2', 'b2', 'c1', 'a3']) await end(item);
  expect(started).toEqual(['a1', 'b1', 'a2', 'b2', 'c1', 'a3']);
});

test('an owner with many lanes leaves as many places free as it has, so that a newcomer starts at once', () => {
  const { addAs, add, started } = given({ overall: 8 });
  for (const lane of ['1', '2', '3', '4', '5', '6', '7', '8']) addAs({ lane }, `a${lane}`);
  expect(started).toEqual(['a1', 'a2', 'a3', 'a4']);
  add('b1', 'b2', 'c1');
  expect(started).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']);
});

test('a large item takes many places, and starts alone if there are not enough', async () => {
  const { addAs, started, end } = given();
  addAs({ places: 2 }, 'a1');
  addAs({ places: 3 }, 'b1');
  addAs({ places: 9 }, 'c1');
  expect(started).toEqual(['a1']);
  await end('a1');
  expect(started).toEqual(['a1', 'b1']);
  await end('b1');
  expect(started).toEqual(['a1', 'b1', 'c1']);
});

test('takes no more bytes than may wait, and keeps room for other owners', () => {
  const { addAs } = given({ perLane: 1, waitingBytes: 100 });
  expect(addAs({ bytes: 90 }, 'a1')).toBe(true);
  const waiting = ['a2', 'a3', 'a4'].map((item) => addAs({ bytes: 25 }, item));
  expect(waiting).toEqual([true, true, false]);
  addAs({}, 'b1');
  expect(addAs({ bytes: 25 }, 'b2')).toBe(true);
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
