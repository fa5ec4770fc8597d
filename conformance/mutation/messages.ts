import type { Covered, Judged } from './judge.ts';

/** Work for a process. */
export type Job =
  | { cover: string; patience?: 'patient' | undefined }
  | { judge: string; rounds: readonly (readonly string[])[] };

/** A job with the number under which its result is sent back. */
export interface NumberedJob {
  number: number;
  job: Job;
}

/** A message of a process. Without more than its CPU time it is a sign of life. */
export interface FromWorker {
  /** CPU time of the process so far, in milliseconds. */
  cpu: number;
  /** The mutants that were reached while the modules were loaded. */
  loaded?: string[];
  done?: { number: number; covered: Covered } | { number: number; judged: Judged };
}
