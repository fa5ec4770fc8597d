import type { Report } from '../run/report.ts';

/** The report as JSON text, for machines. */
export const jsonReport = (report: Report): string => jsonText(report);

/**
 * JSON text with an end of line, without the escapes of half characters: JavaScript has such text, and requests of the suite try it, but some
 * readers, jq among them, refuse a whole file for one.
 */
export function jsonText(value: unknown): string {
  // An escaped backslash is no beginning of an escape.
  const whole = (escaped: string) => (escaped === '\\\\' ? escaped : '\\ufffd');
  return `${JSON.stringify(value, null, 2).replaceAll(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, whole)}\n`;
}
