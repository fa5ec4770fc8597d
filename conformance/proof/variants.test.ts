import { afterAll, beforeAll, expect, it } from 'vitest';
import { checksOfVariant } from './stand/checks-of-server.ts';
import { openStand, patience, patientReceiver, type Stand } from './stand.ts';
import { quickPart } from './testing/quick-checks.ts';
import { unwarned } from './testing/unwarned.ts';
import { coveringChoices, singleChoices } from './variants/chosen-servers.ts';
import { besideContrary, companions, doubled, withCompanions } from './variants/combinations.ts';
import { variants } from './variants/index.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand(patientReceiver);
});
afterAll(() => stand.close());

/** The servers of the choices that are judged by every kind of check: the first by their own test, the second here. */
const [contrary, ...further] = coveringChoices.slice(0, 2);

it('every variant has an id of its own', () => {
  const ids = variants.map(({ id }) => id);
  expect(ids.filter((id, index) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id) || ids.indexOf(id) !== index)).toEqual([]);
});

it('every variant is part of one combined server at most, unless it is left to the proof', () => {
  const ids = [...companions.flat(), ...besideContrary, ...Object.keys(doubled)];
  const known = [...variants, ...further].map(({ id }) => id);
  expect(ids.filter((id, index) => !known.includes(id) || ids.indexOf(id) !== index)).toEqual([]);
});

it('a variant is left to the proof only where another server that is judged differs in the same way', () => {
  const judged = [...variants.filter(({ id }) => !(id in doubled)), contrary, ...further, ...singleChoices];
  const ids = judged.map((server) => server?.id);
  expect(Object.values(doubled).filter((id) => !ids.includes(id))).toEqual([]);
});

const own = variants.filter(
  (each) => !unwarned.includes(each) && !besideContrary.includes(each.id) && !(each.id in doubled),
);

it.for(withCompanions([...own, ...further]).map((variant, turn) => [variant.id, variant, turn] as const))(
  '%s is accused of nothing',
  async ([, variant, turn]) => {
    // Few checks end their target, and they alone judge a server that can be ended: a larger part has some of them.
    const parts = variant.make.restarts ? 8 : 80;
    const judging = quickPart(turn, parts).filter(({ level }) => level !== 'MAY');
    const checks = checksOfVariant(judging, variant);
    const { results } = await stand.judge(variant.make, checks, { concurrency: 16, ...patience });
    const accused = results
      .filter(({ verdict }) => verdict === 'failed' || verdict === 'inconclusive')
      .map(({ check, verdict, reason, expected, actual }) => ({ id: check.id, verdict, reason, expected, actual }));
    expect(accused).toEqual([]);
    expect(results.filter(({ verdict }) => verdict === 'passed').length).toBeGreaterThan(checks.length / 8);
  },
);
