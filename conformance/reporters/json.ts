import type { Report } from '../run/report.ts';

/** The report as JSON text, for machines. */
export function jsonReport(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}
