/** The signals that end a run, with the exit code of each: 128 and the number of the signal. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/** Signals within so many milliseconds are one: GNU timeout sends each twice, to the command and to its group. */
const oneSignal = 1000;

/** How a run is ended from outside. */
export interface Interruption {
  /** Aborted at the first signal. */
  stop: AbortSignal;
  /** The exit code of the signal that came; `undefined` when none came. A further one ends the process from now on. */
  exitCode(): number | undefined;
}

/** Listens to SIGINT and SIGTERM. The first one aborts `stop`, and a later one ends the process at once. */
export function stopOnSignal(): Interruption {
  const controller = new AbortController();
  let exitCode: number | undefined;
  // Without a listener a signal ends the process even while it is blocked, as by a report to a pipe that nobody reads.
  const stopListening = () => {
    for (const [name, each] of listeners) process.off(name, each);
  };
  const listeners = Object.entries(exitCodes).map(([signal, code]) => {
    const listener = () => {
      if (exitCode !== undefined) return;
      setTimeout(stopListening, oneSignal).unref();
      exitCode = code;
      process.stderr.write(`assay: ${signal}: the run ends with its results so far; a second signal ends it at once\n`);
      controller.abort(`it was ended by ${signal}`);
    };
    return [signal, listener] as const;
  });
  for (const [signal, listener] of listeners) process.on(signal, listener);
  return {
    stop: controller.signal,
    exitCode: () => {
      if (exitCode !== undefined) stopListening();
      return exitCode;
    },
  };
}

/** Ends the process as soon as stdout has taken what was written to it. */
export async function endAfterOutput(): Promise<void> {
  await new Promise<void>((resolve) => {
    process.stdout.write('', () => resolve());
  });
  process.exit();
}
