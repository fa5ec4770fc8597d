import type { Check } from './check.ts';

/** Orders checks so that none is left at the end that takes long, while nothing runs beside it. For `sort`. */
export function longestFirst(left: Check, right: Check): number {
  return (
    Number(right.lasts ?? false) - Number(left.lasts ?? false) ||
    (right.waits ?? 0) - (left.waits ?? 0) ||
    Number(right.long ?? false) - Number(left.long ?? false)
  );
}
