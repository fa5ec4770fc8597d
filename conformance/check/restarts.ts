import type { Exchange } from '../wire/exchange.ts';

/** What a check does when the target is ended and started again. */
export interface PartInRestart {
  /** Begins what is to be under way when the target ends. It is called when all checks are ready, and it is the turn of this one. */
  begin(): void;
  /** Has the target ended and started again, and resolves with the exchanges in which that was asked for. Only one of the checks is asked. */
  restart(): Promise<readonly Exchange[]>;
}

/** What one of several checks, which run side by side, has of the restarts of the target. */
export interface Restarts {
  /**
   * Waits until all checks that have not ended are ready and it is the turn of this one, and has the target ended and started again. Resolves
   * with the exchanges of another check in which that was asked for. Rejects with the error of that check.
   */
  take(part: PartInRestart): Promise<readonly Exchange[]>;
  /** One of the checks has ended, and waits for no restart any more. */
  ended(): void;
}

interface Ready extends PartInRestart {
  resolve(done: Promise<readonly Exchange[]>): void;
}

/** One restart for a number of checks. A check that takes it again shares it with those that do so too. */
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

/** Restarts of a number of checks, one for each: all get ready side by side, and then one after the other restarts the target and comes to its end. */
export function restartInTurn(checks: number): Restarts[] {
  let gettingReady = checks;
  let isTaken = false;
  const waiting: (() => void)[] = [];

  function nextTurn(): void {
    if (gettingReady > 0 || isTaken) return;
    const take = waiting.shift();
    isTaken = take !== undefined;
    take?.();
  }

  return Array.from({ length: checks }, () => {
    let isReady = false;
    return {
      take: async ({ begin, restart }) => {
        if (!isReady) {
          isReady = true;
          gettingReady -= 1;
          await new Promise<void>((resolve) => {
            waiting.push(resolve);
            nextTurn();
          });
        }
        begin();
        await restart();
        return [];
      },
      ended: () => {
        if (isReady) isTaken = false;
        else gettingReady -= 1;
        nextTurn();
      },
    };
  });
}
