import { allFaults } from '../faults/index.ts';
import type { Fault } from '../stand/fault.ts';

const families = [...new Set(allFaults.flatMap(({ family }) => family ?? []))];

/** The member of a family that stands for it. Families take turns, so that each operation and field stands for some of them. */
const chosen: ReadonlySet<Fault | undefined> = new Set(
  families.map((family, turn) => {
    const members = allFaults.filter((fault) => fault.family === family);
    return members[turn % members.length];
  }),
);

/**
 * The wrong servers that `npm test` judges: each that is the only one with its mistake, and one of each family, always the same.
 * `npm run proof` judges all.
 */
export const quickFaults: readonly Fault[] = allFaults.filter(
  (fault) => fault.family === undefined || chosen.has(fault),
);
