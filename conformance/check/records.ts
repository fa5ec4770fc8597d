import type { OpenPointId } from '../../generated/catalogue.ts';

/** What a check saw at an open point. */
export interface Observation {
  openPoint: OpenPointId;
  /** The register's value for it. `null`: the register has no such value. Absent: the value cannot be told. */
  value?: string | null;
  /** Further values of the register that fit as well. */
  also?: readonly string[];
  /** What the check saw, in a few words. */
  seen: string;
}

/** One cell of a state grid as a check saw it: the state after an event in a state. */
export interface SeenTransition {
  machine: 'orders' | 'checkout' | 'refunds';
  from: string;
  event: string;
  /** The state that the contract demands after the event. Where the move is free, the reference server's state. */
  expected: string;
  seen: string;
  /** The contract does not say which state follows. */
  free?: true;
}
