import { describe, expect, it } from 'vitest';
import type { Check } from '../check/check.ts';
import { applyBaseline, type BaselineEntry, parseBaseline } from './baseline.ts';
import { type CheckResult, exitCodeOf, type Verdict } from './verdict.ts';

const ids = ['orders.a', 'orders.b', 'orders.c'];

function resultOf(id: string, verdict: Verdict): CheckResult {
  const check: Check = {
    id,
    title: 'T',
    level: 'MUST',
    area: 'orders',
    requirements: ['orders.query.by-order-id'],
    needs: [],
    run: async () => {},
  };
  return { check, verdict, durationMs: 0, exchanges: [], observations: [], transitions: [] };
}

/** What a baseline makes of verdicts on the checks in their order, on 2026-06-15. */
function apply(verdicts: Verdict[], entries: BaselineEntry[]) {
  const results = verdicts.map((verdict, index) => resultOf(ids[index] ?? '', verdict));
  const applied = applyBaseline(results, entries, { today: '2026-06-15', known: ids });
  const staleBaseline = applied.stale.length > 0;
  return { ...applied, exitCode: exitCodeOf(applied.results, { strictSkips: false, staleBaseline }) };
}

const known = { check: 'orders.a', reason: 'ticket 7' };

describe('a baseline', () => {
  it('covers a failure, which stays one', () => {
    const { results, stale, exitCode } = apply(['failed', 'passed'], [known]);
    expect(results[0]).toMatchObject({ verdict: 'failed', baseline: { reason: 'ticket 7' } });
    expect({ stale, exitCode }).toEqual({ stale: [], exitCode: 0 });
  });

  it('leaves every other failure what it is', () => {
    const { results, exitCode } = apply(['failed', 'failed'], [known]);
    expect(results[1]?.baseline).toBeUndefined();
    expect(exitCode).toBe(1);
  });

  it('leaves open what has no verdict', () => {
    expect(apply(['failed', 'inconclusive'], [known]).exitCode).toBe(3);
  });

  it.each<Verdict>(['passed', 'warned', 'observed'])('is stale when its check %s', (verdict) => {
    const { stale, exitCode } = apply([verdict], [known]);
    expect(stale).toEqual(['orders.a no longer fails: remove its entry']);
    expect(exitCode).toBe(1);
  });

  it.each<Verdict>(['skipped', 'inconclusive'])('is not stale when its check is %s', (verdict) => {
    expect(apply([verdict, 'passed'], [known]).stale).toEqual([]);
  });

  it('says nothing of a check that was not selected', () => {
    expect(apply(['passed'], [{ check: 'orders.c', reason: 'r' }])).toMatchObject({ stale: [], exitCode: 0 });
  });

  it('is stale when it names no check', () => {
    const { stale, exitCode } = apply(['passed'], [{ check: 'orders.x', reason: 'r' }]);
    expect(stale).toEqual([expect.stringContaining('there is no check orders.x')]);
    expect(exitCode).toBe(1);
  });

  it('covers a failure on its last day, and not on the next', () => {
    expect(apply(['failed'], [{ ...known, until: '2026-06-15' }])).toMatchObject({ ended: [], exitCode: 0 });
    const after = apply(['failed'], [{ ...known, until: '2026-06-14' }]);
    expect(after).toMatchObject({ stale: [], ended: [expect.stringContaining('2026-06-14')], exitCode: 1 });
    expect(after.results[0]?.baseline).toBeUndefined();
  });

  it('may be empty', () => {
    expect(parseBaseline('', 'known.yaml')).toEqual([]);
  });

  it.each([
    ['a map', 'check: orders.a', 'must be a list of entries'],
    ['an entry without its reason', '- check: orders.a', 'known.yaml: entry 1 lacks reason'],
    ['a misspelt key', '- { check: a, reason: b, untl: 2026-01-01 }', 'did you mean until?'],
    ['a day that there is not', '- { check: a, reason: b, until: 2026-02-30 }', 'must be a day, such as'],
  ])('is refused when it is %s', (_what, yaml, message) => {
    expect(() => parseBaseline(yaml, 'known.yaml')).toThrow(message);
  });
});
