import type { Pace } from './pace.ts';

/**
 * Watches for requests over new connections that many later ones overtake. A target with fewer workers than connections are in use may go on
 * serving those that it has, and leave a new one waiting for as long as they are busy: an answer would come too late, and say nothing of the target.
 */
export interface OvertakingWatch {
  /** A request of some kind has its connection. Returns what to call when it is over. */
  connected(kind: string, isNew: boolean): (isAnswered: boolean) => void;
}

/** After how long a request is looked at, again and again, in milliseconds. */
const pauseBetweenLooks = 1000;

/** For how long a request has been overtaken at least, in milliseconds: fewer checks at once would not help one that is just slow. */
const shortestWait = 3000;

/** How many times as long as an answer of its kind usually takes: one that is slow by nature comes in no exact order. */
const usualTimes = 3;

/** By how many later requests of the same kind. */
const mostOvertaking = 10;

/** How long a change of the pace takes to be felt, in milliseconds. */
const timeToFeel = 2000;

/** How many requests are overtaken at the same time at least: where workers are too few, every new connection waits, and in a busy moment of a target one or two. */
const fewestAtOnce = 3;

interface Counts {
  underWay: number;
  answered: number;
  /** How long the answers took all together, in milliseconds. */
  total: number;
}

/** Makes the watch of a run, which has fewer checks ask at the same time when requests are overtaken, as long as that helps them. */
export function createOvertakingWatch(pace: Pick<Pace, 'halve' | 'restore'>): OvertakingWatch {
  const counts = new Map<string, Counts>();
  let lastHalved = Number.NEGATIVE_INFINITY;
  let overtakenNow = 0;
  let isOfNoUse = false;

  function countsOf(kind: string): Counts {
    const known = counts.get(kind) ?? { underWay: 0, answered: 0, total: 0 };
    counts.set(kind, known);
    return known;
  }

  return {
    connected: (kind, isNew) => {
      const of = countsOf(kind);
      // Those that are under way already overtake nothing.
      const overtakenFrom = of.answered + of.underWay + mostOvertaking;
      of.underWay += 1;
      const began = performance.now();
      let wasOvertaken = false;
      const look = () => {
        const now = performance.now();
        const longEnough = Math.max(shortestWait, (usualTimes * of.total) / Math.max(1, of.answered));
        if (isOfNoUse || now - began < longEnough || of.answered < overtakenFrom) return;
        if (!wasOvertaken) overtakenNow += 1;
        wasOvertaken = true;
        if (overtakenNow < fewestAtOnce || now - lastHalved < timeToFeel) return;
        lastHalved = now;
        pace.halve();
      };
      const looks = isNew ? setInterval(look, pauseBetweenLooks) : undefined;
      looks?.unref();
      return (isAnswered) => {
        clearInterval(looks);
        of.underWay -= 1;
        if (wasOvertaken) overtakenNow -= 1;
        if (isAnswered) {
          of.answered += 1;
          of.total += performance.now() - began;
        } else if (wasOvertaken && !isOfNoUse && Number.isFinite(lastHalved)) {
          // It was not left waiting for others: no answer would have come at all.
          isOfNoUse = true;
          pace.restore();
        }
      };
    },
  };
}
