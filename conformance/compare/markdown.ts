import { code, inline } from '../reporters/markdown-text.ts';
import { byRequirement, type Change } from './changes.ts';
import type { Comparison } from './comparison.ts';
import { headings, movement, sentenceOf, summaryOf } from './words.ts';

/** The most changes of a kind that are listed one by one: a pull request's comment is read, not searched. */
const mostListed = 40;

/** The comparison as Markdown, for a pull request. */
export function markdownComparison(comparison: Comparison): string {
  const names = comparison.reports.map(({ name, report }) => `${code(name)} (${inline(report.outcome)})`);
  const head = `## Assay: ${inline(summaryOf(comparison))}\n\n${names.join(comparison.kind === 'changes' ? ' → ' : ' · ')}\n`;
  const sections =
    comparison.kind === 'changes'
      ? headings.map(([kind, heading]) =>
          changesOf(
            heading,
            comparison.changes.filter((change) => change.kind === kind),
          ),
        )
      : [requirementsOf(comparison)];
  return [head, ...sections, openPointsOf(comparison)].filter((part) => part !== '').join('\n');
}

function changesOf(heading: string, changes: readonly Change[]): string {
  if (changes.length === 0) return '';
  const lines = byRequirement(changes.slice(0, mostListed)).flatMap(({ requirement, changes: of }) => [
    `- **${inline(requirement)}** ${inline(sentenceOf(requirement))}`,
    ...of.map((change) => `  - ${code(change.id)}: ${movement(change)}${detail(change)}`),
  ]);
  const left = changes.length - mostListed;
  return `### ${heading}\n\n${[...lines, ...(left > 0 ? [`- and ${left} more`] : [])].join('\n')}\n`;
}

function detail({ kind, expected, actual }: Change): string {
  if (kind !== 'worse' || expected === undefined) return '';
  return `; expected ${code(expected)}${actual === undefined ? '' : `, actual ${code(actual)}`}`;
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

function requirementsOf({ reports, matrix }: Comparison): string {
  if (matrix.requirements.length === 0) return '';
  const lines = matrix.requirements.map(({ id, level, verdicts }) =>
    row([code(id), level, ...verdicts.map((verdict) => verdict ?? 'not judged')]),
  );
  const names = reports.map(({ name }) => inline(name));
  const head = [row(['Requirement', 'Level', ...names]), row(['---', '---', ...names.map(() => '---')])];
  return `### Requirements that differ\n\n${[...head, ...lines].join('\n')}\n`;
}

function openPointsOf({ kind, reports, matrix }: Comparison): string {
  const { different, reliable } = matrix;
  const names = reports.map(({ name }) => inline(name));
  const head = [row(['Open point', ...names]), row(['---', ...names.map(() => '---')])];
  const lines = different.map(({ id, values }) =>
    row([code(id), ...values.map((each) => each.map(code).join(', ') || 'not observed')]),
  );
  const parts = [
    ...(lines.length > 0 ? [`### Open points decided differently\n\n${[...head, ...lines].join('\n')}\n`] : []),
    ...(kind === 'matrix' && reliable.length > 0
      ? [
          `### What a client may rely on at all of them\n\n${reliable.map(({ id, value }) => `- ${code(id)}: ${code(value)}`).join('\n')}\n`,
        ]
      : []),
  ];
  return parts.join('\n');
}
