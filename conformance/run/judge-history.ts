import { countCutBodies } from '../history/recorder.ts';
import type { History } from '../history/records.ts';
import { invariantChecks, judgeRule } from '../invariants/index.ts';
import { buildReport, type Report } from './report.ts';
import { signsIn } from './signs/signs.ts';
import { type CheckResult, exitCodeOf, judge } from './verdict.ts';

/** What the invariants say of a history. */
export interface HistoryVerdict {
  report: Report;
  results: CheckResult[];
  exitCode: 0 | 1 | 3 | 70;
}

/** Judges a history by every rule of every invariant, without a target. Points that its run had pinned stay pinned. */
export async function judgeRecorded(history: History): Promise<HistoryVerdict> {
  const { target, seed, startedAt, pins } = history.run;
  const results: CheckResult[] = [];
  for (const check of invariantChecks) {
    const { thrown, exchanges } = await judgeRule(check.id, history);
    const judgement = judge(check, thrown, [], pins);
    results.push({ check, ...judgement, durationMs: 0, exchanges, observations: [], transitions: [] });
  }
  const report = buildReport(results, {
    target,
    seed,
    startedAt: new Date(startedAt),
    durationMs: Math.round(Math.max(0, ...history.records.map(({ end }) => end))),
    // A history shows what was exchanged, never what a check would have asked besides.
    complete: false,
    pins,
    cutBodies: countCutBodies(history),
    signs: () => signsIn(history),
    configuration: {},
    secrets: [],
  });
  return { report, results, exitCode: exitCodeOf(results, { strictSkips: false }) };
}
