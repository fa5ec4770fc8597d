import type { Report } from '../run/report.ts';
import { printable } from '../text/printable.ts';
import { type Cause, fixFirst } from './causes/cause.ts';

/** What the requests of a run show together and no single answer shows, as a report tells it before the causes of its findings. */
export interface WholeRun {
  /** It is to be mended before the cause of any finding. */
  comesFirst: boolean;
  /** What stands before each sentence. */
  label: string;
  /** Each on one line of printable text, the surest first. None: the run shows nothing of the kind. */
  sentences: readonly string[];
}

/**
 * What the whole run shows. Findings may come from it, whatever they accuse, so it comes before their causes. What all requests have in common
 * has been so since the first of them, and comes from nothing that shows later.
 */
export function wholeRunOf({ signs = [] }: Report, causes: readonly Cause[]): WholeRun {
  const first = fixFirst(causes);
  const comesFirst = signs.length > 0 && first !== undefined && !first.everything;
  return {
    comesFirst,
    label: comesFirst ? 'Fix first, as findings may come from it' : 'In the whole run',
    sentences: signs.map((sign) => `${printable(sign)}${sign.endsWith('?') ? '' : '.'}`),
  };
}
