import type { Report } from '../run/report.ts';
import { type Change, changesBetween } from './changes.ts';
import { type Matrix, matrixOf } from './matrix.ts';

/** A report with the name under which it is shown. */
export interface NamedReport {
  name: string;
  report: Report;
}

/** What is compared: two runs as changes, more as implementations beside each other. */
export type Comparison = { reports: readonly NamedReport[]; matrix: Matrix } & (
  | { kind: 'changes'; changes: readonly Change[] }
  | { kind: 'matrix' }
);

/** Compares reports, in the order in which they were given: of two, the first is the earlier. */
export function compare(reports: readonly NamedReport[]): Comparison {
  const matrix = matrixOf(reports.map(({ report }) => report));
  const [before, after] = reports;
  if (reports.length !== 2 || !before || !after) return { kind: 'matrix', reports, matrix };
  return { kind: 'changes', reports, matrix, changes: changesBetween(before.report, after.report) };
}

/** True when a check says less well of the target in the later of two runs. */
export function isWorse(comparison: Comparison): boolean {
  return comparison.kind === 'changes' && comparison.changes.some(({ kind }) => kind === 'worse');
}
