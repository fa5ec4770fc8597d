import type { Check } from '../check/check.ts';

/** Whether a check judges what others have exchanged or made. */
export const isFed = ({ afterwards, ofOthers }: Pick<Check, 'afterwards' | 'ofOthers'>): boolean =>
  afterwards === true || ofOthers === true;

/**
 * Of `checks`, those that bring about what a rule of an invariant judges: the situations of its area. They stand before the rule, because it
 * judges what they have exchanged. A check that asks for what others have made is fed by the situations of every area.
 */
export function feedingChecks<Listed extends Pick<Check, 'id' | 'ofOthers'>>(
  checks: readonly Listed[],
  { area, ofOthers }: Pick<Check, 'area' | 'ofOthers'>,
): Listed[] {
  const feeds = ofOthers ? /^[a-z]+\.situations\./ : new RegExp(`^${area}\\.situations\\.`);
  return checks.filter((each) => feeds.test(each.id) && !each.ofOthers);
}
