import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allChecks } from '../checks/index.ts';
import { openStand, type Stand } from './stand.ts';
import { variants } from './variants.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

describe('a conforming server that differs is accused of nothing', () => {
  it('has an id of its own', () => {
    const ids = variants.map(({ id }) => id);
    expect(ids.filter((id, index) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id) || ids.indexOf(id) !== index)).toEqual([]);
  });

  it.for(variants.map((variant) => [variant.id, variant] as const))('%s', { timeout: 60_000 }, async ([, { make }]) => {
    const results = await stand.judge(make, allChecks, { concurrency: 16, settle: 2000 });
    const accused = results
      .filter(({ verdict }) => verdict === 'failed' || verdict === 'inconclusive')
      .map(({ check, verdict, reason, expected, actual }) => ({ id: check.id, verdict, reason, expected, actual }));
    expect(accused).toEqual([]);
    expect(results.filter(({ verdict }) => verdict === 'passed').length).toBeGreaterThan(allChecks.length / 3);
  });
});
