import { expect, it } from 'vitest';
import { restartInTurn, shareRestart } from './restarts.ts';

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

it('restarts once for all checks, when the last of them is ready, and tells the others of the exchange', async () => {
  const notes: string[] = [];
  const restarts = shareRestart(2);
  const first = restarts.take(part('first', notes));
  expect(notes).toEqual([]);
  const second = restarts.take(part('second', notes));
  expect((await first).map(({ request }) => request.url)).toEqual([]);
  expect((await second).map(({ request }) => request.url)).toEqual(['first']);
  expect(notes).toEqual(['first begins', 'second begins', 'first restarts']);
});

it('does not wait for a check that has ended', async () => {
  const notes: string[] = [];
  const restarts = shareRestart(2);
  const taken = restarts.take(part('first', notes));
  restarts.ended();
  await taken;
  expect(notes).toEqual(['first begins', 'first restarts']);
});

it('restarts again for a check that takes it again', async () => {
  const notes: string[] = [];
  const restarts = shareRestart(2);
  await Promise.all([restarts.take(part('first', notes)), restarts.take(part('second', notes))]);
  const again = restarts.take(part('first', notes));
  restarts.ended();
  await again;
  expect(notes.filter((note) => note === 'first restarts')).toHaveLength(2);
});

it('rejects for every check when the restart fails', async () => {
  const restarts = shareRestart(2);
  const failing = { begin: () => undefined, restart: () => Promise.reject(new Error('no such container')) };
  const results = await Promise.allSettled([restarts.take(failing), restarts.take(part('second', []))]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

it('restarts for one check after the other, each at its turn, when all are ready', async () => {
  const notes: string[] = [];
  const [first, second, third] = restartInTurn(3);
  const firstTaken = first?.take(part('first', notes));
  const secondTaken = second?.take(part('second', notes));
  expect(notes).toEqual([]);
  third?.ended();
  await firstTaken;
  expect(notes).toEqual(['first begins', 'first restarts']);
  first?.ended();
  expect(await secondTaken).toEqual([]);
  expect(notes.slice(2)).toEqual(['second begins', 'second restarts']);
});

it('lets a check whose turn it is restart again before the next one', async () => {
  const notes: string[] = [];
  const [first, second] = restartInTurn(2);
  const taken = [first?.take(part('first', notes)), second?.take(part('second', notes))];
  await taken[0];
  await first?.take(part('first', notes));
  first?.ended();
  await taken[1];
  expect(notes.filter((note) => note.endsWith('restarts'))).toEqual([
    'first restarts',
    'first restarts',
    'second restarts',
  ]);
});
