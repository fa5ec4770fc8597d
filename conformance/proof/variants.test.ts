import { afterAll, beforeAll, expect, it } from 'vitest';
import { checksOfVariant } from './stand/checks-of-server.ts';
import { openStand, patience, patientReceiver, type Stand } from './stand.ts';
import { companions, withCompanions } from './testing/companions.ts';
import { quickChecks } from './testing/quick-checks.ts';
import { unwarned } from './testing/unwarned.ts';
import { variants } from './variants/index.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand(patientReceiver);
});
afterAll(() => stand.close());

it('every variant has an id of its own', () => {
  const ids = variants.map(({ id }) => id);
  expect(ids.filter((id, index) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id) || ids.indexOf(id) !== index)).toEqual([]);
});

it('every variant is part of one combined server at most', () => {
  const ids = companions.flat();
  const known = variants.map(({ id }) => id);
  expect(ids.filter((id, index) => !known.includes(id) || ids.indexOf(id) !== index)).toEqual([]);
});

/** What can accuse a server. */
const judging = quickChecks.filter(({ level }) => level !== 'MAY');

it.for(
  withCompanions(variants.filter((each) => !unwarned.includes(each))).map((variant) => [variant.id, variant] as const),
)('%s is accused of nothing', async ([, variant]) => {
  const checks = checksOfVariant(judging, variant);
  const { results } = await stand.judge(variant.make, checks, { concurrency: 16, ...patience });
  const accused = results
    .filter(({ verdict }) => verdict === 'failed' || verdict === 'inconclusive')
    .map(({ check, verdict, reason, expected, actual }) => ({ id: check.id, verdict, reason, expected, actual }));
  expect(accused).toEqual([]);
  expect(results.filter(({ verdict }) => verdict === 'passed').length).toBeGreaterThan(checks.length / 3);
});
