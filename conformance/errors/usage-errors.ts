/** Wrong usage or configuration; the message names the place, the rule and the cure. */
export class UsageError extends Error {}

/** The target or what drives it cannot be reached: there is nothing to judge. */
export class Unreachable extends Error {}
