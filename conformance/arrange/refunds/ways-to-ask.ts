import { type Answer, field } from '../../wire/exchange.ts';
import type { WayToAsk } from '../requests/way-to-ask.ts';
import type { RefundQuery, RefundsClient } from './client.ts';

/** A refund that can be asked for. */
export interface AskableRefund {
  client: RefundsClient;
  request: { merchantRefundOrderId: string };
  refundOrderId: string;
  order: { orderId: string };
}

const single = (answer: Answer) => field(answer, 'data.status');

/** What says of each way to ask for a refund that it shows the refund as it is now, in the order of `waysToAsk`. */
export const requirementsOfWays = [
  'refunds.query.by-merchant-refund-order-id',
  'refunds.batch-query.known',
  'refunds.query.by-acquiring-order-id',
  'refunds.query.by-refund-order-id',
] as const;

const [byOwnId, inBatch, byOrder, byRefundOrderId] = requirementsOfWays;

/** The words of the way that asks for several refunds at once. */
export const inABatch = 'batch query';

/** Every way to ask for a refund. */
export const waysToAsk = ({ client, request, refundOrderId, order }: AskableRefund): readonly WayToAsk[] => [
  {
    words: 'merchantRefundOrderId',
    requirement: byOwnId,
    ask: () => client.query({ merchantRefundOrderId: request.merchantRefundOrderId }),
    statusIn: single,
  },
  {
    words: inABatch,
    requirement: inBatch,
    ask: () => client.batchQuery([request.merchantRefundOrderId]),
    statusIn: (answer) => field(answer, 'data.0.status'),
  },
  {
    words: 'acquiringOrderId',
    requirement: byOrder,
    ask: () => client.query({ acquiringOrderId: order.orderId }),
    statusIn: single,
  },
  {
    words: 'refundOrderId',
    requirement: byRefundOrderId,
    ask: () => client.query({ refundOrderId }),
    statusIn: single,
  },
];

/** The ways to ask by several ids of one refund. Whichever of them decides, the refund is the same. */
export function waysToAskBySeveralIds({ client, request, refundOrderId, order }: AskableRefund): readonly WayToAsk[] {
  const { merchantRefundOrderId } = request;
  const acquiringOrderId = order.orderId;
  const queries: readonly RefundQuery[] = [
    { refundOrderId, merchantRefundOrderId },
    { refundOrderId, acquiringOrderId },
    { merchantRefundOrderId, acquiringOrderId },
    { refundOrderId, merchantRefundOrderId, acquiringOrderId },
  ];
  return queries.map((query) => ({
    words: Object.keys(query).join(' and '),
    requirement: query.refundOrderId === undefined ? byOwnId : 'refunds.query.priority',
    ask: () => client.query(query),
    statusIn: single,
  }));
}
