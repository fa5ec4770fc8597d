import encodeQR from 'qr';
import { type Html, html } from './html.ts';

/** The number of light modules around the code, which readers need. */
const quietZone = 4;

/** A QR code as SVG, always dark on light. `label` is the text for screen readers. */
export function qrCode(text: string, label: string): Html {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: quietZone });
  const runs = modules.flatMap((row, y) => runsOf(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`));
  return html`<svg class="qr-code" role="img" aria-label="${label}" viewBox="0 0 ${modules.length} ${modules.length}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${modules.length}v${modules.length}H0z"/><path fill="#000" d="${runs.join('')}"/></svg>`;
}

/** The start and the length of each run of dark modules in a row. */
function runsOf(row: readonly boolean[]): [start: number, length: number][] {
  const runs: [number, number][] = [];
  row.forEach((dark, x) => {
    const last = runs.at(-1);
    if (!dark) return;
    if (last && last[0] + last[1] === x) last[1] += 1;
    else runs.push([x, 1]);
  });
  return runs;
}
