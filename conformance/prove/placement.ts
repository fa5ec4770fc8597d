import { seededRandom } from '../check/random.ts';
import type { Fault, Make } from '../proof/stand/fault.ts';

/** Why a wrong server cannot be put in front of a target. `undefined`: it can. */
export function reasonNotPlaced(
  { parts, prefix, areas, configured, paidOrders, control }: Make,
  { hasControl }: { hasControl: boolean },
): string | undefined {
  if (parts) return 'need the inside of a server';
  if (prefix !== undefined || areas || configured || paidOrders !== undefined)
    return 'need other settings of the target';
  if (control && !hasControl) return 'act on the control API, which this target does not have';
  return undefined;
}

/** Some of the faults, in their order; the seed decides which. */
export function sampleOf(faults: readonly Fault[], size: number, seed: number): Fault[] {
  const random = seededRandom(`${seed} faults`);
  const chosen = new Set(
    faults
      .map((fault) => ({ fault, rank: random() }))
      .toSorted((left, right) => left.rank - right.rank)
      .slice(0, size)
      .map(({ fault }) => fault),
  );
  return faults.filter((fault) => chosen.has(fault));
}
