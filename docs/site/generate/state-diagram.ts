import { type AnyMachine, isFree, type Move, machines } from './machines.ts';
import { markup } from './markdown.ts';

const box = { width: 116, height: 40 };
const step = { x: 286, y: 104 };
const margin = { left: 12, top: 58 };
/** The distance between lines that leave or reach one box side by side. */
const apart = 22;

/** The diagrams stand in image files, so the style is in each file. It follows the colour scheme of the page. */
const style = `
text { fill: #3c3c43; font: 13px system-ui, sans-serif; }
.event { font: 12px ui-monospace, monospace; }
.amount { fill: #5f5f66; font-size: 12px; }
rect { fill: #f6f6f7; stroke: #5f5f66; stroke-width: 1.5; }
.final rect { stroke: #3451b2; stroke-width: 2.5; }
path { fill: none; stroke: #5f5f66; stroke-width: 1.5; }
.tip, .start { fill: #5f5f66; stroke: none; }
.free path { stroke-dasharray: 6 4; }
@media (prefers-color-scheme: dark) {
  text { fill: #dfdfd6; }
  .amount { fill: #a8a8b0; }
  rect { fill: #202127; stroke: #98989f; }
  .final rect { stroke: #a8b1ff; }
  path { stroke: #98989f; }
  .tip, .start { fill: #98989f; }
}
`;

/** Where the diagram of a machine stands below `docs/pages/`. */
const diagramPath = (name: string) => `diagrams/${name}.svg`;

/** The diagrams of all state machines: paths below `docs/pages/`, and SVG. */
export function diagramFiles(): [path: string, svg: string][] {
  return Object.entries(machines).map(([name, machine]) => [diagramPath(name), stateDiagram(machine)]);
}

/** A diagram as an image on a page directly in `docs/pages/`. */
export function diagramImage(name: string, machine: AnyMachine): string {
  return `![${machine.title}: states and transitions, as in the tables below](./${diagramPath(name)})`;
}

interface Place {
  column: number;
  row: number;
}

/** One line of the diagram. It stands for all moves between the same two states. */
interface Line {
  from: string;
  to: string;
  moves: Move[];
}

/**
 * A state machine as SVG. The column of a state is its distance from the first state; final states stand in the last
 * column. Lines leave downwards and turn right, so that no two cross. Moves that the contract leaves free are dashed.
 */
