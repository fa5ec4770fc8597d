import type { Area, Level, OpenPointId, RequirementId } from '../../generated/catalogue.ts';
import type { CheckContext } from './context.ts';
import type { Need } from './needs.ts';

/** One question to an implementation. Checks are data: the command line, vitest and the proof run the same list of them. */
export interface Check {
  /** Permanent. */
  readonly id: string;
  /** A sentence that is true of every implementation that passes. */
  readonly title: string;
  /** MUST: breaking the requirement is a failure. SHOULD: it is a warning. MAY: the behaviour is recorded only. */
  readonly level: Level;
  readonly area: Area;
  readonly requirements: readonly RequirementId[];
  /** The open point at which it records the behaviour. */
  readonly openPoint?: OpenPointId;
  readonly needs: readonly Need[];
  /** The areas whose operations it calls, of which the target must have one; absent: its own area. */
  readonly calls?: readonly Area[];
  /**
   * It uses up something of its merchant and so disturbs other checks on the same one: where merchants are configured,
   * nothing runs beside it.
   */
  readonly alone?: true;
  /** It takes long, and is started before others. */
  readonly long?: true;
  /**
   * Asks and judges. Resolves when the requirements are kept. Throws `Broken` when one is not, `Inconclusive` when something
   * before the judgement did not work, and `NotApplicable` when the question does not arise on this target.
   */
  run(context: CheckContext): Promise<void>;
}
