import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * One server of the instrumented build. It is the async context in which the server was started, and so the context of every
 * request that it answers, and of its timers and webhooks. A mark on each request could not say which mutant those are to have.
 */
export interface Stage {
  /** The mutant that is active in this server. Absent: none. */
  readonly mutant?: string;
  /** The check for which this server notes which mutants it reaches. Absent: it notes none. */
  readonly check?: string;
  /** The server would have ended: an error of it was caught by nobody. */
  crashed?: boolean;
  /** How often the place of the active mutant was reached. */
  hits?: number;
}

/** More is an endless loop, which then ends with an error. */
const mostHits = 2_000_000;

const stages = new AsyncLocalStorage<Stage>();

/** The name that the instrumenter gives to its global object. */
const globalName = '__stryker__';

/** How often each mutant was reached, by id. */
type Hits = Record<string, number>;

/** The mutants that were reached while the modules were loaded, and in the servers of each check. */
export interface Reached {
  readonly static: Hits;
  readonly perTest: Record<string, Hits>;
}

/**
 * Makes the global object that instrumented code asks which mutant is active; to be called before such code is loaded.
 *
 * @param everywhere a mutant that is active outside of all stages too, and so while modules are loaded
 */
export function openNamespace(everywhere?: string): Reached {
  const mutantCoverage: Reached = { static: {}, perTest: {} };
  const namespace = {
    mutantCoverage,
    hitLimit: mostHits,
    get activeMutant() {
      return stages.getStore()?.mutant ?? everywhere;
    },
    get currentTestId() {
      return stages.getStore()?.check;
    },
    get hitCount() {
      return stages.getStore()?.hits ?? 0;
    },
    set hitCount(hits) {
      const stage = stages.getStore();
      if (stage) stage.hits = hits;
    },
  };
  Object.defineProperty(globalThis, globalName, { value: namespace, configurable: true });
  return mutantCoverage;
}

/** Calls `work` in this stage. All that it starts stays in it. */
export function onStage<Result>(stage: Stage, work: () => Promise<Result>): Promise<Result> {
  return stages.run(stage, work);
}

/** Errors that nobody catches end a server. Here they are noted in its stage; outside of every stage they end the process. */
export function noteCrashes(): void {
  const note = (error: unknown) => {
    const stage = stages.getStore();
    if (!stage) throw error;
    stage.crashed = true;
  };
  process.on('unhandledRejection', note);
  process.on('uncaughtException', note);
}
