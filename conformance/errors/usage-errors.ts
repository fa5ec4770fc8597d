/** Wrong usage or configuration. The message names the place, the rule and the cure. */
export class UsageError extends Error {}

/** The target or its driver cannot be reached, so there is nothing to judge. */
export class Unreachable extends Error {}
