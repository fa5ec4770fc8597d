/**
 * Ids of checks that are gone, each with the id of the check that asks its question now. An old id still selects, explains and covers that
 * check, so that nobody's baseline or script breaks.
 */
export const replacedIds: Readonly<Record<string, string>> = {
  'orders.create.items.amount.value.exclusiveMinimum': 'orders.create.items.free',
  'orders.create.items.amount.currency.enum': 'orders.create.items.free',
  'refunds.errors.rate-limit': 'refunds.query.rate-limit',
};

/** The id under which a check is known now; an id that was not replaced is returned as it is. */
export function currentId(id: string): string {
  return replacedIds[id] ?? id;
}
