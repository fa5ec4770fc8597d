/** A check's place among those that ask the target at the same time. */
export interface Place {
  /** Gives the place to another check until `wait` is over, for instance while the check waits for a webhook. */
  whileFree<Waited>(wait: () => Promise<Waited>): Promise<Waited>;
  leave(): void;
}

/** How many checks ask the target at the same time. */
export interface Pace {
  /** Waits for a place. A check that comes back from a wait is served before one that has not begun. */
  enter(): Promise<Place>;
  /**
   * Takes note of an answer: to which kind of request, and how long it took, in milliseconds. Answers to requests of one kind take about as long as
   * each other.
   */
  answered(kind: string, milliseconds: number): void;
  /** Takes note that the target has refused a request for its rate: it has said how much is too much for it. */
  refusedForRate(): void;
  /** Has no more than half as many places from now on, though not fewer than a small target can serve. */
  halve(): void;
  /** Takes back that there may not be more places. */
  restore(): void;
  /** How many places there are now. */
  readonly places: number;
}

/** How many checks run at the same time: at first, and at most where the target's answers are slow to come. */
export const placesAtFirst = 16;
export const mostPlaces = 128;

/** How many places are left at least where a target seems to have too few workers for more. */
const fewestForWorkers = 4;

/** After how many answers, and after how many milliseconds, the number of places is looked at again: answers come in bursts. */
const answersPerLook = 40;
const shortestLook = 500;

/** Answers that come within so many milliseconds leave the runner itself no time for more checks. */
const quick = 20;

/**
 * Twice as many places are worth having while an answer takes no longer than so many times what one of its kind took before, and at least so many
 * times as much gets done in the same time: a target that is busy takes more at once without any gain, until some of it waits for too long.
 */
const worthwhile = { slowdown: 1.4, gain: 1.2 } as const;

/** The largest part of its time in which the runner may be busy itself when more checks begin. */
const busiest = 0.7;

/** How many looks pass before more places are tried again that were not worth having. */
const looksOfRest = 5;

/** Answers, and how long they took all together, in milliseconds. */
interface Answers {
  count: number;
  total: number;
}

interface Look {
  all: Answers;
  /** The same of each kind of request. */
  kinds: Map<string, Answers>;
  /** When it began, and when it ended, in milliseconds from any moment. */
  since: number;
  until: number;
}

/**
 * Makes the pace of a run. `fixed`: a number of places that never changes. Without it the number grows while answers are slow to come and more at
 * once make them no slower, and shrinks when they do, or when requests are refused for their rate. `busyShare` tells for how large a
 * part of the time since its last call the runner itself was busy: more checks at once gain nothing while it has no time for them.
 * `onResize` is told how many places there are when their number changes. `now` counts milliseconds from any moment.
 */
export function createPace(
  fixed?: number,
  busyShare = ownBusyShare(),
  onResize: (places: number) => void = () => undefined,
  now: () => number = () => performance.now(),
): Pace {
  const newLook = (): Look => ({ all: { count: 0, total: 0 }, kinds: new Map(), since: now(), until: now() });
  let places = fixed ?? placesAtFirst;
  let most = mostPlaces;
  let taken = 0;
  let look = newLook();
  /** How many places there were before they became more, and what was seen of the answers then. */
  let grown: { places: number; look: Look } | undefined;
  /** So many more looks change nothing. */
  let resting = 0;
  const returning: (() => void)[] = [];
  const beginning: (() => void)[] = [];

  function take(queue: (() => void)[]): Promise<void> {
    return new Promise((resolve) => {
      queue.push(resolve);
      admit();
    });
  }
  function admit(): void {
    while (taken < places) {
      const next = returning.shift() ?? beginning.shift();
      if (!next) return;
      taken += 1;
      next();
    }
  }
  function giveBack(): void {
    taken -= 1;
    admit();
  }
  function resize(wanted: number): void {
    places = Math.max(1, Math.min(most, Math.round(wanted)));
    onResize(places);
    admit();
  }

  function halveTo(fewest: number): void {
    most = Math.max(fewest, Math.ceil(places / 2));
    resize(most);
    grown = undefined;
    look = newLook();
  }

  return {
    get places() {
      return places;
    },
    async enter() {
      await take(beginning);
      return placeOf(() => take(returning), giveBack);
    },
    halve() {
      if (fixed === undefined && places > fewestForWorkers) halveTo(fewestForWorkers);
    },
    restore() {
      if (fixed !== undefined || most === mostPlaces) return;
      most = mostPlaces;
      resize(Math.max(places, placesAtFirst));
      look = newLook();
    },
    refusedForRate() {
      if (fixed === undefined) halveTo(1);
    },
    answered(kind, milliseconds) {
      if (fixed !== undefined) return;
      const ofKind = look.kinds.get(kind) ?? { count: 0, total: 0 };
      look.kinds.set(kind, ofKind);
      for (const answers of [look.all, ofKind]) {
        answers.count += 1;
        answers.total += milliseconds;
      }
      if (look.all.count < Math.max(answersPerLook, places * 3) || now() - look.since < shortestLook) return;
      const hasTime = busyShare() < busiest;
      const seen = { ...look, until: now() };
      look = newLook();
      if (grown && !isWorthwhile(grown.look, seen)) {
        // More checks at once made the answers slower, or got no more done.
        resize(grown.places);
        grown = undefined;
        resting = looksOfRest;
      } else if (resting > 0) resting -= 1;
      // Places are held by the slow answers, even where only one operation is slow and most answers are quick.
      else if (hasTime && meanOf(seen.all) > quick && places < most) {
        grown = { places, look: seen };
        resize(places * 2);
      } else grown = undefined;
    },
  };
}

const meanOf = ({ count, total }: Answers): number => total / count;

/** Whether what was seen with more places is better than what was seen before. */
function isWorthwhile(before: Look, after: Look): boolean {
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

/**
 * A place that is held. Several parts of a check may wait side by side: the first gives the place away, the first to end takes one again. A part
 * whose wait ends when the check has left takes none, because nobody would give it back.
 */
function placeOf(takeAgain: () => Promise<void>, giveBack: () => void): Place {
  let held: Promise<void> | undefined = Promise.resolve();
  let left = false;
  const free = () => {
    if (held) giveBack();
    held = undefined;
  };
  return {
    async whileFree(wait) {
      // A place that is being taken again is given away only when it is there.
      await held;
      free();
      try {
        return await wait();
      } finally {
        if (!left) held ??= takeAgain();
        await held;
      }
    },
    leave: () => {
      left = true;
      free();
    },
  };
}

/** Tells for how large a part of the time since its last call this process was busy, from 0 to 1. */
function ownBusyShare(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}
