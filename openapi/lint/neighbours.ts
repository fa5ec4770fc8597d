import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, type JsonObject } from '../generate/json.ts';

/** Every object in some values, at any depth, that has a text as its `key`. */
export function recordsWith(key: string, values: Json[]): JsonObject[] {
  return values.flatMap((value) => {
    if (Array.isArray(value)) return recordsWith(key, value);
    if (!isObject(value)) return [];
    const below = recordsWith(key, Object.values(value));
    return typeof value[key] === 'string' ? [value, ...below] : below;
  });
}

/** Where records with the same `key` have different values in one of the fields. Absent and `null` fields say nothing. */
export function disagreements(records: JsonObject[], key: string, fields: string[]): string[] {
  const first = new Map<string, Json>();
  return records.flatMap((record) =>
    fields.flatMap((field) => {
      const value = record[field] ?? null;
      const place = `${record[key]}: ${field}`;
      if (value === null) return [];
      const known = first.get(place);
      if (known === undefined) first.set(place, value);
      if (known === undefined || isDeepStrictEqual(known, value)) return [];
      return [`${place} is ${JSON.stringify(known)} and ${JSON.stringify(value)}`];
    }),
  );
}

/** Where a record's times do not come in the order of the fields. Absent and `null` fields say nothing. */
export function misplacedTimes(records: JsonObject[], fields: string[]): string[] {
  return records.flatMap((record) => {
    const present = fields.filter((field) => typeof record[field] === 'string');
    return present.slice(1).flatMap((field, index) => {
      const earlier = present[index] ?? '';
      const isInOrder = Date.parse(String(record[earlier])) <= Date.parse(String(record[field]));
      return isInOrder ? [] : [`${field} ${record[field]} is not after ${earlier} ${record[earlier]}`];
    });
  });
}

/** Where a refund does not give back what its order was paid with, or was made before the payment. */
export function strayRefunds(refunds: JsonObject[], orders: JsonObject[]): string[] {
  return refunds.flatMap((refund) => {
    const { refundOrderId, acquiringOrderId, merchantOrderId, refundAmount, refundCurrency } = refund;
    const order = orders.find(({ orderId, paidAt }) => orderId === acquiringOrderId && typeof paidAt === 'string');
    if (!order) return [`${refundOrderId}: no example shows order ${acquiringOrderId} paid`];
    const expected = { merchantOrderId: order.merchantOrderId, paid: order.cryptoPaidAmount };
    const actual = { merchantOrderId, paid: { value: refundAmount, currency: refundCurrency } };
    return [
      ...(isDeepStrictEqual(actual, expected)
        ? []
        : [`${refundOrderId}: does not fit the payment of ${acquiringOrderId}`]),
      ...misplacedTimes(
        [{ paidAt: order.paidAt ?? null, createdTime: refund.createdTime ?? null }],
        ['paidAt', 'createdTime'],
      ),
    ];
  });
}
