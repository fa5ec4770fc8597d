import type { Connections } from './connections.ts';
import type { Pace } from './pace.ts';

/**
 * Watches for requests over new connections that many later ones overtake. A target with fewer workers than connections are in use may go on
 * serving those that it has, and leave a new one waiting for as long as they are kept: an answer would come too late, and say nothing of the target.
 */
export interface OvertakingWatch {
  /** A request of some kind has its connection. Returns what to call when it is over. */
  connected(kind: string, isNew: boolean): (isAnswered: boolean) => void;
}

/** After how long a request is looked at, again and again, in milliseconds. */
const pauseBetweenLooks = 1000;

/** For how long a request has been overtaken at least, in milliseconds: fewer checks at once would not help one that is just slow. */
const shortestWait = 3000;

/** How many times as long as an answer of its kind usually takes: those that are slow by nature come in no exact order. */
const usualTimes = 3;

/** By how many later requests. */
const mostOvertaking = 10;

/**
 * How many requests over new connections are answered while one waits, at least, where the target goes on taking new connections. One that takes
 * a single connection in each turn of its work, as Node does, is slow at that while it is busy.
 */
const fewestTaken = 2;

/** How long a change takes to be felt, in milliseconds. */
const timeToFeel = 2000;

/** How many requests are overtaken at the same time at least: where workers are too few, every new connection waits, and in a busy moment of a target one or two. */
const fewestAtOnce = 3;

interface Counts {
  underWay: number;
  answered: number;
  /** How long the answers took all together, in milliseconds. */
  total: number;
}

const none = (): Counts => ({ underWay: 0, answered: 0, total: 0 });

/** The number of answers at which a request that begins now is overtaken: those that are under way already overtake nothing. */
const overtakenAt = ({ answered, underWay }: Counts): number => answered + underWay + mostOvertaking;

/**
 * Makes the watch of a run. When requests over new connections are overtaken by ones over kept connections, and by hardly one over a later new one, which
 * a busy target would answer in no exact order, and hardly any new connection was taken meanwhile, no connection is kept any more, so that a worker is free for another one after every answer. When later
 * ones of the same kind still overtake them, fewer checks ask at the same time. Both are taken back where it does not help.
 */
export function createOvertakingWatch(
  connections: Pick<Connections, 'keepNone' | 'keepAgain'>,
  pace: Pick<Pace, 'halve' | 'restore'>,
): OvertakingWatch {
  const kinds = new Map<string, Counts>();
  const overKept = none();
  /** The requests that are overtaken now, each as an object of its own: by ones over kept connections, and by ones of the same kind. */
  const [overtakenByKept, overtakenByKind] = [new Set<object>(), new Set<object>()];
  /** The requests over new connections that are under way, in their order, and by how many later ones each was overtaken. */
  const overNew = new Map<object, number>();
  /** When the last requests over new connections were answered, in milliseconds from any moment, the latest first. */
  const lastTaken: number[] = [];
  /** When something was done about it, in milliseconds from any moment. */
  let lastChange: number | undefined;
  let isOfNoUse = false;

  function countsOf(kind: string): Counts {
    const known = kinds.get(kind) ?? none();
    kinds.set(kind, known);
    return known;
  }

  /** Counts that a request over a new connection is answered for those that are under way for longer. */
  function countOvertaken(request: object): void {
    for (const [other, count] of overNew) {
      if (other === request) return;
      overNew.set(other, count + 1);
    }
  }

  /** Whether hardly any new connection was taken of late. */
  function takesNone(now: number): boolean {
    const earliest = lastTaken[fewestTaken - 1];
    return earliest === undefined || now - earliest > shortestWait;
  }

  function change(now: number): void {
    if (lastChange === undefined && overtakenByKept.size >= fewestAtOnce) {
      connections.keepNone();
    } else if (lastChange !== undefined && overtakenByKind.size >= fewestAtOnce && now - lastChange >= timeToFeel) {
      pace.halve();
    } else return;
    lastChange = now;
  }

  return {
    connected: (kind, isNew) => {
      const ofKind = countsOf(kind);
      const counted = isNew ? [ofKind] : [ofKind, overKept];
      const [byKept, byKind] = [overtakenAt(overKept), overtakenAt(ofKind)];
      for (const counts of counted) counts.underWay += 1;
      const began = performance.now();
      const request = {};
      if (isNew) overNew.set(request, 0);
      const look = () => {
        const now = performance.now();
        const longEnough = Math.max(shortestWait, (usualTimes * ofKind.total) / Math.max(1, ofKind.answered));
        if (isOfNoUse || now - began < longEnough) return;
        const isNext = (overNew.get(request) ?? 0) < fewestAtOnce;
        if (overKept.answered >= byKept && isNext && takesNone(now)) overtakenByKept.add(request);
        else overtakenByKept.delete(request);
        if (ofKind.answered >= byKind) overtakenByKind.add(request);
        change(now);
      };
      const looks = isNew ? setInterval(look, pauseBetweenLooks) : undefined;
      looks?.unref();
      return (isAnswered) => {
        clearInterval(looks);
        if (isNew && isAnswered) {
          countOvertaken(request);
          lastTaken.unshift(performance.now());
          lastTaken.length = Math.min(lastTaken.length, fewestTaken);
        }
        overNew.delete(request);
        const wasOvertaken = [overtakenByKept.delete(request), overtakenByKind.delete(request)].includes(true);
        for (const counts of counted) {
          counts.underWay -= 1;
          if (!isAnswered) continue;
          counts.answered += 1;
          counts.total += performance.now() - began;
        }
        if (!isAnswered && wasOvertaken && !isOfNoUse && lastChange !== undefined) {
          // It was not left waiting for others: no answer would have come at all.
          isOfNoUse = true;
          connections.keepAgain();
          pace.restore();
        }
      };
    },
  };
}
