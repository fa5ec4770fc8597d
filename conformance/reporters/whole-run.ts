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
  /** The same of what made the run slow, from which no finding comes. */
  slowness: readonly string[];
}

/** What stands before what the whole run shows, where it comes before no finding. */
export const inTheWholeRun = 'In the whole run';

/**
 * What the whole run shows. Findings may come from it, whatever they accuse, so it comes before their causes. What all requests have in common
 * has been so since the first of them, and comes from nothing that shows later.
 */
export function wholeRunOf({ signs = [], slowness }: Report, causes: readonly Cause[]): WholeRun {
  const first = fixFirst(causes);
  const comesFirst = signs.length > 0 && first !== undefined && !first.everything;
  return {
    comesFirst,
    label: comesFirst ? 'Fix first, as findings may come from it' : inTheWholeRun,
    sentences: signs.map(asSentence),
    slowness: slowness === undefined ? [] : [asSentence(slowness)],
  };
}

const asSentence = (words: string): string => `${printable(words)}${words.endsWith('?') ? '' : '.'}`;
