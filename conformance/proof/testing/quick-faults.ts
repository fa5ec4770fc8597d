import { allFaults } from '../faults/index.ts';
import type { Fault } from '../stand/fault.ts';
import { oneOfEach } from './one-of-each.ts';

const oneOfEachFamily = oneOfEach(allFaults, ({ family }) => family);

/** What the check asks that must find a fault: the last two words of its id. Checks of several operations or areas ask the same. */
const questionOf = ({ caughtBy }: Fault): string => caughtBy.split('.').slice(-2).join('.');

/**
 * The wrong servers that `npm test` judges: one of each family and, of those in none, one for each question that checks ask. `npm run proof`
 * judges all.
 */
export const quickFaults: readonly Fault[] = oneOfEach(oneOfEachFamily, (fault) =>
  fault.family === undefined ? questionOf(fault) : undefined,
);
