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
  /** Takes note of an answer to a request: how long it took, in milliseconds, and whether it refused the request for its rate. */
  answered(milliseconds: number, refusedForRate: boolean): void;
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

/** After how many answers the number of places is looked at again. */
const answersPerLook = 40;

/** Answers that come within so many milliseconds leave the runner itself no time for more checks. */
const quick = 20;

/** Places are worth having when twice as many bring so many times the answers, each of which takes no longer than so many times the shortest. */
const worthwhile = 1.4;
const slower = 1.5;

/** The largest part of its time in which the runner may be busy itself when more checks begin. */
const busiest = 0.7;

/** How many looks pass before more places are tried again that were not worth having. */
const looksOfRest = 5;

const newLook = (): { durations: number[]; since: number } => ({ durations: [], since: performance.now() });

/**
 * Makes the pace of a run. `fixed`: a number of places that never changes. Without it the number grows while that brings
 * more answers in the same time, and shrinks when it does not, or when requests are refused for their rate. `busyShare` tells for how large a
 * part of the time since its last call the runner itself was busy: more checks at once gain nothing while it has no time for them.
 * `onResize` is told how many places there are when their number changes.
 */
export function createPace(
  fixed?: number,
  busyShare = ownBusyShare(),
  onResize: (places: number) => void = () => undefined,
): Pace {
  let places = fixed ?? placesAtFirst;
  let most = mostPlaces;
  let taken = 0;
  let look = newLook();
  /** How many places there were before they became more, and how many answers came in a millisecond then. */
  let grown: { places: number; rate: number } | undefined;
  /** So many more looks change nothing. */
  let resting = 0;
  let shortestMedian = Number.POSITIVE_INFINITY;
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
    answered(milliseconds, refusedForRate) {
      if (fixed !== undefined) return;
      if (refusedForRate) {
        // The target has said how much is too much for it.
        halveTo(1);
        return;
      }
      look.durations.push(milliseconds);
      if (look.durations.length < Math.max(answersPerLook, places * 3)) return;
      // Places are held by the slow answers, even where only one operation is slow and most answers are quick.
      const [mean, median] = [meanOf(look.durations), medianOf(look.durations)];
      const rate = look.durations.length / (performance.now() - look.since);
      const hasTime = busyShare() < busiest;
      look = newLook();
      shortestMedian = Math.min(shortestMedian, median);
      if (grown && rate < grown.rate * worthwhile) {
        // More checks at once brought no more answers.
        resize(grown.places);
        grown = undefined;
        resting = looksOfRest;
      } else if (resting > 0) resting -= 1;
      else if (hasTime && mean > quick && median < Math.max(quick, shortestMedian * slower) && places < most) {
        grown = { places, rate };
        resize(places * 2);
      } else grown = undefined;
    },
  };
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

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)] ?? 0;
}

const meanOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
