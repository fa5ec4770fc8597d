import type { Account } from '../../domain/ledger.ts';
import type { Contents } from './contents.ts';
import { isRequestOf, putIn, type Sent, type Traffic } from './traffic.ts';

/**
 * For each status, the statuses from which it can be reached. The status found must be the acknowledged one or follow
 * it.
 */
const before: Readonly<Record<string, readonly string[]>> = {
  PROCESSING: ['INIT', 'PENDING'],
  SUCCEEDED: ['INIT', 'PENDING', 'PROCESSING'],
  FAILED: ['INIT', 'PENDING', 'PROCESSING'],
  CLOSED: ['INIT', 'PENDING'],
};

/**
 * Lists the faults of a database after the traffic: an acknowledged record that is lost, outdated or duplicated, books
 * that do not balance, a change without its webhook. The list is empty when there is no fault.
 */
export function brokenStatements(contents: Contents, { sent, problems }: Pick<Traffic, 'sent' | 'problems'>): string[] {
  return [
    ...problems,
    ...sent.flatMap((each) => lost(contents, each)),
    ...repeated(contents),
    ...neverSent(contents, sent),
    ...doublyRefunded(contents),
    ...unbalanced(contents),
    ...unannounced(contents),
  ];
}

function lost({ orders, refunds }: Contents, each: Sent): string[] {
  const { kind, id, acknowledged, refused } = each;
  const found =
    kind === 'refund'
      ? refunds.filter((refund) => refund.merchantRefundOrderId === id)
      : orders.filter((order) => order.product === kind && order.merchantOrderId === id);
  const [record] = found;
  if (refused && record) return [`${kind} ${id} was refused and is there`];
  if (!acknowledged) return [];
  if (!record) return [`${kind} ${id} was acknowledged and is lost`];
  const recordId = 'refundOrderId' in record ? record.refundOrderId : record.orderId;
  if (recordId !== acknowledged.id) return [`${kind} ${id} was acknowledged as ${acknowledged.id} and is ${recordId}`];
  if (!isRequestOf(record, each)) return [`${kind} ${id} is not what was asked for`];
  const { status } = record;
  if (status === acknowledged.status || before[status]?.includes(acknowledged.status)) return [];
  return [`${kind} ${id} was acknowledged as ${acknowledged.status} and is ${status}`];
}

function repeated({ orders, refunds }: Contents): string[] {
  const keys = [
    ...orders.map(({ product, merchantId, merchantOrderId }) => `${product} ${merchantId} ${merchantOrderId}`),
    ...refunds.map(({ merchantId, merchantRefundOrderId }) => `refund ${merchantId} ${merchantRefundOrderId}`),
  ];
  return [...counted(keys)].filter(([, count]) => count > 1).map(([key, count]) => `${key} is there ${count} times`);
}

function neverSent({ orders, refunds }: Contents, sent: readonly Sent[]): string[] {
  const ids = new Set(sent.map(({ id }) => id));
  const found = [
    ...orders.map(({ merchantOrderId }) => merchantOrderId),
    ...refunds.map(({ merchantRefundOrderId }) => merchantRefundOrderId),
  ];
  return found.filter((id) => !ids.has(id)).map((id) => `nobody asked for ${id}`);
}

function doublyRefunded({ refunds }: Contents): string[] {
  const holding = refunds.filter(({ status }) => status !== 'FAILED' && status !== 'CLOSED');
  return [...counted(holding.map(({ acquiringOrderId }) => acquiringOrderId))]
    .filter(([, count]) => count > 1)
    .map(([orderId, count]) => `order ${orderId} has ${count} refunds`);
}

/**
 * For each merchant and currency: all money paid in is still there, and the amounts held and paid out match the
 * refunds.
 */
function unbalanced({ merchants, refunds }: Contents): string[] {
  return merchants.flatMap(({ merchantId, ledger }) =>
    Object.entries(putIn).flatMap(([currency, amount]) => {
      const own = refunds.filter((each) => each.merchantId === merchantId && each.amount.currency === currency);
      const sum = (...statuses: string[]) =>
        total(own.filter(({ status }) => statuses.includes(status)).map(({ deductAmount }) => deductAmount));
      const account: Account = ledger[currency] ?? { available: '0', reserved: '0', deducted: '0' };
      const is = [total(Object.values(account)), total([account.reserved]), total([account.deducted])];
      const should = [total([amount]), sum('PENDING', 'PROCESSING'), sum('SUCCEEDED')];
      const right = is.every((value, index) => value === should[index]);
      return right ? [] : [`${currency} of ${merchantId}: all, reserved, deducted are ${is} and should be ${should}`];
    }),
  );
}

/** Adds up decimal texts, in units of 10^-18. It does not use the server's own arithmetic. */
function total(amounts: readonly string[]): bigint {
  return amounts.reduce((sum, amount) => {
    const [whole = '', places = ''] = amount.split('.');
    return sum + BigInt(whole + places.padEnd(18, '0'));
  }, 0n);
}

/**
 * Each change of an order must have one webhook, numbered without gaps, and each refund that has ended must have one.
 */
function unannounced({ orders, refunds, deliveries }: Contents): string[] {
  const announced = new Map<string, number[]>();
  for (const { subject, payload } of deliveries) {
    const id = 'orderId' in subject ? subject.orderId : subject.refundOrderId;
    const { sequence }: { sequence: number } = JSON.parse(payload);
    announced.set(
      id,
      [...(announced.get(id) ?? []), sequence].sort((left, right) => left - right),
    );
  }
  const changes: Record<string, number> = { INIT: 0, CLOSED: 1, PROCESSING: 1, SUCCEEDED: 2, FAILED: 2 };
  const ends = (status: string) => ['SUCCEEDED', 'FAILED', 'CLOSED'].includes(status);
  return [
    ...orders.flatMap(({ orderId, status }) => {
      const numbers = announced.get(orderId) ?? [];
      const expected = Array.from({ length: changes[status] ?? 0 }, (_, index) => index + 1);
      return String(numbers) === String(expected) ? [] : [`${status} order ${orderId} announced changes ${numbers}`];
    }),
    ...refunds.flatMap(({ refundOrderId, status }) => {
      const { length } = announced.get(refundOrderId) ?? [];
      return length === (ends(status) ? 1 : 0) ? [] : [`${status} refund ${refundOrderId} has ${length} webhooks`];
    }),
  ];
}

/** The webhooks that have not been delivered, with the record they report on and the number of attempts. */
export function undeliveredOf({ deliveries }: Contents): string[] {
  return deliveries
    .filter(({ status }) => status !== 'delivered')
    .map(({ subject, status, attempts }) => `${Object.values(subject)} ${status} after ${attempts.length} attempts`);
}

function counted(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
