import { show } from '../contract/show.ts';
import { isFinalStatus } from '../contract/statuses.ts';
import type { RequestRecord } from '../history/records.ts';
import { type Book, type Entity, isCreate, textAt } from './book.ts';
import type { Invariant, InvariantRule, Judgement } from './invariant.ts';

const areas = ['orders', 'checkout'] as const;

const ruleId = (area: (typeof areas)[number]) => `${area}.query.refunded.status`;

const rules: readonly InvariantRule[] = areas.map((area) => ({
  id: ruleId(area),
  title: `${area}.query shows an order as SUCCEEDED once a refund of it has been accepted`,
  requirements: [`${area}.query.by-merchant-order-id`],
}));

/**
 * Only a completed payment can be refunded, so an order whose refund was accepted has succeeded, and is shown so: at once, or a little later
 * where answers come from copies that are brought up to date.
 */
export const refunded: Invariant = { name: 'refunded', rules, judge };

function* judge(book: Book): Iterable<Judgement> {
  const refunds = acceptedRefunds(book);
  const lag = book.run.settle;
  for (const entity of book.entities) {
    const { area, merchantId, id, sightings } = entity;
    if (area === 'refunds') continue;
    // An id that both products have does not say which of the orders was refunded.
    if (areas.every((each) => book.entity(each, merchantId, id))) continue;
    const refund = refunds.get(keyOf(merchantId, id));
    if (!refund || !wasPaidBefore(entity, refund)) continue;
    for (const { by, record, status } of sightings) {
      if (by !== 'query' || record.start < refund.end) continue;
      const judgement = { rule: ruleId(area), records: [refund, record] };
      if (status === 'SUCCEEDED') yield judgement;
      else if (isFinalStatus('orders', status) || record.start >= refund.end + lag) {
        const expected = 'data.status = SUCCEEDED of an order whose refund was accepted before';
        yield { ...judgement, fault: { expected, actual: `data.status = ${show(status)}` } };
      }
    }
  }
}

/** Whether an order was seen to be paid, or its payment was confirmed, before its refund was asked for. Else it may be the refund that is wrong. */
function wasPaidBefore({ sightings, events }: Entity, refund: RequestRecord): boolean {
  const isBefore = ({ end }: { end: number }) => end <= refund.start;
  return (
    sightings.some(({ status, record }) => status === 'SUCCEEDED' && isBefore(record)) ||
    events.some((event) => event.event.type === 'payment_confirmed' && isBefore(event))
  );
}

const keyOf = (merchantId: string, orderId: string) => JSON.stringify([merchantId, orderId]);

/** The first accepted refund of each order, by merchant and platform id of the order. */
function acceptedRefunds({ exchanged }: Book): ReadonlyMap<string, RequestRecord> {
  const refunds = new Map<string, RequestRecord>();
  for (const { operation, area, accepted, merchantId, sent, answered, record } of exchanged) {
    const orderId =
      area === 'refunds' && isCreate(operation) && accepted ? textAt(sent, 'acquiringOrderId') : undefined;
    // The answer to a repeat for another order may be the refund of the first one.
    if (textAt(answered, 'data', 'acquiringOrderId') !== orderId) continue;
    if (orderId === undefined || refunds.has(keyOf(merchantId, orderId))) continue;
    refunds.set(keyOf(merchantId, orderId), record);
  }
  return refunds;
}
