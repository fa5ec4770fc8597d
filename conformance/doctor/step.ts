import type { Session } from '../check/session.ts';
import type { SessionOptions } from '../run/session.ts';

/**
 * The finding of one step, with its cure. `note`: worth knowing. `wrong`: a run cannot judge a part. `fatal`: a run cannot judge
 * anything.
 */
export interface Finding {
  state: 'well' | 'note' | 'wrong' | 'fatal';
  /** The finding as a sentence without its full stop. */
  found: string;
  cure?: string | undefined;
}

/** The examined target, and the session that an earlier step has opened. */
export interface Patient {
  options: SessionOptions;
  session?: Session;
}

/** One step of the examination. */
export interface Step {
  name: string;
  /** The state of the finding when the step throws. */
  whenThrown: 'wrong' | 'fatal';
  /** What to look at when the step throws. */
  cureWhenThrown?: string;
  look(patient: Patient): Promise<Finding>;
}

export const well = (found: string): Finding => ({ state: 'well', found });
export const note = (found: string, cure?: string): Finding => ({ state: 'note', found, cure });
export const wrong = (found: string, cure?: string): Finding => ({ state: 'wrong', found, cure });
export const fatal = (found: string, cure?: string): Finding => ({ state: 'fatal', found, cure });
