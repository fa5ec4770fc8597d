import type { Choices } from '../../../generated/catalogue.ts';
import type { Refund } from '../../domain/refund.ts';
import type { Reads } from '../ports.ts';
import { Refusal } from '../refusal.ts';
import { isPossibleId } from './id-forms.ts';

/** The ids by which a refund can be asked for; at least one is given. */
export interface RefundQuery {
  refundOrderId?: string;
  merchantRefundOrderId?: string;
  acquiringOrderId?: string;
}

type Lookup = () => Promise<Refund | undefined>;

/** The refund that a query finds by both the merchant's refund id and the order's id (open point `refund-query-priority`). */
const priorities: Readonly<Record<Choices['refund-query-priority'], (byOwnId: Lookup, byOrder: Lookup) => Lookup>> = {
  'merchant-refund-order-id': (byOwnId) => byOwnId,
  'acquiring-order-id': (_byOwnId, byOrder) => byOrder,
  'both-must-match': (byOwnId, byOrder) => async () => {
    const [own, first] = [await byOwnId(), await byOrder()];
    return own?.refundOrderId === first?.refundOrderId ? own : undefined;
  },
};

/** Finds the refund of a query. A refundOrderId wins over the other ids; when the winning id has no refund, none is found. */
export function refundFinder(choices: Pick<Choices, 'refund-query-priority'>) {
  const either = priorities[choices['refund-query-priority']];

  /** Throws a `Refusal` when the merchant has no such refund, or none is asked for. */
  return async function findRefund(reads: Reads, merchantId: string, query: RefundQuery): Promise<Refund> {
    const found = await lookupOf(reads, merchantId, query)();
    if (found) return found;
    const reason = couldFind(query) ? 'refund-not-found' : 'malformed-id';
    throw new Refusal(reason, missOf(query));
  };

  function lookupOf(reads: Reads, merchantId: string, query: RefundQuery): Lookup {
    const { refundOrderId, merchantRefundOrderId, acquiringOrderId } = query;
    if (refundOrderId !== undefined) return () => reads.findRefundById(merchantId, refundOrderId);
    const byOwnId =
      merchantRefundOrderId === undefined ? undefined : () => reads.findRefund(merchantId, merchantRefundOrderId);
    const byOrder =
      acquiringOrderId === undefined
        ? undefined
        : async () => (await reads.listRefundsOfOrder(merchantId, acquiringOrderId))[0];
    if (byOwnId && byOrder) return either(byOwnId, byOrder);
    const only = byOwnId ?? byOrder;
    if (only) return only;
    throw new Refusal(
      'invalid-parameter',
      'query: give at least one of refundOrderId, merchantRefundOrderId and acquiringOrderId',
    );
  }
}

/** What is said of a query that finds no refund: the id by which it asks, and which id that must be. */
function missOf({ refundOrderId, merchantRefundOrderId, acquiringOrderId }: RefundQuery): string {
  if (refundOrderId !== undefined) {
    return "refundOrderId: this merchant has no such refund; give the platform's id, or ask by merchantRefundOrderId";
  }
  if (acquiringOrderId === undefined) {
    return 'merchantRefundOrderId: this merchant has no such refund; give the id of its create';
  }
  return merchantRefundOrderId === undefined
    ? "acquiringOrderId: this merchant has no refund of such an order; give the platform's id, which is the order's orderId"
    : 'query: finds no refund of this merchant; ask by one id alone';
}

/** Whether every id of a query could be that of a record. */
function couldFind({ refundOrderId, merchantRefundOrderId, acquiringOrderId }: RefundQuery): boolean {
  return (
    (refundOrderId === undefined || isPossibleId.refundOrderId(refundOrderId)) &&
    (merchantRefundOrderId === undefined || isPossibleId.merchantRefundOrderId(merchantRefundOrderId)) &&
    (acquiringOrderId === undefined || isPossibleId.orderId(acquiringOrderId))
  );
}
