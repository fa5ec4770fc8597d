import { authFaults } from './auth-faults.ts';
import { constraintFaults } from './constraint-faults.ts';
import { createFaults } from './create-faults.ts';
import type { Fault } from './fault.ts';
import { stateFaults } from './state-faults.ts';
import { viewFaults } from './view-faults.ts';

/** Every wrong server, in the order of the checks. */
export const allFaults: readonly Fault[] = [
  ...authFaults,
  ...createFaults,
  ...constraintFaults,
  ...viewFaults,
  ...stateFaults,
];

/** Checks whose failure no fault has shown yet, by id. */
export const withoutFault: readonly string[] = [];
