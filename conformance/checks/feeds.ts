import type { Check } from '../check/check.ts';

/**
 * Of `checks`, those that bring about what a rule of an invariant judges: the situations of its area. They stand before the rule, because it
 * judges what they have exchanged.
 */
export function feedingChecks<Listed extends Pick<Check, 'id'>>(
  checks: readonly Listed[],
  { area }: Pick<Check, 'area'>,
): Listed[] {
  return checks.filter(({ id }) => id.startsWith(`${area}.situations.`));
}
