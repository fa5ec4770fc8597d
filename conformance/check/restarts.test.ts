import { expect, it } from 'vitest';
import { planRestarts } from './restarts.ts';

/** A check that notes what happens, and whose restart is asked for in one exchange. */
function part(name: string, notes: string[]) {
  return {
    begin: () => void notes.push(`${name} begins`),
    restart: async () => {
      notes.push(`${name} restarts`);
      return [{ request: { method: 'POST', url: name, headers: {}, body: '' }, durationMs: 1 }];
    },
  };
}

/** A plan for so many checks, with a function that takes the restart of one. */
function planned(checks: number) {
  const notes: string[] = [];
  const plan = planRestarts(checks);
  return {
    ...plan,
    notes,
    take: async (index: number) =>
      (await plan.parts[index]?.take(part(`${index}`, notes)))?.map(({ request }) => request.url),
    end: (index: number) => plan.parts[index]?.ended(),
  };
}

/** Lets everything happen that waits for nothing more. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('restarts once for all checks, when the last of them is ready, and tells the others of the exchange', async () => {
  const { begin, take, notes } = planned(2);
  begin(2);
  const first = take(0);
  await nextTurn();
  expect(notes).toEqual([]);
  const second = take(1);
  expect(await first).toEqual([]);
  expect(await second).toEqual(['0']);
  expect(notes).toEqual(['0 begins', '1 begins', '0 restarts']);
});

it('restarts nothing before it may begin, and tells when all checks are ready for that', async () => {
  const { begin, prepared, take, end, notes } = planned(2);
  let isPrepared = false;
  const told = prepared.then(() => {
    isPrepared = true;
  });
  const taken = take(0);
  await nextTurn();
  expect(isPrepared).toBe(false);
  end(1);
  await told;
  expect(notes).toEqual([]);
  begin(2);
  await taken;
  expect(notes).toEqual(['0 begins', '0 restarts']);
});

it('is prepared at once where no check ends the target', async () => {
  await planned(0).prepared;
});

it('restarts again for a check that takes it again', async () => {
  const { begin, take, end, notes } = planned(2);
  begin(2);
  await Promise.all([take(0), take(1)]);
  const again = take(0);
  end(1);
  await again;
  expect(notes.filter((note) => note === '0 restarts')).toHaveLength(2);
});

it('rejects for every check when the restart fails', async () => {
  const { begin, parts, take } = planned(2);
  begin(2);
  const failing = { begin: () => undefined, restart: () => Promise.reject(new Error('no such container')) };
  const results = await Promise.allSettled([parts[0]?.take(failing), take(1)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

it('restarts for one group after the other, when all of the group before have ended', async () => {
  const { begin, take, end, notes } = planned(3);
  const taken = [take(0), take(1), take(2)];
  begin(2);
  await Promise.all([taken[0], taken[2]]);
  // A check of the group whose turn it is may restart again before the next ones.
  end(2);
  await take(0);
  expect(notes.splice(0)).toEqual(['0 begins', '2 begins', '0 restarts', '0 begins', '0 restarts']);
  await nextTurn();
  expect(notes).toEqual([]);
  end(0);
  await taken[1];
  expect(notes).toEqual(['1 begins', '1 restarts']);
});
