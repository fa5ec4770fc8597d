/** An id for something that a run makes; `rest` tells it from the others of the run. */
export const idInRun = (runId: string, rest: string): string => `asy-${runId}-${rest}`;

/** The runs whose ids a text names. */
export const runsNamedIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/(?<![A-Za-z0-9])asy-([0-9a-f]{8})-/g)].map(([, runId = '']) => runId));
