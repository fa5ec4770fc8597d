import { allFaults } from '../faults/index.ts';
import type { Fault } from '../stand/fault.ts';
import { oneOfEach } from './one-of-each.ts';

const oneOfEachFamily = oneOfEach(allFaults, ({ family }) => family);

/**
 * The wrong servers that `npm test` judges: one of each family and, of those in none, one for each check that must find them. `npm run proof`
 * judges all.
 */
export const quickFaults: readonly Fault[] = oneOfEach(oneOfEachFamily, ({ family, caughtBy }) =>
  family === undefined ? caughtBy : undefined,
);
