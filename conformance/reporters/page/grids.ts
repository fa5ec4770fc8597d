import { checkoutMachine, type Machine, ordersMachine, refundsMachine } from '../../../generated/catalogue.ts';
import type { Report } from '../../run/report.ts';
import { type Markup, markup } from '../markup.ts';

type Transition = Report['transitions'][number];

const machines: Readonly<Record<Transition['machine'], Machine<string, string>>> = {
  orders: ordersMachine,
  checkout: checkoutMachine,
  refunds: refundsMachine,
};

/** The state machines that checks looked at, each as a grid of states and events with the states seen in each cell. */
export function gridsSection({ transitions }: Report): Markup | undefined {
  const seen = Object.entries(machines).flatMap(([name, machine]) => {
    const cells = transitions.filter((transition) => transition.machine === name);
    return cells.length > 0 ? [{ machine, cells }] : [];
  });
  if (seen.length === 0) return undefined;
  return markup`<section id="grids" aria-labelledby="grids-title">
<h2 id="grids-title">States and events</h2>
<p class="muted legend"><span class="cell moved">✓ moves</span> <span class="cell stayed">✓ stays, as it must</span> <span class="cell free">◦ not bound by the contract</span> <span class="cell wrong">✗ wrong</span> <span class="cell unlooked">not looked at</span></p>
${seen.map(({ machine, cells }) => grid(machine, cells))}</section>`;
}

function grid({ title, states, events, unreachable }: Machine<string, string>, cells: readonly Transition[]): Markup {
  const rows = Object.entries(states).filter(([state]) => !Object.hasOwn(unreachable, state));
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${title}: states and events"><table class="grid">
<caption>${title}</caption>
<thead><tr><th scope="col">State</th>${events.map((event) => markup`<th scope="col">${event.replaceAll('_', ' ')}</th>`)}</tr></thead>
<tbody>
${rows.map(
  ([state, { meaning, final }]) =>
    markup`<tr><th scope="row"><span class="state" title="${meaning}">${state}</span>${final && markup` <span class="final">final</span>`}</th>${events.map(
      (event) => cell(cells.filter((each) => each.from === state && each.event === event)),
    )}</tr>
`,
)}</tbody>
</table></div>
`;
}

/** One cell of a grid. It holds several transitions when a move depends on the amount paid. */
function cell(seen: readonly Transition[]): Markup {
  if (seen.length === 0) return markup`<td class="cell unlooked"><span class="unseen">not looked at</span></td>`;
  const worst = seen.find((each) => kindOf(each) === 'wrong') ?? seen[0];
  return markup`<td class="cell ${worst && kindOf(worst)}">${seen.map(look)}</td>`;
}

function kindOf({ from, expected, seen, free }: Transition): 'wrong' | 'free' | 'stayed' | 'moved' {
  if (free) return 'free';
  if (seen !== expected) return 'wrong';
  return expected === from ? 'stayed' : 'moved';
}

function look(transition: Transition): Markup {
  const { check, from, expected, seen } = transition;
  const kind = kindOf(transition);
  const mark = { wrong: '✗', free: '◦', stayed: '✓', moved: '✓' }[kind];
  const words = seen === from ? 'stays' : `→ ${seen}`;
  const wanted = expected === from ? 'must stay' : `must become ${expected}`;
  return markup`<a class="look" href="#check-${check}">${mark} ${words}${kind === 'wrong' && markup`<span class="wanted">${wanted}</span>`}</a>`;
}
