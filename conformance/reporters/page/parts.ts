import { createHash } from 'node:crypto';
import { packageFile } from '../../../generated/package-file.ts';
import type { CheckReport } from '../../run/report.ts';
import { type Verdict, worstFirst } from '../../run/verdict.ts';
import { type Markup, type MarkupValue, markup } from '../markup.ts';

const marks: Readonly<Record<Verdict, string>> = {
  failed: '✗',
  inconclusive: '?',
  warned: '!',
  passed: '✓',
  observed: '◦',
  skipped: '–',
};

/** A verdict as a mark and as a word. Screen readers read the word alone. */
export function badge(verdict: Verdict): Markup {
  return markup`<span class="badge ${verdict}"><span aria-hidden="true">${marks[verdict]}</span> ${verdict}</span>`;
}

/** The attributes that the filter of the page reads. */
export function filterable({ verdict, area, level }: Pick<CheckReport, 'verdict' | 'area' | 'level'>): Markup {
  return markup`data-verdict="${verdict}" data-area="${area}" data-level="${level}"`;
}

/** A link to a check on this page. */
export function checkLink(id: string, verdict: Verdict): Markup {
  return markup`<a class="check-link ${verdict}" href="#check-${id}"><span aria-hidden="true">${marks[verdict]}</span> ${id}<span class="unseen"> (${verdict})</span></a>`;
}

/** A text of the contract's catalogue. Backticks in it mean code. */
export function prose(text: string): MarkupValue {
  return text.split('`').map((part, index) => (index % 2 === 1 ? markup`<code>${part}</code>` : part));
}

/** A block of text with a button that copies it. */
export function command(text: string, label: string): Markup {
  return markup`<div class="command"><pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre><button type="button" data-copy hidden><span aria-live="polite">Copy</span><span class="unseen"> ${label}</span></button></div>`;
}

/** A bar whose parts are as long as the share of each verdict. */
export function bar(counts: Readonly<Record<Verdict, number>>): Markup {
  const total = worstFirst.reduce((sum, verdict) => sum + counts[verdict], 0) || 1;
  let at = 0;
  const parts = worstFirst.map((verdict) => {
    const width = (counts[verdict] / total) * 1000;
    at += width;
    return (
      width > 0 &&
      markup`<rect class="${verdict}" x="${(at - width).toFixed(1)}" width="${width.toFixed(1)}" height="8"/>`
    );
  });
  return markup`<svg class="bar" viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>`;
}

/** The number of each verdict that occurs, such as `1 failed, 20 passed`. */
export function countsInWords(counts: Readonly<Record<Verdict, number>>): string {
  return worstFirst
    .filter((verdict) => counts[verdict] > 0)
    .map((verdict) => `${counts[verdict]} ${verdict}`)
    .join(', ');
}

/** The text of a file that becomes part of the page, and its hash for the page's Content-Security-Policy. */
export function asset(name: 'report.css' | 'report.js'): { text: string; hash: string } {
  const text = packageFile(`conformance/reporters/page/assets/${name}`);
  return { text, hash: `sha256-${createHash('sha256').update(text).digest('base64')}` };
}
