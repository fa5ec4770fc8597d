import { counted } from '../contract/counted.ts';
import { isObject } from '../contract/json.ts';
import type { CheckReport, Report } from '../run/report.ts';
import { cutBodiesText, declaration, headline, notRunText, type Scope, scopeAreas } from '../run/scope.ts';
import { type Verdict, worst } from '../run/verdict.ts';
import { coloursFor } from '../text/colours.ts';
import { printable } from '../text/printable.ts';
import { shorten } from '../text/shorten.ts';
import { againCommand, doctorCommand } from './again.ts';
import { brokenSentence } from './broken-sentence.ts';
import { byItselfText } from './by-itself.ts';
import { type Cause, countsOf, fixFirst } from './causes/cause.ts';
import { causesOf } from './causes/index.ts';
import { decisive, requestTitle } from './exchange-text.ts';
import { newsText } from './news.ts';
import { skippedByReason } from './skipped.ts';
import { inTheWholeRun, wholeRunOf } from './whole-run.ts';

// The summary goes to stderr.
const pc = coloursFor(process.stderr);

const marks: Record<Verdict, string> = {
  passed: pc.green('✓'),
  failed: pc.red('✗'),
  warned: pc.yellow('!'),
  observed: pc.cyan('·'),
  skipped: pc.dim('-'),
  inconclusive: pc.magenta('?'),
};

/** How many lines a summary has at most, so that it fits on one screen of 40 lines with what stands before it and remarks after it. */
const screen = 35;

/** If there are no more findings than this, all of them are shown in full. */
const fewFindings = 3;

/** How many reasons for skipped checks are shown, of those that hold for most checks. */
const mostReasons = 5;

/** The longest text of a check in the list of causes, in characters. */
const longestText = 160;

/**
 * The summary for a person at the end of a run: findings by their causes, skipped checks, counts, what to fix first, and the outcome with its
 * scope. It fits on one screen; `verbose` shows every finding, every reason and every open point instead.
 */
