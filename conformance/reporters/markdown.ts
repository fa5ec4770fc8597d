import { counted } from '../contract/counted.ts';
import type { CheckReport, Report } from '../run/report.ts';
import { cutBodiesText, notRunText, scopeText } from '../run/scope.ts';
import { type Verdict, worstFirst } from '../run/verdict.ts';
import { printableLines } from '../text/printable.ts';
import { againCommand } from './again.ts';
import { brokenSentence } from './broken-sentence.ts';
import { byItselfText } from './by-itself.ts';
import { type Cause, countsOf } from './causes/cause.ts';
import { causesOf } from './causes/index.ts';
import { requestText, responseText, shownExchange } from './exchange-text.ts';
import { code, inline } from './markdown-text.ts';
import { newsText } from './news.ts';
import { skippedByReason } from './skipped.ts';
import { inTheWholeRun, wholeRunOf } from './whole-run.ts';

/** The largest job summary that GitHub takes, in bytes, with room for the last line when not all findings fit. */
const largest = 1024 * 1024 - 4096;

/** The text of an exchange is cut at this many characters. The other reports have it whole. */
const longestText = 3000;

/** The report as Markdown for a job summary: outcome, counts, and findings with the commands that repeat them. */
export function markdownReport(report: Report): string {
  const of = (...verdicts: Verdict[]) => report.checks.filter(({ verdict }) => verdicts.includes(verdict));
  const causes = causesOf(report);
  const wholeRun = wholeRunOf(report, causes);
  const blocks = [
    ...wholeRun.slowness.map((sentence) => `**${inTheWholeRun}:** ${inline(sentence)}\n`),
    ...wholeRun.sentences.map((sentence) => `**${wholeRun.label}:** ${inline(sentence)}\n`),
    causeList(report, causes, wholeRun.comesFirst ? 'Then fix' : 'Fix first'),
    ...of('failed').map((check) => finding(report, check)),
    ...of('inconclusive').map((check) => finding(report, check)),
    ...of('warned').map((check) => finding(report, check)),
    skipped(report),
  ].filter((block) => block !== '');

  let text = head(report);
  let bytes = Buffer.byteLength(text);
  for (const [index, block] of blocks.entries()) {
    bytes += Buffer.byteLength(`\n${block}`);
    if (bytes > largest) {
      return `${text}\n**${blocks.length - index} more** do not fit into this summary; they stand in the other reports.\n`;
    }
    text += `\n${block}`;
  }
  return text;
}

const marks: Readonly<Record<Report['outcome'], string>> = {
  conformant: '✅',
  'non-conformant': '❌',
  incomplete: '⚠️',
};

function head(report: Report): string {
  const { outcome, scope, cutBodies, stopped, target, checks, durationMs, seed, suite } = report;
  const facts = [
    scopeText(scope),
    ...[cutBodiesText(cutBodies) ?? []].flat(),
    ...[newsText(report) ?? []].flat(),
    ...[notRunText(stopped) ?? []].flat().map(code),
    `${counted(checks.length, 'check')} against ${code(target)} in ${(durationMs / 1000).toFixed(1)} s`,
    `Assay ${suite.version}, contract ${suite.contractVersion}, seed ${seed}`,
  ];
  return `## ${marks[outcome]} Assay: ${outcome}\n\n${facts.join(' · ')}\n\n${table(report)}\n`;
}

/** How many checks of each area have each verdict. */
function table({ checks, summary }: Report): string {
  const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  const areas = [...new Set(checks.map(({ area }) => area))];
  const count = (area: string, verdict: Verdict) =>
    checks.filter((check) => check.area === area && check.verdict === verdict).length;
  return [
    row(['Area', ...worstFirst]),
    row(['---', ...worstFirst.map(() => '--:')]),
    ...areas.map((area) => row([area, ...worstFirst.map((verdict) => count(area, verdict) || '')])),
    row(['**all**', ...worstFirst.map((verdict) => `**${summary[verdict]}**`)]),
  ].join('\n');
}

/** The causes that are listed; the others stand in the HTML report. */
const mostCauses = 20;

/** The findings by what they have in common. */
function causeList(report: Report, all: readonly Cause[], heading: string): string {
  if (all.length === 0) return '';
  const items = all
    .slice(0, mostCauses)
    .map((cause) => `1. ${inline(cause.text)} (${countsOf(cause)}): ${code(againCommand(report, cause.shownBy))}`);
  const left = all.length - items.length;
  const rest = left > 0 ? [`${left} more ${left === 1 ? 'cause stands' : 'causes stand'} in the HTML report.`] : [];
  return `### ${heading}\n\n${[...items, ...rest].join('\n')}\n`;
}

/** A failed, warned or inconclusive check. */
function finding(report: Report, check: CheckReport): string {
  const { id, level, verdict, title, reason, expected, actual, baseline } = check;
  const sentence = brokenSentence(check);
  const alone = byItselfText([check]);
  const blocks = [
    `### ${verdict}: \`${id}\``,
    `${inline(title)} (${level})${baseline ? ` — known: ${inline(baseline.reason)}` : ''}`,
    ...(sentence ? [`> **${sentence.id}** ${inline(sentence.text)}`] : []),
    ...(reason === null ? [] : [fence(`no verdict: ${reason}`)]),
    ...(expected === null ? [] : [fence(`expected: ${expected}\n  actual: ${actual}`)]),
    ...(alone === undefined ? [] : [inline(`${alone}.`)]),
    fence(againCommand(report, check), 'sh'),
    ...exchange(check),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function exchange(check: CheckReport): string[] {
  const shown = shownExchange(check);
  if (!shown) return [];
  const number = check.exchanges.indexOf(shown) + 1;
  const summary = `<details><summary>Exchange ${number} of ${check.exchanges.length}</summary>`;
  return [summary, fence(requestText(shown)), fence(responseText(shown)), '</details>'];
}

function skipped(report: Report): string {
  const groups = skippedByReason(report);
  if (groups.length === 0) return '';
  const lines = groups.map(
    ({ reason, checks }) => `- ${inline(reason)}: ${checks.map(({ id }) => `\`${id}\``).join(', ')}`,
  );
  return `<details><summary>${report.summary.skipped} skipped</summary>\n\n${lines.join('\n')}\n\n</details>\n`;
}

/** A code block. Its fence is longer than every run of backticks inside, so that nothing inside counts as markup. */
function fence(text: string, language = ''): string {
  const shown = printableLines(text);
  const cut = shown.length > longestText ? `${shown.slice(0, longestText)}… (cut)` : shown;
  const longest = Math.max(2, ...[...cut.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}${language}\n${cut}\n${marks}`;
}
