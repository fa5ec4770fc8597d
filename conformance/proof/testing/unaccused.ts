import { afterAll, beforeAll, expect, it } from 'vitest';
import { checksOfVariant } from '../checks-of-server.ts';
import type { Variant } from '../fault.ts';
import { openStand, type Stand } from '../stand.ts';
import { quickChecks } from './quick-checks.ts';

/** A test for each conforming server: no check may accuse it, or find that it cannot be judged. */
export function testUnaccused(variants: readonly Variant[]): void {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand();
  });
  afterAll(() => stand.close());

  it.for(variants.map((variant) => [variant.id, variant] as const))(
    '%s is accused of nothing',
    { timeout: 120_000 },
    async ([, variant]) => {
      const checks = checksOfVariant(quickChecks, variant);
      const results = await stand.judge(variant.make, checks, { concurrency: 16, settle: 2000, webhookWait: 8000 });
      const accused = results
        .filter(({ verdict }) => verdict === 'failed' || verdict === 'inconclusive')
        .map(({ check, verdict, reason, expected, actual }) => ({ id: check.id, verdict, reason, expected, actual }));
      expect(accused).toEqual([]);
      expect(results.filter(({ verdict }) => verdict === 'passed').length).toBeGreaterThan(checks.length / 4);
    },
  );
}
