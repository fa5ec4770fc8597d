/** Tells those who wait that something has happened. */
export interface Bell {
  ring(): void;
  /** Calls `hear` at every ring, until the function that it returns is called. */
  listen(hear: () => void): () => void;
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

/** Waits until `read` finds something; it is asked at once and after every ring. `undefined`: it has found nothing within so many milliseconds. */
export function untilRung<Found>(
  bells: readonly Pick<Bell, 'listen'>[],
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
    const timer = setTimeout(() => done(undefined), milliseconds);
    const stops = bells.map((bell) =>
      bell.listen(() => {
        const result = read();
        if (result !== undefined) done(result);
      }),
    );
  });
}