function stateDiagram(machine: AnyMachine): string {
  const places = placesOf(machine);
  const lines = linesOf(machine);
  const last = (axis: 'column' | 'row') => Math.max(...[...places.values()].map((place) => place[axis]));
  const width = margin.left + last('column') * step.x + box.width + 12;
  const height = margin.top + last('row') * step.y + box.height + 24;
  const parts = [
    `<title>${markup(`${machine.title}: states and transitions`)}</title>`,
    `<style>${style}</style>`,
    `<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>`,
    beginning(machine, places),
    ...lines.map((line) => drawLine(line, lines, places, machine)),
    ...[...places].map(([state, place]) => drawState(state, place, machine)),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">\n${parts.join('\n')}\n</svg>\n`;
}

function placesOf(machine: AnyMachine): Map<string, Place> {
  const depth = new Map([[machine.initial, 0]]);
  for (let changed = true; changed; ) {
    changed = false;
    for (const { from, to } of machine.transitions) {
      const reached = from === null ? undefined : depth.get(from);
      if (reached !== undefined && (depth.get(to) ?? -1) <= reached && from !== to) {
        depth.set(to, reached + 1);
        changed = true;
      }
    }
  }
  const deepest = Math.max(...depth.values());
  const rows = new Map<number, number>();
  const places = new Map<string, Place>();
  const reachable = Object.keys(machine.states).filter((state) => depth.has(state));
  for (const state of reachable) {
    const column = machine.states[state]?.final ? deepest : (depth.get(state) ?? 0);
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    places.set(state, { column, row });
  }
  return places;
}

function linesOf(machine: AnyMachine): Line[] {
  const lines = new Map<string, Line>();
  for (const move of machine.transitions) {
    if (move.from === null) continue;
    const key = `${move.from} ${move.to}`;
    const line = lines.get(key) ?? { from: move.from, to: move.to, moves: [] };
    line.moves.push(move);
    lines.set(key, line);
  }
  return [...lines.values()];
}

function left({ column }: Place): number {
  return margin.left + column * step.x;
}

function middle({ row }: Place): number {
  return margin.top + row * step.y + box.height / 2;
}

function drawState(state: string, place: Place, machine: AnyMachine): string {
  const final = machine.states[state]?.final ? ' final' : '';
  return `<g class="state${final}"><rect x="${left(place)}" y="${middle(place) - box.height / 2}" width="${box.width}" height="${box.height}" rx="8"/><text x="${left(place) + box.width / 2}" y="${middle(place) + 5}" text-anchor="middle">${markup(state)}</text></g>`;
}

function beginning(machine: AnyMachine, places: ReadonlyMap<string, Place>): string {
  const place = places.get(machine.initial);
  if (!place) return '';
  const event = machine.transitions.find(({ from }) => from === null)?.event ?? 'created';
  const x = left(place) + box.width / 2;
  return `<g class="line"><circle class="start" cx="${x}" cy="8" r="6"/><path d="M${x} 14V${margin.top}" marker-end="url(#arrow)"/>${label([event], x + 12, margin.top - 20)}</g>`;
}

function drawLine(line: Line, lines: readonly Line[], places: ReadonlyMap<string, Place>, machine: AnyMachine): string {
  const [from, to] = [places.get(line.from), places.get(line.to)];
  if (!from || !to) return '';
  const depthOf = (state: string) => places.get(state)?.column ?? 0;
  const straight = from.row === to.row;
  // Lines into one state arrive below each other: the one from farthest away arrives lowest.
  // Lines out of one state leave side by side: the one to the lowest state leaves leftmost.
  const arriving = lines.filter((each) => each.to === line.to && depthOf(each.from) >= 0);
  arriving.sort((one, other) => depthOf(other.from) - depthOf(one.from));
  const leaving = lines.filter((each) => each.from === line.from && places.get(each.to)?.row !== from.row);
  leaving.sort((one, other) => (places.get(other.to)?.row ?? 0) - (places.get(one.to)?.row ?? 0));
  const offset = (among: readonly Line[]) => (among.indexOf(line) - (among.length - 1) / 2) * apart;
  const y = straight ? middle(from) : middle(to) + offset(arriving);
  const start = straight ? left(from) + box.width : left(from) + box.width / 2 + offset(leaving);
  const path = straight
    ? `M${start} ${y}H${left(to)}`
    : `M${start} ${middle(from) + box.height / 2}V${y - 8}Q${start} ${y} ${start + 8} ${y}H${left(to)}`;
  const free = line.moves.every((move) => isFree(machine, move)) ? ' free' : '';
  const labels = line.moves.map((move, index) => {
    const words = [move.event, move.when === undefined ? '' : amounts[move.when]];
    return label(words, start + 12, index % 2 === 0 ? y - 7 : y + 17);
  });
  return `<g class="line${free}"><path d="${path}" marker-end="url(#arrow)"/>${labels.join('')}</g>`;
}

const amounts = { paidInFull: 'paid in full', underpaid: 'underpaid' };

/** The event and, in smaller letters below it, the amount that it is about. The last line stands at `y`. */
function label([event = '', amount = '']: readonly string[], x: number, y: number): string {
  const above = amount === '' ? y : y - 15;
  const below = amount === '' ? '' : `<text class="amount" x="${x}" y="${y}">${amount}</text>`;
  return `<text class="event" x="${x}" y="${above}">${markup(event)}</text>${below}`;
}
