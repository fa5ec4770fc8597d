import { requirements } from '../../generated/catalogue.ts';
import { counted } from '../contract/counted.ts';
import type { Change, Kind } from './changes.ts';
import type { Comparison } from './comparison.ts';

/** The kinds of changes in the order in which they are shown, each with its heading. */
export const headings: readonly [kind: Kind, heading: string][] = [
  ['worse', 'Worse'],
  ['better', 'Better'],
  ['new', 'New'],
  ['gone', 'Gone'],
];

/** A change's verdicts, such as `passed, now failed`. */
export function movement({ before, after }: Change): string {
  if (before === undefined) return `${after}`;
  return after === undefined ? `was ${before}` : `${before}, now ${after}`;
}

/** The sentence of a requirement; empty for one that this version does not know. */
export const sentenceOf = (id: string): string => requirements.find((each) => each.id === id)?.text ?? '';

/** The comparison in one line, such as `2 worse, 1 better, 14 new, none gone`. */
export function summaryOf(comparison: Comparison): string {
  if (comparison.kind === 'matrix') {
    const { alike, requirements: differing, reliable } = comparison.matrix;
    return `${counted(differing.length, 'requirement differs', 'requirements differ')}, ${counted(alike, 'is', 'are')} alike; ${counted(reliable.length, 'open point is', 'open points are')} decided alike by all ${comparison.reports.length}`;
  }
  const count = (wanted: Kind) => comparison.changes.filter(({ kind }) => kind === wanted).length || 'none';
  return headings.map(([kind, heading]) => `${count(kind)} ${heading.toLowerCase()}`).join(', ');
}
