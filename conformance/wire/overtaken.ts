import type { Pace } from './pace.ts';

/**
 * Watches for requests over new connections that many later ones overtake. A target with fewer workers than connections are in use may go on
 * serving those that it has, and leave a new one waiting for as long as they are busy: an answer would come too late, and say nothing of the target.
 */
export interface OvertakingWatch {
  /** A request has its connection. Returns what to call when it is over. */
  connected(operation: string, isNew: boolean): (isAnswered: boolean) => void;
}

/** After how long a request is looked at, again and again, in milliseconds. */
const pauseBetweenLooks = 1000;

/** For how long a request has been overtaken at least, in milliseconds: fewer checks at once would not help one that is just slow. */
const shortestWait = 2000;

/** How many times as long as an answer of the operation usually takes: one that is slow by nature comes in no exact order. */
const usualTimes = 3;

/** By how many later requests to the same operation. */
const mostOvertaking = 10;

/** How long a change of the pace takes to be felt, in milliseconds. */
const timeToFeel = 3000;

/** After how long without an overtaken request more checks are tried again, in milliseconds, and how often: a busy moment of a target looks the same. */
const quietTime = 8000;
const mostTries = 2;

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
  /** Absent: the pace is not halved. */
  let lastOvertaken: number | undefined;
  let tries = 0;
  let isOfNoUse = false;

  function countsOf(operation: string): Counts {
    const known = counts.get(operation) ?? { underWay: 0, answered: 0, total: 0 };
    counts.set(operation, known);
    return known;
  }

  function tryMore(): void {
    if (isOfNoUse || lastOvertaken === undefined || tries === mostTries) return;
    if (performance.now() - lastOvertaken < quietTime) return;
    lastOvertaken = undefined;
    tries += 1;
    pace.restore();
  }

  return {
    connected: (operation, isNew) => {
      const of = countsOf(operation);
      // Those that are under way already overtake nothing.
      const overtakenFrom = of.answered + of.underWay + mostOvertaking;
      of.underWay += 1;
      const began = performance.now();
      let wasOvertaken = false;
      const look = () => {
        const now = performance.now();
        const longEnough = Math.max(shortestWait, (usualTimes * of.total) / Math.max(1, of.answered));
        if (isOfNoUse || now - began < longEnough || of.answered < overtakenFrom) return;
        wasOvertaken = true;
        lastOvertaken = now;
        if (now - lastHalved < timeToFeel) return;
        lastHalved = now;
        pace.halve();
      };
      const looks = isNew ? setInterval(look, pauseBetweenLooks) : undefined;
      looks?.unref();
      return (isAnswered) => {
        clearInterval(looks);
        of.underWay -= 1;
        if (isAnswered) {
          of.answered += 1;
          of.total += performance.now() - began;
          tryMore();
        } else if (wasOvertaken && !isOfNoUse) {
          // It was not left waiting for others: no answer would have come at all.
          isOfNoUse = true;
          pace.restore();
        }
      };
    },
  };
}
