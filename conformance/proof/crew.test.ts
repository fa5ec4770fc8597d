import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { judgeTogether } from './crew.ts';
import type { Job, Judged } from './jobs.ts';

const worker = fileURLToPath(new URL('./testing/worker-of-behaviours.mjs', import.meta.url));

/** Has servers judged by processes that do with each what its id says. */
async function judgedAs(
  behaviours: readonly string[],
  {
    arguments: given = [],
    longestSilence = 60_000,
    longestJudging = 60_000,
  }: { arguments?: string[]; longestSilence?: number; longestJudging?: number } = {},
): Promise<Pick<Judged, 'id' | 'error'>[]> {
  const jobs = behaviours.map((id): Job => ({ kind: 'fault', id, checks: [] }));
  const judged: Judged[] = [];
  await judgeTogether(jobs, {
    start: () => fork(worker, given),
    processes: 2,
    longestSilence,
    longestJudging,
    onJudged: (result) => judged.push(result),
  });
  return judged
    .map(({ id, error }) => ({ id, ...(error !== undefined && { error }) }))
    .toSorted((left, right) => left.id.localeCompare(right.id));
}

describe('processes that judge servers', () => {
  it('judge each server once', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `is-judged-${index + 10}`);
    expect(await judgedAs(ids)).toEqual(ids.map((id) => ({ id })));
  });

  it('are replaced when a server ends them, which is named, and those beside it are judged', async () => {
    expect(await judgedAs(['ends-the-process', 'is-judged-1', 'is-judged-2', 'is-judged-3'])).toEqual([
      { id: 'ends-the-process', error: 'the process that judged it ended with 7' },
      ...[{ id: 'is-judged-1' }, { id: 'is-judged-2' }, { id: 'is-judged-3' }],
    ]);
  });

  it('are ended when a server keeps one busy for ever, which is named', async () => {
    expect(await judgedAs(['is-judged-1', 'loops-for-ever'], { longestSilence: 3000 })).toEqual([
      { id: 'is-judged-1' },
      { id: 'loops-for-ever', error: 'the process that judged it ended with SIGKILL' },
    ]);
  });

  it('give up a server that is never judged, which is named', async () => {
    expect(await judgedAs(['is-judged-1', 'never-ends'], { longestJudging: 1000 })).toEqual([
      { id: 'is-judged-1' },
      { id: 'never-ends', error: 'it was not judged within 1 s' },
    ]);
  });

  it('fail as a whole when they end before they are ready', async () => {
    await expect(judgedAs(['is-judged-1'], { arguments: ['broken'] })).rejects.toThrow('before it could judge');
  });
});
