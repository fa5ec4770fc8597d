import { describe, expect, it } from 'vitest';
import { allChecks } from '../checks/index.ts';
import type { CheckResult } from '../run/verdict.ts';
import { outcomeOf } from './outcome.ts';

const named = (id: string) => {
  const check = allChecks.find((each) => each.id === id);
  if (!check) throw new Error(`there is no check ${id}`);
  return check;
};
const must = named('orders.query.unknown');
const should = named('orders.view.checkout-url');

const result = (check: typeof must, verdict: CheckResult['verdict'], more: Partial<CheckResult> = {}): CheckResult => ({
  check,
  verdict,
  durationMs: 1,
  exchanges: [],
  observations: [],
  transitions: [],
  ...more,
});

/** What becomes of a fault whose check has one result without it and another with it. */
function outcome(without: CheckResult, withIt: CheckResult | undefined, hasShown = true) {
  const { check } = without;
  const facts = { selected: [must, should], plain: new Map([[check.id, without]]) };
  return outcomeOf({ caughtBy: check.id }, withIt ? [withIt] : [], { facts, hasShown });
}
const passed = result(must, 'passed');

describe('a fault', () => {
  it('is noticed by a check that fails, or that keeps a MUST without a verdict', () => {
    expect(outcome(passed, result(must, 'failed'))).toEqual({ kind: 'noticed', by: [must.id], unjudged: false });
    expect(outcome(passed, result(must, 'inconclusive'))).toEqual({ kind: 'noticed', by: [must.id], unjudged: true });
  });

  it.each([
    [
      'a check that fails without it too',
      outcome(result(must, 'failed'), result(must, 'failed')),
      'red without a fault',
    ],
    [
      'a failure that is known',
      outcome(passed, result(must, 'failed', { baseline: { reason: 'r' } })),
      'by the baseline',
    ],
    ['a warning', outcome(result(should, 'passed'), result(should, 'warned')), 'only warn'],
    [
      'a SHOULD without a verdict',
      outcome(result(should, 'passed'), result(should, 'inconclusive')),
      'without a verdict',
    ],
    ['a check that passes', outcome(passed, passed), 'although their checks ran'],
    [
      'a check that lacks a step of a driver',
      outcome(
        result(must, 'skipped', { reason: 'no driver', skip: { kind: 'left-out', needs: ['clock'] } }),
        undefined,
      ),
      'because no driver',
    ],
  ])('is not noticed by %s', (_what, found, reason) => {
    expect(found).toEqual({ kind: 'passes', reason: expect.stringContaining(reason) });
  });

  it('says nothing where it changed nothing, even if a check fails', () => {
    expect(outcome(passed, result(must, 'failed'), false)).toMatchObject({ kind: 'left-out' });
  });
});
