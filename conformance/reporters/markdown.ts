import type { CheckReport, Report } from '../run/report.ts';
import type { Verdict } from '../run/verdict.ts';
import { printable, printableLines } from '../text/printable.ts';
import { againCommand } from './again.ts';
import { brokenSentence } from './broken-sentence.ts';
import { decisive, requestText, responseText } from './exchange-text.ts';

/** What a job summary of GitHub takes, in bytes, with room for what is said when not all of it fits. */
const largest = 1024 * 1024 - 4096;

/** A text of an exchange is cut at this many characters: the whole of it stands in the other reports. */
const longestText = 3000;

/** The report as Markdown for a job summary: outcome, counts, and what is wrong with how to see it again. */
export function markdownReport(report: Report): string {
  const of = (...verdicts: Verdict[]) => report.checks.filter(({ verdict }) => verdicts.includes(verdict));
  const blocks = [
    ...of('failed').map((check) => finding(report, check)),
    ...of('inconclusive').map((check) => finding(report, check)),
    ...of('warned').map((check) => finding(report, check)),
    skipped(of('skipped')),
  ].filter((block) => block !== '');

  let text = head(report);
  for (const [index, block] of blocks.entries()) {
    if (Buffer.byteLength(text) + Buffer.byteLength(block) > largest) {
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
  const { outcome, target, checks, durationMs, seed, suite } = report;
  const facts = [
    `${checks.length} checks against ${code(target)} in ${(durationMs / 1000).toFixed(1)} s`,
    `Assay ${suite.version}, contract ${suite.contractVersion}, seed ${seed}`,
  ];
  return `## ${marks[outcome]} Assay: ${outcome}\n\n${facts.join(' · ')}\n\n${table(report)}\n`;
}

const columns: readonly Verdict[] = ['failed', 'inconclusive', 'warned', 'passed', 'observed', 'skipped'];

/** How many checks of each area have each verdict. */
function table({ checks, summary }: Report): string {
  const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  const areas = [...new Set(checks.map(({ area }) => area))];
  const count = (area: string, verdict: Verdict) =>
    checks.filter((check) => check.area === area && check.verdict === verdict).length;
  return [
    row(['Area', ...columns]),
    row(['---', ...columns.map(() => '--:')]),
    ...areas.map((area) => row([area, ...columns.map((verdict) => count(area, verdict) || '')])),
    row(['**all**', ...columns.map((verdict) => `**${summary[verdict]}**`)]),
  ].join('\n');
}

/** A check without a verdict, or with one against the target. */
function finding(report: Report, check: CheckReport): string {
  const { id, level, verdict, title, reason, expected, actual, baseline } = check;
  const sentence = brokenSentence(check);
  const blocks = [
    `### ${verdict}: \`${id}\``,
    `${inline(title)} (${level})${baseline ? ` — known: ${inline(baseline.reason)}` : ''}`,
    ...(sentence ? [`> **${sentence.id}** ${inline(sentence.text)}`] : []),
    ...(reason === null ? [] : [fence(`no verdict: ${reason}`)]),
    ...(expected === null ? [] : [fence(`expected: ${expected}\n  actual: ${actual}`)]),
    fence(againCommand(report, id), 'sh'),
    ...exchange(check),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function exchange(check: CheckReport): string[] {
  const shown = decisive(check) ?? (check.verdict === 'inconclusive' ? check.exchanges.at(-1) : undefined);
  if (!shown) return [];
  const number = check.exchanges.indexOf(shown) + 1;
  const summary = `<details><summary>Exchange ${number} of ${check.exchanges.length}</summary>`;
  return [summary, fence(requestText(shown)), fence(responseText(shown)), '</details>'];
}

/** Skipped checks by their reasons, since one reason often stands for many. */
function skipped(checks: readonly CheckReport[]): string {
  const reasons = [...new Set(checks.map(({ reason }) => reason ?? ''))];
  if (reasons.length === 0) return '';
  const lines = reasons.map((reason) => {
    const ids = checks.filter((check) => (check.reason ?? '') === reason).map(({ id }) => `\`${id}\``);
    return `- ${inline(reason)}: ${ids.join(', ')}`;
  });
  return `<details><summary>${checks.length} skipped</summary>\n\n${lines.join('\n')}\n\n</details>\n`;
}

/** A block in which nothing is markup: its fence is longer than any run of backticks inside. */
function fence(text: string, language = ''): string {
  const shown = printableLines(text);
  const cut = shown.length > longestText ? `${shown.slice(0, longestText)}… (cut)` : shown;
  const longest = Math.max(2, ...[...cut.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}${language}\n${cut}\n${marks}`;
}

/** Text on a line of its own words: what could be markup is written as a character reference. */
function inline(text: string): string {
  return printable(text).replace(
    /[^\p{L}\p{M}\p{N} ,.;'"()/-]|(?<=www)\.|^-/giu,
    (character) => `&#${character.codePointAt(0)};`,
  );
}

/** The same in the look of code. */
function code(text: string): string {
  return `<code>${inline(text)}</code>`;
}