export function textSummary(report: Report, { verbose = false }: { verbose?: boolean } = {}): string {
  const causes = causesOf(report);
  const findings = causes.reduce((sum, { checks }) => sum + checks.length, 0);
  const whole = verbose || findings <= fewFindings;
  const after = [
    verbose ? skippedLines(report) : shortened(skippedLines(report), mostReasons, 'further reasons'),
    verbose ? openPointLines(report) : openPointCount(report),
    // Where all requests are treated alike, what the target lacks is not known yet.
    fixFirst(causes)?.everything ? [] : declarationLines(report),
    outcomeLines(report, causes),
  ].filter((lines) => lines.length > 0);
  // An empty line stands before all of it, and before each part.
  const left = screen - 1 - after.reduce((sum, lines) => sum + lines.length + 1, 0);
  const before = whole ? findingsInFull(report) : [causeLines(causes, report, left)];
  return `\n${[...before, ...after].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function findingsInFull(report: Report): string[][] {
  const of = (...verdicts: Verdict[]) => report.checks.filter(({ verdict }) => verdicts.includes(verdict));
  return [
    ...of('failed', 'warned').map((check) => finding(check, report)),
    ...of('inconclusive').map((check) => [
      heading(check),
      `    no verdict: ${printable(check.reason ?? '')}`,
      `    again:    ${againCommand(report, check)}`,
    ]),
  ];
}

/** The causes, as many as there is room for. */
function causeLines(causes: readonly Cause[], report: Report, room: number): string[] {
  const lines = causes.map((cause) => linesOf(cause, report));
  const fits = (count: number) => lines.slice(0, count).flat().length <= room - 2;
  const shown = causes.slice(0, Math.max(1, causes.findLastIndex((_, index) => fits(index + 1)) + 1));
  const others = causes.slice(shown.length);
  const checks = others.reduce((sum, cause) => sum + cause.checks.length, 0);
  return [
    ...lines.slice(0, shown.length).flat(),
    ...(others.length > 0 ? [`${counted(others.length, 'more cause')}, of ${counted(checks, 'check')}`] : []),
    pc.dim('Every check stands in the JSON and HTML reports, and here with --verbose.'),
  ];
}

function linesOf(cause: Cause, report: Report): string[] {
  const { checks, text, shownBy } = cause;
  const alone = byItselfText(checks);
  return [
    `${marks[worst(checks.map(({ verdict }) => verdict))]} ${pc.bold(text)}`,
    `    ${countsOf(cause)}; ${shownBy.id}: ${gistOf(shownBy)}`,
    ...(alone === undefined ? [] : [`    alone: ${alone}`]),
    `    again: ${againCommand(report, shownBy)}`,
  ];
}

/** What is wrong with a check, on one line. What is expected has half of it at least, because what is there may be a whole body. */
function gistOf({ reason, expected, actual }: CheckReport): string {
  if (reason !== null) return shorten(printable(reason), longestText);
  const between = '; expected: ';
  const room = longestText - between.length;
  const [due, given] = [printable(expected ?? ''), printable(actual ?? '')];
  const shownDue = shorten(due, Math.max(room - given.length, Math.floor(room / 2)));
  return `${shorten(given, room - shownDue.length)}${between}${shownDue}`;
}

function shortened(lines: readonly string[], most: number, rest: string): string[] {
  return lines.length <= most ? [...lines] : [...lines.slice(0, most), `  ${lines.length - most} ${rest}`];
}

function heading({ verdict, id, level, title, area }: CheckReport): string {
  return `${marks[verdict]} ${pc.bold(id)}  ${level}  ${title}  ${pc.dim(`[${area}]`)}`;
}

/** A broken requirement: the exchange that shows it, the expected and the actual value, the sentence of the contract, and the command that repeats the check. */
function finding(check: CheckReport, report: Report): string[] {
  const { exchanges, decisiveExchange, expected, actual } = check;
  const exchange = decisive(check);
  const shown = exchange && requestTitle(exchange);
  const requirement = brokenSentence(check);
  const alone = byItselfText([check]);
  return [
    heading(check),
    ...(shown ? [`    ${shown}        exchange ${decisiveExchange} of ${exchanges.length}`] : []),
    `    expected: ${printable(expected ?? '')}`,
    `      actual: ${printable(actual ?? '')}`,
    ...(alone === undefined ? [] : [`       alone: ${alone}`]),
    ...(check.baseline ? [`       known: ${check.baseline.reason}`] : []),
    ...(requirement
      ? [
          `    contract: ${requirement.id}${requirement.file ? ` (${requirement.file})` : ''}`,
          `              ${requirement.text}`,
        ]
      : []),
    `    again:    ${againCommand(report, check)}`,
  ];
}

function skippedLines(report: Report): string[] {
  return skippedByReason(report)
    .toSorted((one, other) => other.checks.length - one.checks.length)
    .map(({ reason, checks }) => `${marks.skipped} ${checks.length} skipped: ${printable(reason)}`);
}

const observedPoints = ({ openPoints }: Report) => openPoints.filter(({ observed }) => observed.length > 0);

/** The behaviour of the target at each open point, one line each. */
function openPointLines(report: Report): string[] {
  const lines = observedPoints(report).map(({ id, observed, pinned }) => {
    const values = [...new Set(observed.flatMap(({ value }) => value ?? []))];
    const what =
      values.length > 0 ? values.join(', ') : `${counted(observed.length, 'observation')} (see the JSON report)`;
    return `  ${id}: ${what}${pinned === null ? '' : pc.dim(` (pinned to ${pinned})`)}`;
  });
  return lines.length > 0 ? ['Open points, as this target decides them:', ...lines] : [];
}

function openPointCount(report: Report): string[] {
  const { length } = observedPoints(report);
  if (length === 0) return [];
  return [
    `${counted(length, 'open point was', 'open points were')} observed; the answers stand in the JSON and HTML reports, and here with --verbose.`,
  ];
}

function declarationLines({ scope }: Report): string[] {
  const line = declaration(scope);
  if (line === undefined) return [];
  return ['To leave out on purpose what this target cannot offer, declare in the configuration:', `  ${line}`];
}

function outcomeLines(report: Report, causes: readonly Cause[]): string[] {
  const { outcome, scope, summary, cutBodies, stopped, checks, durationMs, seed, target } = report;
  const colour = { conformant: pc.green, 'non-conformant': pc.red, incomplete: pc.yellow }[outcome];
  const known = checks.filter(({ baseline }) => baseline).length;
  const counts = (Object.entries(summary) as [Verdict, number][])
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${count} ${verdict}${verdict === 'failed' && known > 0 ? ` (${known} known)` : ''}`);
  const seconds = (durationMs / 1000).toFixed(1);
  const first = fixFirst(causes);
  const wholeRun = wholeRunOf(report, causes);
  // Of a conformant run only checks of what the contract recommends have no verdict.
  const then = outcome === 'conformant' ? 'Left open' : wholeRun.comesFirst ? 'Then' : 'Fix first';
  const alone = byItselfText(checks);
  return [
    ...[cutBodiesText(cutBodies) ?? []].flat(),
    ...[newsText(report) ?? []].flat(),
    ...[notRunText(stopped) ?? []].flat().map(printable),
    `${counts.join(', ')} of ${counted(checks.length, 'check')} against ${target} in ${seconds} s (seed ${seed})`,
    ...(alone === undefined ? [] : [`Not each time: ${alone}.`]),
    ...wholeRun.slowness.map((sentence) => `${inTheWholeRun}: ${sentence}`),
    ...wholeRun.sentences.map((sentence) => `${wholeRun.label}: ${sentence}`),
    ...(first
      ? [`${then}: ${first.text.replace(/\.$/, '')} (${waitingFor(first, causes)}). ${nextCommand(report, first)}`]
      : []),
    ...(isOnlyFiltered(report) ? [filteredText(scope)] : []),
    colour(pc.bold(headline(outcome, scope))),
  ];
}

