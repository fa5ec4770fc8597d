/**
 * Ids of checks that are gone, each with the id of the check that asks its question now. An old id still selects, explains and covers that
 * check, so that nobody's baseline or script breaks.
 */
export const replacedIds: Readonly<Record<string, string>> = {
  'orders.create.items.amount.value.exclusiveMinimum': 'orders.create.items.free',
  'orders.create.items.amount.currency.enum': 'orders.create.items.free',
  'orders.create.expires-at.impossible': 'orders.create.expiresAt.format',
  'orders.create.amount.not-a-number': 'orders.create.orderAmount.value.number',
  'orders.create.amount.forms': 'orders.create.orderAmount.value.pattern.amount-text',
  'orders.create.sub-merchants.amount-not-a-number': 'orders.create.subMerchants.amount.number',
  'checkout.create.expires-at.impossible': 'checkout.create.expiresAt.format',
  'checkout.create.amount.not-positive': 'checkout.create.orderAmount.value.exclusiveMinimum',
  'checkout.create.amount.not-a-number': 'checkout.create.orderAmount.value.number',
  'checkout.create.amount.forms': 'checkout.create.orderAmount.value.pattern',
  'checkout.create.pair.unknown-currency': 'checkout.create.orderAmount.currency.enum',
};

/** The id under which a check is known now; an id that was not replaced is returned as it is. */
export function currentId(id: string): string {
  return replacedIds[id] ?? id;
}
