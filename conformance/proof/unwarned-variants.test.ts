import { afterAll, beforeAll, expect, it } from 'vitest';
import { checksOfVariant } from './stand/checks-of-server.ts';
import { openStand, patience, patientReceiver, type Stand } from './stand.ts';
import { quickPart } from './testing/quick-checks.ts';
import { unwarned } from './testing/unwarned.ts';
import { withCompanions } from './variants/combinations.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand(patientReceiver);
});
afterAll(() => stand.close());

it.for(withCompanions(unwarned).map((variant, turn) => [variant.id, variant, turn] as const))(
  '%s is neither failed nor warned about',
  async ([, variant, turn]) => {
    const { results } = await stand.judge(variant.make, checksOfVariant(quickPart(turn, 80), variant), {
      concurrency: 16,
      ...patience,
    });
    const accused = results
      .filter(({ verdict }) => ['failed', 'inconclusive', 'warned'].includes(verdict))
      .map(({ check, verdict, reason, expected, actual }) => ({ id: check.id, verdict, reason, expected, actual }));
    expect(accused).toEqual([]);
  },
);
