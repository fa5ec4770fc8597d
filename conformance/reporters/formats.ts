import type { Report } from '../run/report.ts';
import { jsonReport } from './json.ts';
import { junitReport } from './junit.ts';
import { markdownReport } from './markdown.ts';
import { htmlReport } from './page/page.ts';

/** The report formats by their names in `--report`. */
export const reportFormats: Readonly<Record<string, (report: Report) => string>> = {
  json: jsonReport,
  html: htmlReport,
  junit: junitReport,
  markdown: markdownReport,
};
