import type { Comparison } from './comparison.ts';
import { htmlComparison } from './html.ts';
import { markdownComparison } from './markdown.ts';

/** The formats of a comparison by their names in `--report`. */
export const comparisonFormats: Readonly<Record<string, (comparison: Comparison) => string>> = {
  json: (comparison) => `${JSON.stringify(withoutReports(comparison), null, 2)}\n`,
  markdown: markdownComparison,
  html: htmlComparison,
};

/** The comparison with the names of its reports in place of the reports. */
function withoutReports({ reports, ...comparison }: Comparison) {
  return {
    reports: reports.map(({ name, report: { target, startedAt } }) => ({ name, target, startedAt })),
    ...comparison,
  };
}
