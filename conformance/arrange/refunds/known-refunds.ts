import type { CheckContext } from '../../check/context.ts';
import { parseJson } from '../../contract/json.ts';
import { successCode } from '../../contract/success-code.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import { field } from '../../wire/exchange.ts';
import { type RefundsClient, refundsClient } from './client.ts';
import { makeRefund } from './refunds.ts';

type Recorded = CheckContext['history']['records'][number];

/** Refunds of the shared merchant that exist, by their merchantRefundOrderIds. */
export interface KnownRefunds {
  client: RefundsClient;
  ids: string[];
}

/**
 * `count` refunds of the shared merchant: those that other checks of the run have made, and new ones for the rest. Where not all of the
 * rest can be made, or the run may not ask as much, at least `fewest`. Throws `Inconclusive` when there are not even so many.
 */
export async function knownRefunds(context: CheckContext, count: number, fewest = count): Promise<KnownRefunds> {
  const merchant = await context.merchant();
  // A create that was sent again has the same id, and a batch query that gives an id twice may be refused.
  const all = new Set(context.history.records.flatMap((record) => idOfMade(record, merchant.merchantId) ?? []));
  const there = [...all].slice(-count);
  const missing = (context.isThrifty ? fewest : count) - there.length;
  const made = await Promise.allSettled(
    Array.from({ length: Math.max(0, missing) }, () => makeRefund(context, merchant)),
  );
  const failure = made.find((result) => result.status === 'rejected');
  if (failure && !(failure.reason instanceof Inconclusive)) throw failure.reason;
  const ids = [
    ...there,
    ...made.flatMap((result) => (result.status === 'fulfilled' ? [result.value.request.merchantRefundOrderId] : [])),
  ];
  if (failure && ids.length < fewest) throw failure.reason;
  return { client: refundsClient(context, merchant), ids };
}

/** The ids that a run gives to its records. Those of checks about the form of ids, which are as long as they may be, are left out. */
const ordinaryId = /^[A-Za-z0-9_-]{16,50}$/;

/** The merchantRefundOrderId of a refund that a merchant has made by a right create; `undefined` for any other record. */
function idOfMade(record: Recorded, merchantId: string): string | undefined {
  if (record.kind !== 'request' || record.operation !== 'refunds.create' || record.as !== merchantId) return undefined;
  if (record.authentication !== 'right' || !record.answer || !record.body) return undefined;
  if (field({ json: parseJson(record.answer.body.text) }, 'code') !== successCode) return undefined;
  const id = field({ json: parseJson(record.body.text) }, 'merchantRefundOrderId');
  return typeof id === 'string' && ordinaryId.test(id) ? id : undefined;
}
