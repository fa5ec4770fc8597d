import type { RequirementId } from '../../generated/catalogue.ts';

/** The target breaks a requirement. */
export class Broken extends Error {
  readonly expected: string;
  readonly actual: string;
  /** The broken requirement. Absent: the first requirement of the check. */
  readonly requirement: RequirementId | undefined;
  /** The number of the exchange that shows the fault, counted from 1. Absent: no exchange shows it. */
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

/** A step before the judgement failed, so the check says nothing about the target. */
export class Inconclusive extends Error {
  /** The requirement that the answer to the step breaks, and that another check judges. Absent: it breaks none, or it is not known which. */
  readonly requirement: RequirementId | undefined;
  /** The answer to the step shows no choice of the target: it says nothing of what was asked, or breaks the contract. */
  readonly isNoChoice: boolean;

  constructor(
    message: string,
    { requirement, isNoChoice = false }: { requirement?: RequirementId | undefined; isNoChoice?: boolean } = {},
  ) {
    super(message);
    this.requirement = requirement;
    this.isNoChoice = isNoChoice;
  }
}

/** The target lacks something that the check needs and the contract does not demand. The check is skipped. */
export class NotApplicable extends Error {}

/** The run turns out not to meet a need. The check is skipped, as if it had named the need. */
export class NeedNotMet extends NotApplicable {
  readonly need: 'order-events' | 'clock' | 'paid-order';

  constructor(need: NeedNotMet['need'], message: string) {
    super(message);
    this.need = need;
  }
}

/**
 * The target has taken a permitted choice at an open point and so owes nothing of what the check asks about. The check passes,
 * since nothing about the target is left unjudged.
 */
export class PermittedChoice extends Error {}

/** Whether an error is the outcome of a check, and not a fault of the runner. */
export const isOutcome = (error: unknown): boolean =>
  [Broken, Inconclusive, NotApplicable, PermittedChoice].some((outcome) => error instanceof outcome);
