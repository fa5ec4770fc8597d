/** Answers, and how long they took all together, in milliseconds. */
interface Answers {
  count: number;
  total: number;
}

/** The answers of some time. */
export interface Look {
  all: Answers;
  /** The same of each kind of request. */
  kinds: Map<string, Answers>;
  /** When it began, and when it ended, in milliseconds from any moment. */
  since: number;
  until: number;
}

/** A look at the answers that come from now on. `now`: in milliseconds from any moment. */
export const beginLook = (now: number): Look => ({
  all: { count: 0, total: 0 },
  kinds: new Map(),
  since: now,
  until: now,
});

/** Adds an answer to a request of this kind, which took so many milliseconds. */
export function addAnswer({ all, kinds }: Look, kind: string, milliseconds: number): void {
  const ofKind = kinds.get(kind) ?? { count: 0, total: 0 };
  kinds.set(kind, ofKind);
  for (const answers of [all, ofKind]) {
    answers.count += 1;
    answers.total += milliseconds;
  }
}

/** How long one of these answers took on average, in milliseconds. */
export const meanOf = ({ count, total }: Answers): number => total / count;

/**
 * Twice as many checks at once are worth having while an answer takes no longer than so many times what one of its kind took before, and at least so
 * many times as much gets done in the same time: a target that is busy takes more at once without any gain, until some of it waits for too long.
 */
const worthwhile = { slowdown: Math.SQRT2, gain: 1.2 } as const;

/** Whether what was seen with twice as many checks at once is better than what was seen before. */
export function isWorthwhile(before: Look, after: Look): boolean {
  let [known, taken, expected] = [0, 0, 0];
  for (const [kind, { count, total }] of after.kinds) {
    const earlier = before.kinds.get(kind);
    // Of a kind that was not seen before, nothing is known but how long it takes now.
    expected += earlier ? count * meanOf(earlier) : total;
    if (!earlier) continue;
    taken += total;
    known += count * meanOf(earlier);
  }
  const slowdown = known === 0 ? 1 : taken / known;
  const gain = expected / (after.until - after.since) / (before.all.total / (before.until - before.since));
  return slowdown <= worthwhile.slowdown && gain >= worthwhile.gain;
}

/** An answer is late after so many milliseconds, where it took so many times as long as one of its kind usually does. */
const late = { after: 2000, times: 4 } as const;

/** How long answers of each kind take while few checks ask at once. */
export interface UsualTimes {
  /** Takes note of answers that came while so many checks asked at once. Those count that came with as many as the first of their kind. */
  remember(look: Look, checks: number): void;
  /** Whether an answer was late: others may come too late altogether. */
  isLate(kind: string, milliseconds: number): boolean;
}

/** The usual times of a run. */
export function createUsualTimes(): UsualTimes {
  const kinds = new Map<string, Answers & { checks: number }>();
  return {
    remember: (look, checks) => {
      for (const [kind, { count, total }] of look.kinds) {
        const usual = kinds.get(kind) ?? { count: 0, total: 0, checks };
        if (usual.checks !== checks) continue;
        kinds.set(kind, { count: usual.count + count, total: usual.total + total, checks });
      }
    },
    isLate: (kind, milliseconds) => {
      const usual = kinds.get(kind);
      return milliseconds > late.after && usual !== undefined && milliseconds > late.times * meanOf(usual);
    },
  };
}
