import { type CheckKind, kindsOfChecks } from '../checks/index.ts';
import { contractOperations } from '../contract/operations.ts';
import type { History } from '../history/records.ts';

/** How many requests a run has sent to the operations of each area, by the kind of the check that sent them. */
export interface RequestCounts {
  areas: readonly string[];
  /** The counts in the order of the areas, the kind with the most requests first. */
  kinds: readonly { kind: CheckKind | 'other'; counts: readonly number[]; total: number }[];
  /** What the driver was asked for. */
  steps: number;
}

const areas = [...new Set(contractOperations.map(({ area }) => area))];

/** The column of a request that is none of an operation's. */
const noOperation = 'no operation';

/** Counts the requests of a recorded run. */
export function countRequests({ records }: Pick<History, 'records'>): RequestCounts {
  const columns = [...areas, noOperation];
  const byKind = new Map<CheckKind | 'other', number[]>();
  for (const record of records) {
    if (record.kind !== 'request') continue;
    const kind = kindsOfChecks.get(record.check ?? '') ?? 'other';
    const counts = byKind.get(kind) ?? columns.map(() => 0);
    const column = columns.indexOf(record.operation?.split('.')[0] ?? noOperation);
    counts[column] = (counts[column] ?? 0) + 1;
    byKind.set(kind, counts);
  }
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  return {
    areas: columns,
    kinds: [...byKind]
      .map(([kind, counts]) => ({ kind, counts, total: sum(counts) }))
      .sort((left, right) => right.total - left.total),
    steps: records.filter(({ kind }) => kind === 'driver' || kind === 'clock').length,
  };
}
