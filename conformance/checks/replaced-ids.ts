/**
 * Ids of checks that are gone, each with the id of the check that asks its question now, the first one where several do. An old id still selects, explains and covers that
 * check, so that nobody's baseline or script breaks.
 */
export const replacedIds: Readonly<Record<string, string>> = {
  'orders.create.items.amount.value.exclusiveMinimum': 'orders.create.items.free',
  'orders.create.items.amount.currency.enum': 'orders.create.items.free',
  'auth.signed.create': 'auth.orders.create.body-as-sent',
  'auth.signed.query': 'auth.orders.query.signed',
  'auth.orders-failure': 'auth.orders.create.failure-envelope',
  'auth.unsigned': 'auth.orders.create.unsigned',
  'auth.unsigned-query': 'auth.orders.query.unsigned',
  'auth.header.X-Api-Key.required': 'auth.orders.create.key-missing',
  'auth.header.X-Api-Key.empty': 'auth.orders.create.key-empty',
  'auth.header.X-Timestamp.required': 'auth.orders.create.timestamp-missing',
  'auth.header.X-Timestamp.empty': 'auth.orders.create.timestamp-empty',
  'auth.header.X-Signature.required': 'auth.orders.create.signature-missing',
  'auth.header.X-Signature.empty': 'auth.orders.create.signature-empty',
  'auth.tampered.body': 'auth.orders.create.another-body',
  'auth.tampered.timestamp': 'auth.orders.create.another-timestamp',
  'auth.tampered.method': 'auth.orders.create.another-method',
  'auth.tampered.path': 'auth.orders.create.another-path',
  'auth.tampered.query-path': 'auth.orders.query.another-path',
  'auth.tampered.query-string': 'auth.orders.query.another-query',
  'auth.tampered.signature': 'auth.orders.create.wrong-signature',
  'auth.tampered.signature-case': 'auth.orders.create.signature-case',
  'auth.tampered.signature-end': 'auth.orders.create.signature-appended',
  'auth.mistake.signature-hex': 'auth.orders.create.signature-hex',
  'auth.mistake.hmac-plain-sha256': 'auth.orders.create.another-algorithm',
  'auth.mistake.hmac-secret-appended': 'auth.orders.create.another-algorithm',
  'auth.mistake.hmac-sha1': 'auth.orders.create.another-algorithm',
  'auth.mistake.hmac-sha512': 'auth.orders.create.another-algorithm',
  'auth.mistake.hmac-swapped': 'auth.orders.create.another-algorithm',
  'auth.mistake.secret-base64-decoded': 'auth.orders.create.decoded-secret',
  'auth.mistake.secret-hex-decoded': 'auth.orders.create.decoded-secret',
  'auth.mistake.timestamp-in-seconds': 'auth.orders.create.another-timestamp',
  'auth.mistake.method-lower-case': 'auth.orders.create.another-method',
  'auth.mistake.path-full-url': 'auth.orders.create.another-path',
  'auth.mistake.path-without-api-prefix': 'auth.orders.create.another-path',
  'auth.mistake.body-left-out': 'auth.orders.create.body-unsigned',
  'auth.mistake.body-not-hashed': 'auth.orders.create.body-unsigned',
  'auth.mistake.body-re-serialised': 'auth.orders.create.body-re-serialised',
  'auth.mistake.body-trimmed': 'auth.orders.create.body-re-serialised',
  'auth.mistake.hash-hex': 'auth.orders.create.hash-form',
  'auth.mistake.hash-hex-in-base64': 'auth.orders.create.hash-form',
  'auth.mistake.hash-of-hash-hex': 'auth.orders.create.hash-form',
  'auth.mistake.separator-crlf': 'auth.orders.create.separators',
  'auth.mistake.separator-missing': 'auth.orders.create.separators',
  'auth.mistake.trailing-line-feed': 'auth.orders.create.separators',
  'auth.mistake.body-empty-hashed': 'auth.orders.query.hash-of-nothing',
  'auth.timestamp.inside-past': 'auth.orders.create.inside-past',
  'auth.timestamp.inside-future': 'auth.orders.create.inside-future',
  'auth.timestamp.outside-past': 'auth.orders.create.too-old',
  'auth.timestamp.outside-future': 'auth.orders.create.too-early',
  'auth.timestamp.seconds': 'auth.orders.create.timestamp-seconds',
  'auth.timestamp.iso-8601': 'auth.orders.create.timestamp-form',
  'auth.timestamp.not-a-number': 'auth.orders.create.timestamp-form',
  'auth.timestamp.microseconds': 'auth.orders.create.timestamp-form',
  'auth.timestamp.leading-zero': 'auth.orders.create.timestamp-form',
  'auth.api-key.unknown': 'auth.orders.create.unknown-key',
  'auth.other-merchant.key-and-secret': 'auth.orders.create.other-merchant',
  'auth.other-merchant.secret': 'auth.orders.create.other-secret',
  'auth.content-type.charset': 'auth.orders.create.content-type',
  'auth.content-type.other': 'auth.orders.create.content-type-other',
  'auth.content-type.absent': 'auth.orders.create.content-type-absent',
  'orders.view.echo': 'orders.query.echo.amount',
  'orders.view.created-at': 'orders.create.times.created-at',
  'checkout.view.echo': 'checkout.query.echo.amount',
  'checkout.view.paid-amount': 'checkout.query.money.paid-amount',
  'refunds.errors.rate-limit': 'refunds.query.rate-limit',
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

const replacedBy = new Map<string, string[]>();
for (const [old, id] of Object.entries(replacedIds)) replacedBy.set(id, [...(replacedBy.get(id) ?? []), old]);

/** The ids by which a check can be selected: its own, and those that it has replaced. */
export function idsOf(id: string): readonly string[] {
  return [id, ...(replacedBy.get(id) ?? [])];
}
