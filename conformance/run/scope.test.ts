import { describe, expect, it } from 'vitest';
import type { Area } from '../../generated/catalogue.ts';
import type { Check } from '../check/check.ts';
import { scopeOf, scopeText } from './scope.ts';
import type { CheckResult } from './verdict.ts';

const checkOf = (area: Area, level: Check['level']): Check => ({
  ...{ id: `${area}.${level}`, title: level, area, level, requirements: ['orders.states.final'], needs: [] },
  run: async () => {},
});
const passed = (area: Area): CheckResult[] =>
  (['MUST', 'MUST', 'SHOULD'] as const).map((level) => ({
    ...{ check: checkOf(area, level), verdict: 'passed', durationMs: 0 },
    ...{ exchanges: [], observations: [], transitions: [] },
  }));
const lacking = (area: Area): CheckResult[] =>
  passed(area).map((result) => ({ ...result, verdict: 'skipped', skip: { kind: 'area' } }));

describe('the scope of a run', () => {
  const flags = scopeOf(passed('orders'), {});

  it('is the same whether flags or the configuration leave the other areas out', () => {
    const results = [...passed('orders'), ...lacking('refunds'), ...lacking('checkout'), ...lacking('webhooks')];
    expect(scopeOf(results, { areas: ['orders'] })).toEqual(flags);
    expect(scopeText(flags)).toBe('in orders; 2 of 2 MUST checks judged');
  });

  it('still counts what should have been judged and was not', () => {
    const open = passed('orders').map((result) => ({ ...result, verdict: 'inconclusive' as const }));
    expect(scopeOf(open, {})).toMatchObject({ must: { judged: 0, total: 2 } });
  });

  it('says how many found nothing to judge, and counts one check in the singular', () => {
    const [first, second] = passed('auth');
    const results =
      first && second
        ? [first, { ...second, verdict: 'skipped' as const, skip: { kind: 'not-applicable' as const } }]
        : [];
    expect(scopeText(scopeOf(results, {}))).toBe('1 of 2 MUST checks judged (1 found nothing to judge)');
    expect(scopeText(scopeOf(results.slice(0, 1), {}))).toBe('1 of 1 MUST check judged');
  });

  it('names no area in a run of authentication alone', () => {
    expect(scopeText(scopeOf(passed('auth'), {}))).toBe('2 of 2 MUST checks judged');
  });
});
