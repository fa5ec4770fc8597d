import type { Area, Level, OpenPointId, RequirementId } from '../../generated/catalogue.ts';
import type { CheckContext } from './context.ts';
import type { Need } from './needs.ts';

/** One question to an implementation. Checks are data: the command line, vitest and the proof run the same list. */
export interface Check {
  /** Permanent. */
  readonly id: string;
  /** What is true of an implementation that passes, as a sentence. */
  readonly title: string;
  /** MUST: a break is a failure. SHOULD: a warning. MAY: what is seen is recorded. */
  readonly level: Level;
  /** Set where a run is judged by an older suite that did not have this check: its level now. Its `level` is MAY then. */
  readonly levelNow?: Level;
  readonly area: Area;
  readonly requirements: readonly RequirementId[];
  /** The open point that it observes. */
  readonly openPoint?: OpenPointId;
  readonly needs: readonly Need[];
  /** Areas beside its own whose operations it calls; of several, one is enough. */
  readonly calls?: readonly Area[];
  /** Further areas whose operations it calls where the target has them. Its merchants have what these need. */
  readonly mayCall?: readonly Area[];
  /**
   * It disturbs others on a merchant that they share, by using up what is the merchant's: where merchants are configured,
   * nothing runs beside it.
   */
  readonly alone?: true;
  /** It judges what the other checks have exchanged, and so it runs after them. */
  readonly afterwards?: true;
  /** It waits for long, or sends many requests one after the other, and is begun before others. */
  readonly long?: true;
  /** It begins before all others, and waits until they have ended to look again at what it has made (`context.othersEnded`). */
  readonly lasts?: true;
  /** It asks for what the other checks have made, and so it has nothing to judge where none ran before it. */
  readonly ofOthers?: true;
  /** For how many seconds it waits at least, however fast the target is. Whatever waits longest is begun first of all. */
  readonly waits?: number;
  /**
   * It has the target ended with none but its like, because what other checks ask meanwhile could make a target write what it has only
   * acknowledged.
   */
  readonly restartsApart?: true;
  /**
   * Asks and judges. Resolves when everything is as it should be; throws `Broken` when a requirement is not kept, and
   * `Inconclusive` when a step before the judgement did not work.
   */
  run(context: CheckContext): Promise<void>;
}
