/** Tells those who wait that something has happened. */
export interface Bell {
  ring(): void;
  /** Calls `hear` at every ring, until the function that it returns is called. */
  listen(hear: () => void): () => void;
}

/** Something whose rings can be waited for. */
export interface Source extends Pick<Bell, 'listen'> {
  /** True while its sender may be kept from sending; absent: nothing keeps it. Such time does not count for who waits. */
  isHeldUp?(): boolean;
}

export function createBell(): Bell {
  const listeners = new Set<() => void>();
  return {
    ring: () => {
      for (const hear of [...listeners]) hear();
    },
    listen: (hear) => {
      listeners.add(hear);
      return () => listeners.delete(hear);
    },
  };
}

/** For how long a source that is held up makes a wait longer, in milliseconds. */
const longestHoldUp = 60_000;

/**
 * Waits until `read` finds something; it is asked at once and after every ring. `undefined`: it has found nothing within so many
 * milliseconds. A wait at whose end a source is held up goes on, for a minute more at most.
 */
export function untilRung<Found>(
  sources: readonly Source[],
  read: () => Found | undefined,
  milliseconds: number,
): Promise<Found | undefined> {
  const found = read();
  if (found !== undefined) return Promise.resolve(found);
  return new Promise((resolve) => {
    const done = (result: Found | undefined) => {
      clearTimeout(timer);
      for (const stop of stops) stop();
      resolve(result);
    };
    const step = Math.min(Math.max(milliseconds, 100), 1000);
    const end = performance.now() + milliseconds + longestHoldUp;
    const over = () => {
      if (performance.now() < end && sources.some((source) => source.isHeldUp?.())) timer = setTimeout(over, step);
      else done(undefined);
    };
    let timer = setTimeout(over, milliseconds);
    const stops = sources.map((source) =>
      source.listen(() => {
        const result = read();
        if (result !== undefined) done(result);
      }),
    );
  });
}
