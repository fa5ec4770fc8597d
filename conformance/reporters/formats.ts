import { writeHistory } from '../history/ndjson.ts';
import type { History } from '../history/records.ts';
import type { Report } from '../run/report.ts';
import { badgeReport } from './badge.ts';
import { harReport } from './har.ts';
import { jsonReport } from './json.ts';
import { junitReport } from './junit.ts';
import { markdownReport } from './markdown.ts';
import { htmlReport } from './page/page.ts';

/** The report formats by their names in `--report`. Each is made of a run's report or of its history, which takes long to make. */
export const reportFormats: Readonly<Record<string, (report: Report, history: () => History) => string>> = {
  json: jsonReport,
  html: htmlReport,
  junit: junitReport,
  markdown: markdownReport,
  history: (_report, history) => writeHistory(history()),
  har: (_report, history) => harReport(history()),
  badge: badgeReport,
};