/** True when flags of the command left checks out, and nothing else keeps the run from being complete. */
function isOnlyFiltered({ outcome, summary, scope, stopped, configuration: { flags } }: Report): boolean {
  const isFiltered = isObject(flags) && ['area', 'check', 'lastFailed'].some((flag) => flags[flag] !== undefined);
  const isWhole = summary.inconclusive === 0 && scope.undeclared.length === 0 && stopped === undefined;
  return outcome === 'incomplete' && isFiltered && isWhole;
}

/** Why a run in which nothing is wrong is not complete, and how to declare that the target has no more than it judged. */
function filteredText({ areas }: Scope): string {
  const declared =
    areas.length < scopeAreas.length ? `; if the target has no other area, configure areas: [${areas.join(', ')}]` : '';
  return `Nothing failed. A run of selected checks is never conformant: run all of them for that${declared}.`;
}

/** The command that shows more of a cause: the examination of the target where nothing gets through, or else the check that shows the cause. */
function nextCommand(report: Report, { onTheWay, shownBy }: Cause): string {
  return onTheWay ? doctorCommand(report) : againCommand(report, shownBy);
}

/** How many checks have a cause; where two things have one id, also how many others may be about the wrong one of them. */
function waitingFor({ checks: { length }, confuses }: Cause, causes: readonly Cause[]): string {
  const all = causes.reduce((sum, { checks }) => sum + checks.length, 0);
  if (confuses && all > length) {
    return `found by ${counted(length, 'check')}; what ${counted(all - length, 'other')} found may be about the wrong one`;
  }
  return counted(length, 'check waits for it', 'checks wait for it');
}
