import type { Session } from '../check/session.ts';
import type { SessionOptions } from '../run/session.ts';

/**
 * What one step found: all well, something to know, something wrong, or something without which no run can judge anything;
 * and what to do about it.
 */
export interface Finding {
  state: 'well' | 'note' | 'wrong' | 'fatal';
  /** What is so, as a sentence without its full stop. */
  found: string;
  cure?: string | undefined;
}

/** What is examined, and what earlier steps have opened of it. */
export interface Patient {
  options: SessionOptions;
  session?: Session;
}

/** One thing that is looked at before a run. */
export interface Step {
  name: string;
  /** What it throws is found to be wrong with the target, and as bad as this. */
  whenThrown: 'wrong' | 'fatal';
  look(patient: Patient): Promise<Finding>;
}

export const well = (found: string): Finding => ({ state: 'well', found });
export const note = (found: string, cure?: string): Finding => ({ state: 'note', found, cure });
export const wrong = (found: string, cure?: string): Finding => ({ state: 'wrong', found, cure });
export const fatal = (found: string, cure?: string): Finding => ({ state: 'fatal', found, cure });
