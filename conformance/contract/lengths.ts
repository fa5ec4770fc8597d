import { constraints } from '../../generated/catalogue.ts';
import type { RequirementId } from '../../generated/catalogue-ids.ts';

/** How long a text or a list may be. */
export interface LengthLimit {
  /** In characters, or in entries of a list. */
  limit: number;
  requirement: RequirementId;
}

/** The shortest or longest text, or longest list, that the contract permits for a field of a create. Throws an error where it sets no such limit. */
export function lengthLimit(
  product: 'orders' | 'checkout',
  field: string,
  keyword: 'minLength' | 'maxLength' | 'maxItems',
): LengthLimit {
  const id = `${product}.create.${field}.${keyword}`;
  const found = constraints.find((constraint) => constraint.id === id);
  if (typeof found?.value !== 'number') throw new Error(`the contract has no constraint ${id}`);
  return { limit: found.value, requirement: found.requirement };
}
