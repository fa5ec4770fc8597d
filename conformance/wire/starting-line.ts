/** How long a request waits for the others that are to start with it, in milliseconds. They may want for connections. */
const longestWait = 500;

/**
 * Where requests that race wait for each other. All but the last byte of each is with the target by then, so that nothing but that byte
 * lies between the first request and the last one. Without it a target has answered the first request before the last one is written, and a
 * gap of microseconds between its look-up and its insert is never met.
 */
export interface StartingLine {
  /** Calls `go` when all have arrived, and at once when the race has begun. */
  arrive(go: () => void): void;
}

/** Makes the line for one race of so many requests. */
export function startingLineFor(requests: number): StartingLine {
  let waiting: (() => void)[] | undefined = [];
  let timer: NodeJS.Timeout | undefined;
  const begin = () => {
    clearTimeout(timer);
    const all = waiting ?? [];
    waiting = undefined;
    for (const go of all) go();
  };
  return {
    arrive(go) {
      if (!waiting) return go();
      waiting.push(go);
      if (waiting.length >= requests) begin();
      else timer ??= setTimeout(begin, longestWait);
    },
  };
}
