import type { Exchange } from '../wire/exchange.ts';

/** What a check does when the target is ended and started again. */
export interface PartInRestart {
  /** Begins what is to be under way when the target ends. It is called when all checks that share the restart are ready. */
  begin(): void;
  /** Has the target ended and started again, and resolves with the exchanges in which that was asked for. Only one of the checks is asked. */
  restart(): Promise<readonly Exchange[]>;
}

/** A restart of the target that several checks share, so that it is ended once for all of them. */
export interface Restarts {
  /**
   * Waits until all checks that have not ended are ready, and has the target ended and started again. Resolves with the exchanges of another
   * check in which that was asked for. Rejects with the error of that check.
   */
  take(part: PartInRestart): Promise<readonly Exchange[]>;
  /** One of the checks has ended, and waits for no restart any more. */
  ended(): void;
}

interface Ready extends PartInRestart {
  resolve(done: Promise<readonly Exchange[]>): void;
}

/** Makes a restart for a number of checks that run side by side. A check that takes it again shares it with those that do so too. */
export function shareRestart(checks: number): Restarts {
  let awaited = checks;
  let ready: Ready[] = [];

  function restartWhenReady(): void {
    const [first, ...others] = ready;
    if (!first || ready.length < awaited) return;
    ready = [];
    for (const { begin } of [first, ...others]) begin();
    const restarted = first.restart();
    first.resolve(restarted.then(() => []));
    for (const { resolve } of others) resolve(restarted);
  }

  return {
    take: (part) =>
      new Promise((resolve) => {
        ready.push({ ...part, resolve });
        restartWhenReady();
      }),
    ended: () => {
      awaited -= 1;
      restartWhenReady();
    },
  };
}
