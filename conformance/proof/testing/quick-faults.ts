import { allFaults } from '../faults/index.ts';
import type { Fault } from '../stand/fault.ts';
import { oneOfEach } from './one-of-each.ts';

/** The wrong servers that `npm test` judges: one of each family, and each that is in none. `npm run proof` judges all. */
export const quickFaults: readonly Fault[] = oneOfEach(allFaults, ({ family }) => family);
