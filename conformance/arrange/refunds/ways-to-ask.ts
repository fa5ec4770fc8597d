import { type Answer, field } from '../../wire/exchange.ts';
import type { WayToAsk } from '../requests/way-to-ask.ts';
import type { MadeRefund } from './refunds.ts';

const single = (answer: Answer) => field(answer, 'data.status');

/** Every way to ask for a refund. */
export const waysToAsk = ({ client, request, refundOrderId, order }: MadeRefund): readonly WayToAsk[] => [
  {
    words: 'merchantRefundOrderId',
    requirement: 'refunds.query.by-merchant-refund-order-id',
    ask: () => client.query({ merchantRefundOrderId: request.merchantRefundOrderId }),
    statusIn: single,
  },
  {
    words: 'batch query',
    requirement: 'refunds.batch-query.known',
    ask: () => client.batchQuery([request.merchantRefundOrderId]),
    statusIn: (answer) => field(answer, 'data.0.status'),
  },
  {
    words: 'acquiringOrderId',
    requirement: 'refunds.query.by-acquiring-order-id',
    ask: () => client.query({ acquiringOrderId: order.orderId }),
    statusIn: single,
  },
  {
    words: 'refundOrderId',
    requirement: 'refunds.query.by-refund-order-id',
    ask: () => client.query({ refundOrderId }),
    statusIn: single,
  },
];
