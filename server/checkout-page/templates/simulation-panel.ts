import type { PageView } from '../view/page-view.ts';
import type { SimulatedAct } from '../view/simulation.ts';
import { type Html, html } from './html.ts';
import { form } from './parts.ts';

/** The sandbox's panel, which simulates events outside the page. Production has no panel. */
export function simulationPanel({ path, simulation }: PageView, token: string): Html {
  if (!simulation) return html``;
  const { note, acts } = simulation;
  const [payments, waits] = [acts.filter((act) => 'events' in act), acts.filter((act) => 'advanceSeconds' in act)];
  return html`<section class="simulation" aria-labelledby="simulation-title">
    <h2 id="simulation-title">Sandbox: simulate what happens</h2>
    <p class="note">${note} Time passes for all of the merchant's orders.</p>
    ${form({ action: `${path}/simulation`, token }, html`${group(payments)}${group(waits)}`)}
  </section>`;
}

function group(acts: readonly SimulatedAct[]): Html {
  if (acts.length === 0) return html``;
  return html`<p class="acts">${acts.map(({ name, label }) => html`<button class="button sandbox" name="act" value="${name}">${label}</button>`)}</p>`;
}
