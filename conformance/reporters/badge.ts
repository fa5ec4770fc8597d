import type { Report } from '../run/report.ts';
import { headline } from '../run/scope.ts';
import { markup } from './markup.ts';

const colours: Readonly<Record<Report['outcome'], string>> = {
  conformant: '#1a7f37',
  'non-conformant': '#cf222e',
  incomplete: '#9a6700',
};

/** How wide a character of the badge's font is on average, in pixels. */
const characterWidth = 6.6;

/** The room at both ends of a text, in pixels. */
const padding = 12;

/** The outcome of a run as a badge, SVG. It says the outcome with its scope and numbers, and nothing more. */
export function badgeReport({ outcome, scope, summary }: Report): string {
  const left = 'assay';
  const failures = summary.failed > 0 ? `; ${summary.failed} failed` : '';
  const right = `${headline(outcome, scope)}${failures}`;
  const widthOf = (text: string) => Math.round(text.length * characterWidth + padding);
  const [first, second] = [widthOf(left), widthOf(right)];
  return `${markup`<svg xmlns="http://www.w3.org/2000/svg" width="${first + second}" height="20" role="img" aria-label="${left}: ${right}">
<title>${left}: ${right}</title>
<rect width="${first}" height="20" fill="#424a53"/>
<rect x="${first}" width="${second}" height="20" fill="${colours[outcome]}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
<text x="${first / 2}" y="14">${left}</text>
<text x="${first + second / 2}" y="14">${right}</text>
</g>
</svg>
`}`;
}
