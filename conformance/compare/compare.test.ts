import { describe, expect, it } from 'vitest';
import { openPoints, requirements } from '../../generated/catalogue.ts';
import type { CheckReport, Report } from '../run/report.ts';
import type { Verdict } from '../run/verdict.ts';
import { compare, isWorse } from './comparison.ts';
import { htmlComparison } from './html.ts';
import { markdownComparison } from './markdown.ts';
import { summaryOf } from './words.ts';

const given = <Entry>(entry: Entry | undefined): Entry => {
  if (entry === undefined) throw new Error('the catalogue is empty');
  return entry;
};
const [first, second, point] = [given(requirements[0]), given(requirements[1]), given(openPoints[0])];

/** A report with these verdicts by check id; a check judges the first requirement. */
function reportOf(verdicts: Record<string, Verdict>, changes: Partial<Report> = {}): Report {
  const checks = Object.entries(verdicts).map(
    ([id, verdict]): CheckReport => ({
      id,
      title: `the title of ${id}`,
      area: 'orders',
      level: 'MUST',
      requirements: [first.id],
      verdict,
      reason: null,
      message: null,
      expected: verdict === 'failed' ? 'data.status = INIT' : null,
      actual: verdict === 'failed' ? 'data.status = <b>`x`</b>' : null,
      brokenRequirement: verdict === 'failed' ? first.id : null,
      decisiveExchange: null,
      durationMs: 1,
      exchanges: [],
    }),
  );
  return {
    schemaVersion: 1,
    suite: { name: 'assay', version: '0.1.0', contractVersion: '1.0.0' },
    target: 'https://sandbox.example.com',
    seed: 1,
    startedAt: '2026-01-01T00:00:00.000Z',
    durationMs: 1,
    outcome: 'incomplete',
    scope: { areas: ['orders'], without: [], must: { judged: 1, total: 1 }, undeclared: [] },
    summary: { passed: 0, failed: 0, warned: 0, observed: 0, skipped: 0, inconclusive: 0 },
    checks,
    requirements: [],
    openPoints: [],
    transitions: [],
    configuration: {},
    ...changes,
  };
}

const named = (...reports: Report[]) => reports.map((report, index) => ({ name: `run-${index + 1}`, report }));
const between = (before: Record<string, Verdict>, after: Record<string, Verdict>) =>
  compare(named(reportOf(before), reportOf(after)));

describe('two runs', () => {
  it.each<[before: Verdict | undefined, after: Verdict | undefined, kind: string | undefined]>([
    ['passed', 'failed', 'worse'],
    ['passed', 'warned', 'worse'],
    ['passed', 'inconclusive', 'worse'],
    ['observed', 'skipped', 'worse'],
    ['warned', 'failed', 'worse'],
    ['failed', 'passed', 'better'],
    ['inconclusive', 'passed', 'better'],
    ['passed', 'observed', undefined],
    ['failed', 'failed', undefined],
    [undefined, 'failed', 'new'],
    ['failed', undefined, 'gone'],
  ])('%s and then %s is %s', (before, after, kind) => {
    const of = (verdict: Verdict | undefined): Record<string, Verdict> => (verdict ? { 'some.check': verdict } : {});
    const comparison = between(of(before), of(after));
    expect(comparison.kind === 'changes' && comparison.changes.map((change) => change.kind)).toEqual(
      kind ? [kind] : [],
    );
    expect(isWorse(comparison)).toBe(kind === 'worse');
  });

  it('know a check by the id that it has now', () => {
    const comparison = between({ 'orders.view.echo': 'passed' }, { 'orders.query.echo.amount': 'failed' });
    expect(comparison).toMatchObject({
      changes: [{ id: 'orders.query.echo.amount', kind: 'worse', before: 'passed' }],
    });
  });

  it('are told as Markdown and as a page, grouped by requirement, and text of the target stays text', () => {
    const comparison = between({ one: 'passed', two: 'failed' }, { one: 'failed', two: 'passed', three: 'passed' });
    expect(summaryOf(comparison)).toBe('1 worse, 1 better, 1 new, none gone');
    const markdown = markdownComparison(comparison);
    expect(markdown).toContain('### Worse');
    expect(markdown).toContain('passed, now failed');
    expect(markdown).not.toContain('<b>');
    const page = htmlComparison(comparison);
    expect(page).toContain(first.id);
    expect(page).not.toContain('<b>`x`</b>');
  });
});

describe('several implementations', () => {
  const value = Object.keys(point.values)[0] ?? '';
  const other = Object.keys(point.values)[1] ?? '';
  const judged = (verdict: Verdict, seen: string): Report =>
    reportOf(
      {},
      {
        requirements: [
          { id: first.id, level: first.level, text: first.text, verdict, checks: [] },
          { id: second.id, level: second.level, text: second.text, verdict: 'passed', checks: [] },
        ],
        openPoints: [
          { id: point.id, question: point.question, observed: [{ check: 'c', seen, value: seen }], pinned: null },
        ],
      },
    );

  it('are put beside each other where they differ', () => {
    const { matrix } = compare(named(judged('passed', value), judged('failed', value), judged('passed', other)));
    expect(matrix.requirements).toMatchObject([{ id: first.id, verdicts: ['passed', 'failed', 'passed'] }]);
    expect(matrix).toMatchObject({
      alike: 1,
      reliable: [],
      different: [{ id: point.id, values: [[value], [value], [other]] }],
    });
  });

  it('can be relied upon where all decide an open point alike', () => {
    const comparison = compare(named(judged('passed', value), judged('observed', value), judged('passed', value)));
    expect(comparison.matrix).toMatchObject({ requirements: [], reliable: [{ id: point.id, value }], different: [] });
    expect(markdownComparison(comparison)).toContain('What a client may rely on at all of them');
    expect(isWorse(comparison)).toBe(false);
  });
});
