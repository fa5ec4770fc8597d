import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { CheckReport } from '../../run/report.ts';
import type { Verdict } from '../../run/verdict.ts';
import { type Markup, type MarkupValue, markup } from '../markup.ts';

/** Verdicts from what asks for attention first to what asks for none, with their marks and what they are called. */
export const verdicts: Readonly<Record<Verdict, { mark: string; name: string }>> = {
  failed: { mark: '✗', name: 'failed' },
  inconclusive: { mark: '?', name: 'inconclusive' },
  warned: { mark: '!', name: 'warned' },
  passed: { mark: '✓', name: 'passed' },
  observed: { mark: '◦', name: 'observed' },
  skipped: { mark: '–', name: 'skipped' },
};

export const verdictNames: readonly Verdict[] = ['failed', 'inconclusive', 'warned', 'passed', 'observed', 'skipped'];

/** A verdict, to be seen and heard. */
export function badge(verdict: Verdict): Markup {
  const { mark, name } = verdicts[verdict];
  return markup`<span class="badge ${verdict}"><span aria-hidden="true">${mark}</span> ${name}</span>`;
}

/** What the filter looks at. */
export function filterable({ verdict, area, level }: Pick<CheckReport, 'verdict' | 'area' | 'level'>): Markup {
  return markup`data-verdict="${verdict}" data-area="${area}" data-level="${level}"`;
}

/** A reference to a check on this page. */
export function checkLink(id: string, verdict: Verdict): Markup {
  return markup`<a class="check-link ${verdict}" href="#check-${id}"><span aria-hidden="true">${verdicts[verdict].mark}</span> ${id}<span class="unseen"> (${verdict})</span></a>`;
}

/** A text of the contract's catalogues, in which backticks mean code. */
export function prose(text: string): MarkupValue {
  return text.split('`').map((part, index) => (index % 2 === 1 ? markup`<code>${part}</code>` : part));
}

/** A text that a script can copy. */
export function command(text: string, label: string): Markup {
  return markup`<div class="command"><pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre><button type="button" data-copy hidden><span aria-live="polite">Copy</span><span class="unseen"> ${label}</span></button></div>`;
}

/** Bars in proportion to how often each verdict occurs. */
export function bar(counts: Readonly<Record<Verdict, number>>): Markup {
  const total = verdictNames.reduce((sum, verdict) => sum + counts[verdict], 0) || 1;
  let at = 0;
  const parts = verdictNames.map((verdict) => {
    const width = (counts[verdict] / total) * 1000;
    at += width;
    return (
      width > 0 &&
      markup`<rect class="${verdict}" x="${(at - width).toFixed(1)}" width="${width.toFixed(1)}" height="8"/>`
    );
  });
  return markup`<svg class="bar" viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>`;
}

/** The verdicts that occur, with their numbers, in words. */
export function countsInWords(counts: Readonly<Record<Verdict, number>>): string {
  return verdictNames
    .filter((verdict) => counts[verdict] > 0)
    .map((verdict) => `${counts[verdict]} ${verdict}`)
    .join(', ');
}

/** A file that becomes part of the page, with the hash by which the page's policy lets it in. */
export function asset(name: string): { text: string; hash: string } {
  const text = readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');
  return { text, hash: `sha256-${createHash('sha256').update(text).digest('base64')}` };
}
