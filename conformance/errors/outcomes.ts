import type { RequirementId } from '../../generated/catalogue.ts';

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
