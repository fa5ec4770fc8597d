import type { Check } from '../check/check.ts';
import type { Judged } from './jobs.ts';
import type { Fault, Variant } from './stand/fault.ts';

/** Every wrong server against the checks of the requirement that it breaks. Checks are named by their place in `checks`. */
export interface Matrix {
  checks: { id: string; level: string; area: string }[];
  faults: (Pick<Fault, 'id' | 'title' | 'breaks' | 'caughtBy'> & { seenBy: number[] })[];
  variants: { id: string; title: string; accusedBy: number[] }[];
  /** Wrong servers that their own check found only when it was given more time. */
  missedAtFirst: string[];
}

/** The faults of the suite that the matrix shows; all lists are empty when there are none. */
export interface Holes {
  /** Servers that could not be judged because they failed themselves. */
  broken: string[];
  /** Wrong servers that their own check does not turn red for the requirement that they break. */
  uncaught: string[];
  /** Wrong servers that no check turns red. */
  unseen: string[];
  /** Conforming servers that a check fails, or cannot judge. */
  accused: string[];
  /** Checks, other than those that only observe, that no wrong server turns red. */
  neverRed: string[];
}

/** The matrix of the results of the workers. */
export function buildMatrix(
  judged: readonly Judged[],
  {
    checks,
    faults,
    variants,
    missedAtFirst,
  }: {
    checks: readonly Check[];
    faults: readonly Fault[];
    variants: readonly Variant[];
    missedAtFirst: readonly string[];
  },
): Matrix {
  const place = new Map(checks.map(({ id }, index) => [id, index]));
  const redOf = (kind: Judged['kind'], id: string, counts: (verdict: string) => boolean): number[] => {
    const found = judged.find((each) => each.kind === kind && each.id === id);
    return (found?.against ?? []).flatMap(({ check, verdict }) => (counts(verdict) ? (place.get(check) ?? []) : []));
  };
  return {
    checks: checks.map(({ id, level, area }) => ({ id, level, area })),
    faults: faults.map(({ id, title, breaks, caughtBy }) => ({
      ...{ id, title, breaks, caughtBy },
      seenBy: redOf('fault', id, (verdict) => verdict !== 'inconclusive'),
    })),
    variants: variants.map(({ id, title }) => ({
      ...{ id, title },
      accusedBy: redOf('variant', id, (verdict) => verdict !== 'warned'),
    })),
    missedAtFirst: [...missedAtFirst],
  };
}

/** Tells whether its own check has turned a wrong server red for the requirement that it breaks. */
export function catchesOf(judged: readonly Judged[]): (fault: Pick<Fault, 'id' | 'caughtBy' | 'breaks'>) => boolean {
  const caught = new Set(
    judged.flatMap(({ kind, id, against }) =>
      kind === 'fault'
        ? against.flatMap(({ check, verdict, requirement }) =>
            verdict === 'inconclusive' ? [] : [`${id} ${check} ${requirement}`],
          )
        : [],
    ),
  );
  return ({ id, caughtBy, breaks }) => caught.has(`${id} ${caughtBy} ${breaks}`);
}

/** The faults of the suite. */
export function holesOf(matrix: Matrix, judged: readonly Judged[]): Holes {
  const { checks, faults, variants } = matrix;
  const isCaught = catchesOf(judged);
  const red = new Set(faults.flatMap(({ seenBy }) => seenBy));
  const broken = judged.filter(({ error }) => error !== undefined);
  const judgedFaults = faults.filter(({ id }) => !broken.some((each) => each.kind === 'fault' && each.id === id));
  return {
    broken: broken.map(({ id, error }) => `${id}: ${error}`),
    uncaught: judgedFaults.filter((each) => !isCaught(each)).map(({ id }) => id),
    unseen: judgedFaults.filter(({ seenBy }) => seenBy.length === 0).map(({ id }) => id),
    accused: variants
      .filter(({ accusedBy }) => accusedBy.length > 0)
      .map(({ id, accusedBy }) => `${id} by ${accusedBy.map((index) => checks[index]?.id).join(', ')}`),
    neverRed: checks.filter(({ level }, index) => level !== 'MAY' && !red.has(index)).map(({ id }) => id),
  };
}
