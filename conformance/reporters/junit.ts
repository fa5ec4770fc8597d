import type { CheckReport, Report } from '../run/report.ts';
import { notRunText, scopeText } from '../run/scope.ts';
import { printable } from '../text/printable.ts';
import { againCommand } from './again.ts';
import { brokenSentence } from './broken-sentence.ts';
import { byItselfText } from './by-itself.ts';
import { countsOf, fixFirst } from './causes/cause.ts';
import { causesOf } from './causes/index.ts';
import { requestText, responseText, shownExchange } from './exchange-text.ts';
import { type Markup, markup } from './markup.ts';
import { wholeRunOf } from './whole-run.ts';

/** The report as JUnit XML: a suite for each area, and a test case for each check with the check's id as its name. */
export function junitReport(report: Report): string {
  const areas = [...new Set(report.checks.map(({ area }) => area))];
  const properties = propertiesOf(report);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${markup`<testsuites name="assay" ${totals(report.checks)} time="${seconds(report.durationMs)}">
${areas.map((area) => suite(report, area, properties))}</testsuites>
`}`;
}

function suite(report: Report, area: string, properties: Markup): Markup {
  const checks = report.checks.filter((check) => check.area === area);
  const time = checks.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const started = report.startedAt.slice(0, 19);
  return markup`  <testsuite name="assay.${area}" ${totals(checks)} time="${seconds(time)}" timestamp="${started}">
    <properties>
${properties}    </properties>
${checks.map((check) => testCase(report, check))}  </testsuite>
`;
}

/** The properties of each suite. They tell of the whole run, for which JUnit has no place of its own. */
function propertiesOf(report: Report): Markup {
  const causes = causesOf(report);
  const cause = fixFirst(causes);
  const fault = cause && `${cause.text} (${countsOf(cause)})`;
  const { comesFirst, sentences, slowness } = wholeRunOf(report, causes);
  const wholeRun = sentences.length > 0 ? sentences.join(' ') : undefined;
  const notRun = notRunText(report.stopped);
  const properties = {
    target: printable(report.target),
    outcome: report.outcome,
    scope: scopeText(report.scope),
    seed: report.seed,
    ...(comesFirst
      ? { 'fix-first': `${wholeRun} Findings may come from it.`, 'fix-then': fault }
      : { 'whole-run': wholeRun, 'fix-first': fault }),
    slowness: slowness[0],
    stopped: notRun && printable(notRun),
  };
  const lines = Object.entries(properties).map(
    ([name, value]) =>
      value !== undefined &&
      markup`      <property name="${name}" value="${value}"/>
`,
  );
  return markup`${lines}`;
}

function totals(checks: readonly CheckReport[]): Markup {
  const count = (wanted: string) => checks.filter(({ verdict }) => verdict === wanted).length;
  return markup`tests="${checks.length}" failures="${count('failed')}" errors="${count('inconclusive')}" skipped="${count('skipped')}"`;
}

function testCase(report: Report, check: CheckReport): Markup {
  const { id, area, durationMs } = check;
  return markup`    <testcase name="${id}" classname="assay.${area}" time="${seconds(durationMs)}">${outcome(report, check)}</testcase>
`;
}

/** The content of a test case. Neither a warning nor the finding of a check that is too new to count is a failure, so it stands in the output of its test case. */
function outcome(report: Report, check: CheckReport): Markup | undefined {
  const { verdict, level, reason, news } = check;
  if (verdict === 'failed') {
    return markup`<failure type="${level}" message="${headline(check)}">${finding(report, check)}</failure>`;
  }
  if (verdict === 'inconclusive') {
    return markup`<error type="inconclusive" message="${printable(reason ?? '')}">${finding(report, check)}</error>`;
  }
  if (verdict === 'skipped') return markup`<skipped message="${printable(reason ?? '')}"/>`;
  if (verdict === 'warned' || (news && ['failed', 'warned'].includes(news.verdict)))
    return markup`<system-out>${finding(report, check)}</system-out>`;
  return undefined;
}

/** The broken sentence of the contract in one line. Without such a sentence, the message of the check. */
function headline(check: CheckReport): string {
  const known = check.baseline ? `known (${check.baseline.reason}): ` : '';
  const sentence = brokenSentence(check);
  return printable(`${known}${sentence ? `${sentence.id}: ${sentence.text}` : (check.message ?? check.title)}`);
}

function finding(report: Report, check: CheckReport): string {
  const { title, reason, expected, actual, news } = check;
  const { level, verdict } = news ?? check;
  const exchange = shownExchange(check);
  const sentence = brokenSentence(check);
  const alone = byItselfText([check]);
  const blocks = [
    `${level} ${verdict}: ${title}${news ? '; it is newer than the suite that judges, and does not count' : ''}`,
    ...(sentence ? [`${sentence.id}${sentence.file ? ` (${sentence.file})` : ''}\n${sentence.text}`] : []),
    ...(reason === null ? [] : [`no verdict: ${reason}`]),
    ...(expected === null ? [] : [`expected: ${expected}\n  actual: ${actual}`]),
    ...(exchange ? [requestText(exchange), responseText(exchange)] : []),
    ...(alone === undefined ? [] : [`alone: ${alone}`]),
    `again: ${againCommand(report, check)}`,
  ];
  return `\n${blocks.join('\n\n')}\n`;
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);
