import { addAnswer, beginLook, createUsualTimes, isWorthwhile, type Look, meanOf } from './answer-times.ts';

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

/** The largest part of its time in which the runner may be busy itself when more checks begin. */
const busiest = 0.7;

/** How many looks pass before more places are tried again that were not worth having: twice as many after each late answer, and at most so many. */
const looksOfRest = { first: 5, most: 40 } as const;

/**
 * Makes the pace of a run. `fixed`: a number of places that never changes. Without it the number grows while answers are slow to come and more at
 * once make them no slower, and shrinks when they do, when one comes late, or when requests are refused for their rate. `busyShare` tells for how large a
 * part of the time since its last call the runner itself was busy: more checks at once gain nothing while it has no time for them.
 * `onResize` is told how many places there are when their number changes. `now` counts milliseconds from any moment.
 */
export function createPace(
  fixed?: number,
  busyShare = ownBusyShare(),
  onResize: (places: number) => void = () => undefined,
  now: () => number = () => performance.now(),
): Pace {
  const newLook = () => beginLook(now());
  let places = fixed ?? placesAtFirst;
  let most = mostPlaces;
  let taken = 0;
  let look = newLook();
  /** How many places there were before they became more, and what was seen of the answers then. */
  let grown: { places: number; look: Look } | undefined;
  const usual = createUsualTimes();
  /** So many looks change nothing when places were given back, and so many more now. */
  let rest: number = looksOfRest.first;
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

  function goBackTo(fewer: number): void {
    resize(fewer);
    grown = undefined;
    resting = rest;
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
      addAnswer(look, kind, milliseconds);
      if (places > placesAtFirst && usual.isLate(kind, milliseconds)) {
        goBackTo(placesAtFirst);
        rest = Math.min(looksOfRest.most, rest * 2);
        look = newLook();
        return;
      }
      if (look.all.count < Math.max(answersPerLook, places * 3) || now() - look.since < shortestLook) return;
      const hasTime = busyShare() < busiest;
      const seen = { ...look, until: now() };
      look = newLook();
      usual.remember(seen, places);
      // More checks at once made the answers slower, or got no more done.
      if (grown && !isWorthwhile(grown.look, seen)) goBackTo(grown.places);
      else if (resting > 0) resting -= 1;
      // Places are held by the slow answers, even where only one operation is slow and most answers are quick.
      else if (hasTime && meanOf(seen.all) > quick && places < most) {
        grown = { places, look: seen };
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
