import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { placeOf, proxyFor } from './connections.ts';

/** A time in which nothing took connections at an address that had answered before. */
export interface Absence {
  /** For how long it was waited for, in milliseconds. */
  milliseconds: number;
  /** Connections are taken there again. */
  isBack: boolean;
}

/**
 * Waits for a target that has ended, which a supervisor may start again within seconds. Without that, each check of those seconds would end without
 * a verdict. Only an address that has answered before is waited for.
 */
export interface AbsenceWatch {
  /** How many absences there have been so far. */
  readonly count: number;
  /** The target has come back each time, and there is time left for another absence as long as the longest one so far. */
  readonly mayAwaitAnother: boolean;
  /** An answer came from this address. */
  answered(origin: string): void;
  /** Resolves when no absence of this address is waited for. */
  over(origin: string): Promise<unknown>;
  /** A connection to this address was refused. Resolves with the absence when it is over or waited for no longer; `undefined`: it is none. */
  refused(origin: string): Promise<Absence | undefined>;
  /** A connection to this address was broken off in place of an answer, which may have been the end of the target. As `refused`. */
  brokenOff(origin: string): Promise<Absence | undefined>;
  /** From now on the target is ended on purpose, and nobody waits for it here. */
  endOnPurpose(): void;
  /** From now on checks run one at a time, for which some time to wait was left over. */
  beginAlone(): void;
}

/** What a look at an address shows. */
export type Look = 'takes connections' | 'refuses' | 'unknown';

/** How long one absence is waited for at most, in milliseconds. */
const longestAbsence = 15_000;

/** How long all absences are waited for at most while checks run beside each other, and after that while they run alone, in milliseconds. */
const [mostBeside, mostAlone] = [60_000, 30_000];

/** The pauses between two looks at an address that refuses connections, in milliseconds: the first and the longest. */
const [firstPause, longestPause] = [20, 250];

/**
 * The pauses before the looks at an address that has broken off a connection, in milliseconds: a process that ends may close its connections shortly
 * before it takes no more.
 */
const pausesAfterBreak = [0, 50, 200] as const;

/** After so many connections that were broken off while others were taken, there is one look only. */
const enoughInVain = 3;

/** How long a look may take, in milliseconds. */
const longestLook = 1000;

/** Makes the watch of a run. `onBack` is called when a target is back, which may have forgotten what it knew. */
export function createAbsenceWatch({
  stopping,
  onBack = () => undefined,
  look = lookAt,
}: {
  stopping: AbortSignal;
  onBack?: () => void;
  look?: (origin: string) => Promise<Look>;
}): AbsenceWatch {
  const known = new Set<string>();
  const present = new Map<string, Promise<Absence>>();
  /** Addresses that did not come back in time, and whether they had as long for it as an absence may take. */
  const lost = new Map<string, boolean>();
  let [count, left, longest, inVain] = [0, mostBeside, 0, 0];
  let isOnPurpose = false;

  const pauseFor = (milliseconds: number) =>
    delay(milliseconds, undefined, { signal: stopping }).catch(() => undefined);
  const isWatched = (origin: string) => !isOnPurpose && known.has(origin) && proxyFor(origin) === undefined;

  async function awaitBack(origin: string): Promise<Absence> {
    const began = performance.now();
    const room = Math.min(longestAbsence, left);
    let isBack = (await look(origin)) === 'takes connections';
    for (let pause = firstPause; !isBack && !stopping.aborted; pause = Math.min(pause * 2, longestPause)) {
      if (performance.now() - began + pause > room) break;
      await pauseFor(pause);
      isBack = (await look(origin)) === 'takes connections';
    }
    const milliseconds = performance.now() - began;
    left -= milliseconds;
    longest = Math.max(longest, milliseconds);
    if (isBack) onBack();
    else lost.set(origin, room === longestAbsence);
    return { milliseconds, isBack };
  }

  /** The absence that is waited for, or a new one. */
  function absenceOf(origin: string): Promise<Absence> {
    if (lost.has(origin)) return Promise.resolve({ milliseconds: 0, isBack: false });
    const waited = present.get(origin);
    if (waited) return waited;
    count += 1;
    const begun = awaitBack(origin).finally(() => present.delete(origin));
    present.set(origin, begun);
    return begun;
  }

  async function afterBreak(origin: string): Promise<Absence | undefined> {
    for (const pause of inVain < enoughInVain ? pausesAfterBreak : pausesAfterBreak.slice(0, 1)) {
      if (pause > 0) await pauseFor(pause);
      if (!isWatched(origin)) return undefined;
      if (!present.has(origin) && (await look(origin)) !== 'refuses') continue;
      inVain = 0;
      return isWatched(origin) ? absenceOf(origin) : undefined;
    }
    inVain += 1;
    return undefined;
  }

  return {
    get count() {
      return count;
    },
    get mayAwaitAnother() {
      return left > longest && lost.size === 0;
    },
    answered: (origin) => {
      known.add(origin);
      lost.delete(origin);
    },
    over: (origin) => present.get(origin) ?? Promise.resolve(),
    refused: async (origin) => (isWatched(origin) ? absenceOf(origin) : undefined),
    brokenOff: afterBreak,
    endOnPurpose: () => {
      isOnPurpose = true;
    },
    beginAlone: () => {
      left = mostAlone;
      for (const [origin, isForGood] of lost) if (!isForGood) lost.delete(origin);
    },
  };
}

/** Opens a connection to an address, and closes it. */
function lookAt(origin: string): Promise<Look> {
  const { hostname: host, port } = placeOf(origin);
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port), timeout: longestLook });
    const end = (seen: Look) => {
      socket.destroy();
      resolve(seen);
    };
    socket.on('connect', () => end('takes connections'));
    socket.on('timeout', () => end('unknown'));
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.code === 'ECONNREFUSED' ? 'refuses' : 'unknown'));
  });
}
