import { type CheckReport, countVerdicts, type Report } from '../run/report.ts';
import { cutBodiesText, declaration, headline } from '../run/scope.ts';
import type { CheckResult, Verdict } from '../run/verdict.ts';
import { coloursFor } from '../text/colours.ts';
import { printable } from '../text/printable.ts';
import { againCommand } from './again.ts';
import { brokenSentence } from './broken-sentence.ts';
import { decisive, pathOf } from './exchange-text.ts';
import { skippedByReason } from './skipped.ts';

// Progress and summary go to stderr.
const pc = coloursFor(process.stderr);

const marks: Record<Verdict, string> = {
  passed: pc.green('✓'),
  failed: pc.red('✗'),
  warned: pc.yellow('!'),
  observed: pc.cyan('·'),
  skipped: pc.dim('-'),
  inconclusive: pc.magenta('?'),
};

/** The summary for a person at the end of a run: findings with the next step, checks without a verdict, skipped checks, counts. */
export function textSummary(report: Report): string {
  const of = (...verdicts: Verdict[]) => report.checks.filter(({ verdict }) => verdicts.includes(verdict));
  const blocks = [
    ...of('failed', 'warned').map((check) => finding(check, report)),
    ...of('inconclusive').map((check) => `${heading(check)}\n    no verdict: ${printable(check.reason ?? '')}`),
    skippedBlock(report),
    openPointsBlock(report),
    outcomeLine(report),
  ];
  return `\n${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function heading({ verdict, id, level, title, area }: CheckReport): string {
  return `${marks[verdict]} ${pc.bold(id)}  ${level}  ${title}  ${pc.dim(`[${area}]`)}`;
}

/** A broken requirement: the exchange that shows it, the expected and the actual value, the sentence of the contract, and the command that repeats the check. */
function finding(check: CheckReport, report: Report): string {
  const { exchanges, decisiveExchange, expected, actual } = check;
  const exchange = decisive(check);
  const shown = exchange && `${exchange.request.method} ${pathOf(exchange.request.url)}`;
  const requirement = brokenSentence(check);
  return [
    heading(check),
    ...(shown ? [`    ${shown}        exchange ${decisiveExchange} of ${exchanges.length}`] : []),
    `    expected: ${printable(expected ?? '')}`,
    `      actual: ${printable(actual ?? '')}`,
    ...(check.baseline ? [`       known: ${check.baseline.reason}`] : []),
    ...(requirement
      ? [
          `    contract: ${requirement.id}${requirement.file ? ` (${requirement.file})` : ''}`,
          `              ${requirement.text}`,
        ]
      : []),
    `    again:    ${againCommand(report, check.id)}`,
  ].join('\n');
}

function skippedBlock(report: Report): string {
  const lines = skippedByReason(report).map(
    ({ reason, checks }) => `${marks.skipped} ${checks.length} skipped: ${printable(reason)}`,
  );
  return lines.join('\n');
}

/** The behaviour of the target at each open point, one line each. */
function openPointsBlock({ openPoints }: Report): string {
  const seen = openPoints.filter(({ observed }) => observed.length > 0);
  if (seen.length === 0) return '';
  const lines = seen.map(({ id, observed, pinned }) => {
    const values = [...new Set(observed.flatMap(({ value }) => value ?? []))];
    const what = values.length > 0 ? values.join(', ') : `${observed.length} observations (see the JSON report)`;
    return `  ${id}: ${what}${pinned === null ? '' : pc.dim(` (pinned to ${pinned})`)}`;
  });
  return `Open points, as this target decides them:\n${lines.join('\n')}`;
}

function outcomeLine({ outcome, scope, summary, cutBodies, checks, durationMs, seed, target }: Report): string {
  const colour = { conformant: pc.green, 'non-conformant': pc.red, incomplete: pc.yellow }[outcome];
  const known = checks.filter(({ baseline }) => baseline).length;
  const counts = (Object.entries(summary) as [Verdict, number][])
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${count} ${verdict}${verdict === 'failed' && known > 0 ? ` (${known} known)` : ''}`);
  const seconds = (durationMs / 1000).toFixed(1);
  const line = declaration(scope);
  return [
    ...(line === undefined
      ? []
      : [`To leave out on purpose what this target cannot offer, declare in the configuration:\n  ${line}`, '']),
    ...[cutBodiesText(cutBodies) ?? []].flat(),
    `${counts.join(', ')} of ${checks.length} checks against ${target} in ${seconds} s (seed ${seed})`,
    colour(pc.bold(headline(outcome, scope))),
  ].join('\n');
}

/** Shows the progress of a run. A terminal gets one line that is overwritten; any other output gets the findings alone. */
export function textProgress(total: number, output: { write(text: string): unknown; isTTY?: boolean }) {
  const results: CheckResult[] = [];
  const clear = output.isTTY ? '\r\u001b[2K' : '';
  return {
    show(result: CheckResult): void {
      results.push(result);
      const { check, verdict } = result;
      if (verdict === 'failed' || verdict === 'warned' || verdict === 'inconclusive') {
        output.write(`${clear}${marks[verdict]} ${check.id}\n`);
      }
      const { failed } = countVerdicts(results);
      if (output.isTTY)
        output.write(`${clear}${results.length}/${total} checks${failed > 0 ? `, ${failed} failed` : ''}`);
    },
    end(): void {
      output.write(clear);
    },
  };
}
