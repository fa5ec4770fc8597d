import type { RequirementId } from '../../../../generated/catalogue.ts';
import { type JsonObject, setAt } from '../../../contract/json.ts';
import type { Fault } from '../../stand/fault.ts';
import { feeds, idOf } from './feeds.ts';
import { showingViews } from './presence.ts';

/** A view with another value at a path. */
const at =
  (...path: string[]) =>
  (value: unknown) =>
  (view: JsonObject): JsonObject =>
    Object(setAt(view, path, value));

const wrongs: readonly [string, 'money' | 'times', string, ReturnType<ReturnType<typeof at>>, RequirementId][] = [
  ['orders.create', 'money', 'an exponent', at('orderAmount', 'value')('1E+2'), 'orders.view.amounts'],
  ['orders.query', 'money', 'a number', at('orderAmount', 'value')(9.5), 'orders.view.amounts'],
  [
    'checkout.payment-methods',
    'money',
    'text as minAmount',
    at('paymentMethods')([{ minAmount: '1' }]),
    'checkout.payment-methods.bounds',
  ],
  ['checkout.create', 'money', 'a decimal comma', at('cryptoPaymentAmount', 'value')('9,50'), 'checkout.view.amounts'],
  ['checkout.query', 'money', 'a unit', at('orderAmount', 'value')('9.50 USDT'), 'checkout.view.amounts'],
  ['refunds.create', 'money', 'a sign', at('refundAmount')('-9.50'), 'refunds.record.amount'],
  ['refunds.query', 'money', 'an amount object', at('refundAmount')({ value: '9.50' }), 'refunds.record.amount'],
  ['refunds.batch-query', 'money', 'an exponent', at('merchantDeductAmount')('9.5e0'), 'refunds.record.deduct-amount'],
  ['orders.create', 'times', 'seconds since 1970', at('createdAt')(1_767_261_600), 'orders.view.times'],
  ['orders.query', 'times', 'a time without a zone', at('createdAt')('2026-01-01T10:00:00'), 'orders.view.times'],
  ['orders.query', 'times', 'an hour after the last', at('createdAt')('2026-01-01T24:30:09Z'), 'orders.view.times'],
  ['checkout.query', 'times', 'a month after the last', at('createdAt')('2026-13-01T10:00:00Z'), 'checkout.view.times'],
  ['refunds.query', 'times', 'sixty minutes', at('createdTime')('2026-01-01T10:60:00Z'), 'refunds.record.times'],
  ['checkout.create', 'times', 'a time with a space', at('expiresAt')('2026-01-01 10:00:00Z'), 'checkout.view.times'],
  ['checkout.query', 'times', 'local time', at('createdAt')('2026-01-01T10:00:00+08:00'), 'checkout.view.times'],
  [
    'refunds.create',
    'times',
    'a time as HTTP has it',
    at('createdTime')('Thu, 01 Jan 2026 10:00:00 GMT'),
    'refunds.record.times',
  ],
  ['orders.query', 'times', 'the hour 24', at('expiresAt')('2026-01-01T24:30:09.070Z'), 'orders.view.times'],
  ['checkout.query', 'times', 'a day too many', at('createdAt')('2026-11-31T06:00:00Z'), 'checkout.view.times'],
  ['refunds.query', 'times', 'minute 60', at('createdTime')('2026-01-01T10:60:00Z'), 'refunds.record.times'],
  ['refunds.query', 'times', 'a date alone', at('createdTime')('2026-01-01'), 'refunds.record.times'],
  ['refunds.batch-query', 'times', 'milliseconds', at('createdTime')(1_767_261_600_000), 'refunds.record.times'],
];

/** Wrong servers that the invariant `forms` must find. */
export const formFaults: readonly Fault[] = wrongs.map(([operation, rule, what, change, breaks]) => ({
  id: `${idOf(operation)}-${rule}-as-${what.replace(/^an? /, '').replaceAll(' ', '-').toLowerCase()}`,
  title: `Shows ${what} in ${operation}.`,
  breaks,
  caughtBy: `${operation}.${rule}.form`,
  feeds: [feeds[operation]?.success ?? ''],
  make: { merchantApi: showingViews(operation, change) },
}));
