import type { Area, Level, OpenPointId, RequirementId } from '../generated/catalogue.ts';
import type { CheckContext } from './context.ts';

/** What a check cannot do without, beside a merchant. */
export type Need =
  | 'order-events' // a driver that makes things happen to orders
  | 'refund-events' // a driver that makes things happen to refunds
  | 'clock' // a driver that moves business time
  | 'paid-order' // a paid order: made through a driver, or configured
  | 'own-merchant' // a driver that makes merchants to the check's wishes
  | 'other-merchant' // a second merchant
  | 'checkout-disabled' // a merchant without API Checkout
  | 'webhook-receiver' // a target that can reach the runner's receiver
  | 'low-balance'; // a merchant whose balance covers no refund

/** One question to an implementation. Checks are data: the command line, vitest and the proof run the same list. */
export interface Check {
  /** Permanent. */
  readonly id: string;
  /** What is true of an implementation that passes, as a sentence. */
  readonly title: string;
  /** MUST: a break is a failure. SHOULD: a warning. MAY: what is seen is recorded. */
  readonly level: Level;
  readonly area: Area;
  readonly requirements: readonly RequirementId[];
  /** The open point that it observes. */
  readonly openPoint?: OpenPointId;
  readonly needs: readonly Need[];
  /** Areas beside its own whose operations it calls; of several, one is enough. */
  readonly calls?: readonly Area[];
  /**
   * It disturbs others on a merchant that they share, by using up what is the merchant's: where merchants are configured,
   * nothing runs beside it.
   */
  readonly alone?: true;
  /** It waits for long, and is begun before others. */
  readonly long?: true;
  /**
   * Asks and judges. Resolves when everything is as it should be; throws `Broken` when a requirement is not kept, and
   * `Inconclusive` when a step before the judgement did not work.
   */
  run(context: CheckContext): Promise<void>;
}

/** A requirement is not kept. */
export class Broken extends Error {
  readonly expected: string;
  readonly actual: string;
  /** The requirement that was broken; absent: the check's first. */
  readonly requirement: RequirementId | undefined;
  /** Which of the check's exchanges shows it, counted from 1; absent: none does. */
  readonly exchange: number | undefined;

  constructor(
    message: string,
    details: { expected: string; actual: string; requirement?: RequirementId; exchange?: number },
  ) {
    super(message);
    this.expected = details.expected;
    this.actual = details.actual;
    this.requirement = details.requirement;
    this.exchange = details.exchange;
  }
}

/** A step before the judgement did not work: nothing can be said about the implementation. */
export class Inconclusive extends Error {}

/** The target does not have what the check needs, and need not have it: the check is skipped. */
export class NotApplicable extends Error {}
