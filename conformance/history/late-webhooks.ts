import type { HistoryRecord, Span } from './records.ts';

/** What may be an id in the body of a webhook. An id of other letters is not found, and says nothing. */
const words = /[\w.~-]{4,}/g;

/** Something that the driver let happen: whose it was, and when. */
interface Cause {
  merchantId: string;
  at: number;
}

/**
 * The times in which webhooks were on their way for longer than `longest` milliseconds: from what the driver let happen to an order or a refund,
 * or the last move of its clock, to the first webhook about it that came to an address after that. A webhook that was sent before in vain is
 * left out, and one about what a platform has done by itself, because nothing says when that was.
 */
export function lateWebhooksIn(records: readonly HistoryRecord[], longest: number): Span[] {
  const automatic = new Set<string>();
  const causes = new Map<string, Cause>();
  const moves = new Map<string, number>();
  /** When a webhook last came to an address. Infinity: one was not taken there, so that those after it may be further attempts. */
  const heard = new Map<string, number>();
  const late: Span[] = [];
  for (const record of records.toSorted((one, other) => one.start - other.start)) {
    if (record.kind === 'clock') moves.set(record.merchantId, record.end);
    else if (record.kind === 'driver') {
      const { step } = record;
      if (step === 'provisionMerchant' && record.settings.automatic && record.merchantId) {
        automatic.add(record.merchantId);
      }
      if (step !== 'orderEvent' && step !== 'refundEvent') continue;
      const id = step === 'orderEvent' ? record.orderId : record.refundOrderId;
      causes.set(id, { merchantId: record.merchantId, at: record.end });
    } else if (record.kind === 'webhook') {
      const { address, body, start, end } = record;
      const cause = (body.text.match(words) ?? []).flatMap((word) => causes.get(word) ?? [])[0];
      const since = cause && Math.max(cause.at, moves.get(cause.merchantId) ?? 0);
      const isFirst = cause && (heard.get(address) ?? 0) <= cause.at;
      if (since !== undefined && isFirst && !automatic.has(cause.merchantId) && start - since > longest) {
        late.push({ start: since, end });
      }
      heard.set(address, record.answered === 200 ? Math.max(end, heard.get(address) ?? 0) : Number.POSITIVE_INFINITY);
    }
  }
  return late;
}
